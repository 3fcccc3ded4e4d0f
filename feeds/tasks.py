"""Recurring and asked-for work of `feeds`. Each task is safe to run twice; ids in, nothing out."""

from datetime import timedelta

from django.utils import timezone

from feeds import checkup
from feeds.worker import poll_due

TAKING_NEW_FOR = timedelta(seconds=50)  # the next scheduled task goes on, perhaps on another worker


def poll() -> None:
    """Poll what is due; a backlog is shared with the tasks that are started meanwhile."""
    poll_due(until=timezone.now() + TAKING_NEW_FOR)


def poll_feeds(ids: list[int]) -> None:
    """Poll these feeds, which somebody asked for."""
    poll_due(only=ids)


def refresh_scores() -> None:
    """Health and reliability of the feeds polled in the last two hours; hourly."""
    now = timezone.now()
    checkup.refresh_scores(now=now, since=now - timedelta(hours=2))


def tidy() -> None:
    """Forget old poll records and refresh every feed's scores; daily."""
    now = timezone.now()
    checkup.forget_old_polls(now=now)
    checkup.refresh_scores(now=now)
