"""The only place that speaks to a language model: an article in, an `Answer` or a `Failure` out. Knows no Django."""

from reader.language_model.answer import Answer
from reader.language_model.client import Failure, LanguageModel, Server, Trouble

__all__ = ["Answer", "Failure", "LanguageModel", "Server", "Trouble"]
