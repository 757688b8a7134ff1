"""Certain knowledge of a position: fill-in, inferior cells, virtual connections."""
