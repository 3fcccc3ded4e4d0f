"""When digests are due."""
