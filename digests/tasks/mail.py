"""Sends emails. Safe to run twice or concurrently."""

from datetime import timedelta

from django.utils import timezone

from digests.delivery.sending import send_due

TAKING_NEW_FOR = timedelta(seconds=50)  # then the next task continues


def send() -> None:
    """Send due emails; started by `digests.tasks.recurring` when there are any."""
    send_due(until=timezone.now() + TAKING_NEW_FOR)
