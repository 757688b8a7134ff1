"""Monte Carlo tree search: tree, selection, leaves, and a solver in the background."""
