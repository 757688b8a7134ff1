"""Everything that decides on a move: players, search, clock."""
