"""Who has won: the connection tests, one board or 512 at a time."""
