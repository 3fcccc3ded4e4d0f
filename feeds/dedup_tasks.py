"""Recurring work of deduplication, apart from `tasks`: a worker that only polls need not load what comparing needs."""

from datetime import timedelta

from django.utils import timezone

from feeds.deduplication import forget_keys, match

TAKING_NEW_FOR = timedelta(seconds=50)  # the next scheduled task goes on, perhaps on another worker


def match_new() -> None:
    """Compare titles and contents of what polls brought; every minute, and after each poll that brought something."""
    match(until=timezone.now() + TAKING_NEW_FOR)


def tidy_keys() -> None:
    """Forget keys that can match nothing new; daily."""
    forget_keys(now=timezone.now())
