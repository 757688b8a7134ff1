"""The games themselves: boards, positions, connection tests and playouts."""
