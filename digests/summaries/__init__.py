"""Summaries of articles: their own sentences, chosen within a number of words. Pure."""

from digests.summaries.counting import count
from digests.summaries.extracting import one_line, summarize
from digests.summaries.sentences import Sentence, sentences

__all__ = ["Sentence", "count", "one_line", "sentences", "summarize"]
