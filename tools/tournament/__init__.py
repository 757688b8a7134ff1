"""Tournaments between engines over paired openings."""
