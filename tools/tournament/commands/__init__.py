"""The subcommands of ``trivalent tournament``, one module each."""
