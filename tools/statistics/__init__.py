"""Statistics of game pairs: Elo with error bars, SPRT, ratings.  Knows nothing of tournaments."""
