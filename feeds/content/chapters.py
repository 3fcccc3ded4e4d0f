"""Fetches the chapters of a podcast's episode from the file that its feed names (podcast:chapters)."""

import json
from typing import Any

from feeds.content.image_proxy import SECONDS, image_fetcher, slot
from feeds.errors import FetchError
from feeds.fetching import DeadlineFetcher
from feeds.normalizing.canonical_url import absolute
from feeds.normalizing.domains import registrable_domain
from feeds.normalizing.draft import Chapter
from feeds.normalizing.plain_text import plain_text

MAX_CHAPTERS = 500
_MAX_BYTES = 2**20
_MAX_TITLE = 300  # characters
_ACCEPT = "application/json+chapters,application/json;q=0.9"


def fetch_chapters(url: str) -> tuple[Chapter, ...]:
    """The chapters in a file, by their start; () if it can't be read. Raises Busy without waiting."""
    with slot(registrable_domain(url)):
        try:
            answer = DeadlineFetcher(image_fetcher(max_bytes=_MAX_BYTES, accept=_ACCEPT), seconds=SECONDS).fetch(url)
        except FetchError:
            return ()
    return parse_chapters(answer.body) if answer.status == 200 else ()


def parse_chapters(content: bytes) -> tuple[Chapter, ...]:
    """The chapters of a JSON document with `startTime` and `title` of each. Source: podcast namespace, jsonChapters."""
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        return ()
    items = document.get("chapters") if isinstance(document, dict) else None
    listed = items[:MAX_CHAPTERS] if isinstance(items, list) else []
    chapters = (_chapter(item) for item in listed if isinstance(item, dict) and item.get("toc") is not False)
    return tuple(sorted(filter(None, chapters), key=lambda chapter: chapter.start))


def _chapter(item: dict[str, Any]) -> Chapter | None:
    start, title, url = item.get("startTime"), item.get("title"), item.get("url")
    if (
        isinstance(start, bool)
        or not isinstance(start, int | float)
        or not 0 <= start < 1e6
        or not isinstance(title, str)
    ):
        return None
    text = " ".join(plain_text(title).split())[:_MAX_TITLE]
    return Chapter(float(start), text, absolute("", url) if isinstance(url, str) else "") if text else None
