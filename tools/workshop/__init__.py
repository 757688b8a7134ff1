"""What made our data, run by developers."""
