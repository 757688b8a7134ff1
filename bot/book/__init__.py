"""Opening books: the file, the positions in it, and what a player reads from it."""
