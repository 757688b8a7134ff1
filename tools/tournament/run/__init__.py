"""A run: schedule, workers, database, progress."""
