"""Asks a language model: a question in, an `Answer` or a `Failure` out. Doesn't use Django."""

from reader.llm.client import Answer, Failure, FailureKind, LanguageModel, Server, UnusableAnswer

__all__ = ["Answer", "Failure", "FailureKind", "LanguageModel", "Server", "UnusableAnswer"]
