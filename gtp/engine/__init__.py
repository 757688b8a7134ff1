"""The engine's side of GTP: syntax, arguments, the session, the stream."""
