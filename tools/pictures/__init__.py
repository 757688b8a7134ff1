"""Drawn boards: pictures of lattices and of curved boards, and SVG of both."""
