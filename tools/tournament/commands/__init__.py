"""The subcommands of ``trivalent tournament``, one a module."""
