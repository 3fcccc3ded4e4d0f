"""The work of the enriching stage, alone in its module: the worker that runs it loads the language models."""

from datetime import timedelta

from django.utils import timezone

from feeds.enrichment import enrich

TAKING_NEW_FOR = timedelta(seconds=50)  # the next task goes on, perhaps on another worker


def enrich_new() -> None:
    """Find names and events in what was matched."""
    enrich(until=timezone.now() + TAKING_NEW_FOR)
