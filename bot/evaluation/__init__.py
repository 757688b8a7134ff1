"""What is guessed about a position: move priors and values."""
