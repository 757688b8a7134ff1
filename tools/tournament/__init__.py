"""The tournament: engine configurations against each other over paired openings."""
