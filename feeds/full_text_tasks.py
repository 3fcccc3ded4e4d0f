"""Fetching the pages of articles, for workers only. Safe to run twice, and beside itself."""

from datetime import timedelta

from django.utils import timezone

from feeds.page_fetching import fetch_waiting
from feeds.worker import make_page_fetcher

TAKING_NEW_FOR = timedelta(seconds=50)  # the next task goes on, perhaps on another worker


def fetch_pages() -> None:
    """Fetch the pages that somebody waits for."""
    fetcher = make_page_fetcher()
    try:
        fetch_waiting(fetcher, clock=timezone.now, until=timezone.now() + TAKING_NEW_FOR)
    finally:
        fetcher.close()
