"""Drafts for tests, with defaults for everything a test doesn't care about."""

from dataclasses import replace
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Any

from feeds.normalizing.canonical_url import canonical_url, url_key
from feeds.normalizing.domains import registrable_domain
from feeds.normalizing.draft import Draft

NOW = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)
HARBOUR = "The harbour office said on Tuesday that the two oldest cranes will be taken down before the autumn storms."
LIBRARY = "Readers queued from early morning when the rebuilt town library opened its doors for the first time."


def content_hash(title: str, text: str) -> int:
    digest = blake2b(f"{title}\0{text}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def draft(
    guid: str = "g1", *, url: str = "https://paper.example/a", title: str = "", text: str = HARBOUR, **values: Any
) -> Draft:
    """A draft whose derived fields match its URL, title and text."""
    title = title or text[:40]
    own_key = blake2b(guid.encode(), digest_size=16).digest()
    key = url_key(url) if url else own_key
    base = Draft(
        guid=guid,
        published_guid=guid,
        url=url,
        canonical_url=canonical_url(url) if url else "",
        url_key=key,
        page_key=key,
        own_key=own_key,
        domain=registrable_domain(url) if url else "paper.example",
        title=title,
        author="",
        published_at=NOW,
        date_uncertain=False,
        markup=f"<p>{text}</p>",
        markup_is_text=False,
        base_url="",
        text=text,
        summary=text[:100],
        language="en",
        word_count=len(text.split()),
        reading_seconds=10,
        partial_content=False,
        categories=(),
        media=(),
        content_hash=content_hash(title, text),
        details_hash=1,
    )
    return replace(base, **values)
