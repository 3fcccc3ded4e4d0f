"""Pages of digests."""
