"""Helpers shared by several subcommands: options, sources of games, tables, logs, the machine."""
