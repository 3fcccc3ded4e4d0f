"""Asking the language model, alone in its module: it may take long, and speaks HTTP."""

from datetime import timedelta

from django.utils import timezone

from reader.language_worker import ask_configured

TAKING_NEW_FOR = timedelta(seconds=25)  # of each minute, so that polls have the worker the rest of it


def ask() -> None:
    """Ask about articles that wait for it, as many as the limit allows."""
    ask_configured(until=timezone.now() + TAKING_NEW_FOR)
