"""Reviews of games: what each move cost, and where the game was lost."""
