"""Evaluation: values of positions, priors of moves and statistics of cells, all estimates."""
