"""What a run has shown: tables, files, pages."""
