"""The GTP commands, a family a module."""
