"""Puzzles: positions with one winning move."""
