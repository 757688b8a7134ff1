"""The tree search: nodes, selection, leaves, and a solver in the background."""
