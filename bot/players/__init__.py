"""The players, and what wraps them."""
