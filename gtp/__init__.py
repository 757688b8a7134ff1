"""The Go Text Protocol: syntax, session, commands, streams."""
