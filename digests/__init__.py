"""Digests: a window of articles, clustered into topics, ordered by importance, checked, shown and emailed once."""
