"""The task of the event stage, in its own module because importing it loads the language models."""

from datetime import timedelta

from django.utils import timezone

from feeds.stories.event_engine import enrich

TAKING_NEW_FOR = timedelta(seconds=50)  # the next task continues, perhaps on another worker


def enrich_new() -> None:
    """Find names and events in matched articles."""
    enrich(until=timezone.now() + TAKING_NEW_FOR)
