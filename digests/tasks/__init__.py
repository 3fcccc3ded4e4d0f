"""Background tasks of digests."""
