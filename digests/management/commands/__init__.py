"""Commands of digests."""
