"""Perfect play: df-pn search, proofs, and a store of solved positions."""
