"""Results of a run: statistics, and how they're shown."""
