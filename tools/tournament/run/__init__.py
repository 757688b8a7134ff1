"""Playing a whole plan: schedule, workers, database, progress."""
