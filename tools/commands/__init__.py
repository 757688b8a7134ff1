"""The subcommands of ``trivalent``, one module each."""
