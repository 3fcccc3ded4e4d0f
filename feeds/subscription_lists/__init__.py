"""Reads subscription lists: OPML, feeds.yaml, plain URLs."""
