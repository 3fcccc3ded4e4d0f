"""Fetches the pages of articles, in workers only. Safe to run twice and concurrently."""

from datetime import timedelta

from django.utils import timezone

from feeds.content.fetch_pages import fetch_one, fetch_waiting
from feeds.polling.engine import make_page_fetcher
from feeds.tasks.enqueue import call_worker

TAKING_NEW_FOR = timedelta(seconds=50)  # the next task continues, perhaps on another worker


def fetch_pages() -> None:
    """Fetch all requested pages."""
    fetcher = make_page_fetcher()
    try:
        fetch_waiting(fetcher, clock=timezone.now, until=timezone.now() + TAKING_NEW_FOR)
    finally:
        fetcher.close()


def fetch_page(article_id: int) -> None:
    """Fetch the page of an article a user requested; a slow one is left to `fetch_pages`."""
    fetcher = make_page_fetcher(urgent=True)
    try:
        is_done = fetch_one(fetcher, article_id, now=timezone.now())
    finally:
        fetcher.close()
    if not is_done:
        call_worker("feeds.tasks.full_text.fetch_pages")
