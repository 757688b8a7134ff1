"""Game records: what they say (`record.Record`), and their formats (`formats.read`, `write`)."""
