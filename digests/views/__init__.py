"""Views of digests."""
