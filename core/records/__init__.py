"""Game records: what they say, and the formats that they are written in."""
