"""Statistics of games in pairs: strength with error bars, tests, ratings.  numpy at most."""
