"""Language model tasks, in a module of their own: they are slow, and use HTTP."""

from datetime import timedelta

from django.utils import timezone

from reader.scoring.llm_sensitivity import run_configured

TAKING_NEW_FOR = timedelta(seconds=25)  # of each minute, so that polls have the worker the rest of it


def rate_queued() -> None:
    """Rate queued articles, within the rate limit."""
    run_configured(until=timezone.now() + TAKING_NEW_FOR)
