"""Playing one game: referee, clocks, and the engines."""
