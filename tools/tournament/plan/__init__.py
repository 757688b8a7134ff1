"""Plan files: what is to be played."""
