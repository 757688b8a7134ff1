"""What several subcommands share: options, where records come from, tables, logs."""
