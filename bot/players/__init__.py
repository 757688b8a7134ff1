"""The players, and the wrapper that adds the swap to any of them."""
