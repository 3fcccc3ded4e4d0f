"""Sending mail, which loads what writes it. Safe to run twice, and several at once."""

from datetime import timedelta

from django.utils import timezone

from digests.delivery.sending import send_due

TAKING_NEW_FOR = timedelta(seconds=50)  # the next scheduled task goes on, perhaps on another worker


def send() -> None:
    """Send the mail that waits; asked for by `digests.tasks` when there is some."""
    send_due(until=timezone.now() + TAKING_NEW_FOR)
