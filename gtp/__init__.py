"""The Go Text Protocol: the engine's side, the controller's side, and the TCP server."""
