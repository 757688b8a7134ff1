"""The GTP commands, one family in each module."""
