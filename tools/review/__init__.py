"""What `trivalent review` shows: tables, pages, annotated records."""
