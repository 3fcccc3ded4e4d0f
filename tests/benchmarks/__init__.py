"""Speed as figures, never as asserts: `make bench`."""
