"""Assembling a digest: which articles, in which topics, with which summaries."""
