"""Players of the time before Monte Carlo: electric circuits, and alpha-beta search over them."""
