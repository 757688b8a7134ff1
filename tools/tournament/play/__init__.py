"""One game: the referee, the engines in their seats, the clocks."""
