"""Plans: reading and checking the TOML file that describes a tournament."""
