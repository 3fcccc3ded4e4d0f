"""Summaries of articles: their own sentences, selected within a word limit. Pure."""

from digests.summaries.extractive import one_line, summarize
from digests.summaries.language import count

__all__ = ["count", "one_line", "summarize"]
