"""Building, checking, showing and converting opening books."""
