"""Who wins with perfect play: df-pn search, proofs, the store of solved positions."""
