"""Articles stored for one user alone: imported with content whose feed hasn't delivered it, or saved as a page.

`PendingState.copy` says whose it is. Its key is no page's key, so it is never mistaken for the publisher's article.
"""

from datetime import datetime
from hashlib import blake2b

from django.contrib.auth.models import User

from feeds.content.saved_copies import summary_of
from feeds.models import Article, Feed, Source
from feeds.normalizing.canonical_url import canonical_url
from feeds.normalizing.domains import registrable_domain
from feeds.normalizing.entry import content_hash
from feeds.normalizing.plain_text import plain_text
from feeds.normalizing.text import count_words, reading_seconds


def create_copy(
    user: User,
    key: bytes,
    *,
    url: str,
    title: str,
    published_at: datetime,
    now: datetime,
    author: str = "",
    markup: str = "",
    is_text: bool = False,
    base_url: str = "",
    language: str = "",
    feed: Feed | None = None,
) -> Article:
    """The user's own copy of the article with this key; an existing one is returned as it is.

    `feed`: the user's saved pages if the page is to be fetched into it.
    """
    plain = plain_text(markup, is_text=is_text)
    n_words, n_characters = count_words(plain)
    title, canonical = title or url or "…", canonical_url(url) if url else ""
    domain = registrable_domain(url) if url else ""
    copy, _ = Article.objects.get_or_create(
        url_key=_copy_key(user, key),
        defaults={
            "url": url,
            "canonical_url": "" if canonical == url else canonical,
            "base_url": base_url,
            "source": Source.objects.get_or_create(domain=domain)[0] if domain else None,
            "feed": feed,
            "title": title,
            "author": author,
            "published_at": published_at,
            "first_seen_at": now,
            "markup": markup,
            "markup_is_text": is_text,
            "text": plain,
            "summary": summary_of(plain),
            "language": language,
            "word_count": n_words + n_characters,
            "reading_seconds": reading_seconds(n_words, n_characters),
            "content_hash": content_hash(title, plain),
            "is_unmatched": True,
        },
    )
    return copy


def _copy_key(user: User, key: bytes) -> bytes:
    return blake2b(key, key=str(user.pk).encode(), person=b"own copy", digest_size=16).digest()
