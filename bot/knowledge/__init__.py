"""What is certain about a position: fill-in, inferior cells, virtual connections."""
