"""How programs show what they find: progress bars, and pages that need no network."""
