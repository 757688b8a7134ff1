"""The games themselves: boards, positions, connection tests and playouts."""

VERSION = "0.1.0"
"""The version of Trivalent; the build files say the same."""
