"""Who has won: connection tests for one board or for 512 at a time."""
