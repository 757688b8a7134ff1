"""What particular controllers expect, for ``--compat``."""
