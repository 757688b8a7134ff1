"""The games themselves: boards, positions, connection tests, playouts and game records."""

VERSION = "0.2.0"
"""The version of Trivalent; the build files say the same."""
