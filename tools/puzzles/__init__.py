"""Puzzles: positions with a single winning move."""
