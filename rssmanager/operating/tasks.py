"""Recurring work of `operating`. Each task is safe to run twice."""

from django.utils import timezone

from rssmanager.operating.growth import note_size
from rssmanager.operating.working import forget_gone
from rssmanager.storage import database_bytes


def look() -> None:
    """Note how large the database is, and forget workers that are gone; hourly."""
    now = timezone.now()
    note_size(database_bytes(), now=now)
    forget_gone(now)
