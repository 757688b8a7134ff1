"""The subcommands of ``trivalent``, one a module."""
