"""Programs for people: the command line and the benchmarks."""
