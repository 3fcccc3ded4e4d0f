"""Fetches the icons of feeds, in workers only. Safe to run twice and concurrently."""

from django.utils import timezone

from feeds.content.fetch_icons import fetch_due
from feeds.polling.engine import make_icon_fetchers


def fetch_icons() -> int:
    """Fetch icons that are due; every minute. Returns how many were tried; the next run continues."""
    pages, images = make_icon_fetchers()
    try:
        return fetch_due(pages, images, now=timezone.now())
    finally:
        pages.close()
        images.close()
