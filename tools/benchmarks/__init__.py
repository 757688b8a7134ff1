"""Measuring speed and strength, for ``trivalent bench``."""
