"""Importing the states of articles.

An article is looked for only among the user's own: delivered by one of their feeds, starred or tagged. Searching all
articles would let anyone who knows a URL read what others follow. A state without an article waits for it
(`reader.articles.pending_states`). If it is starred, tagged or saved, its content becomes an article of this user
alone, which can be read at once, even if its feed is gone (`reader.articles.own_copies`).
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.utils.translation import gettext as _

from feeds.models import Article
from feeds.normalizing.canonical_url import is_http_url, url_key
from reader.articles.feed_items import articles_by_guid, feed_urls
from reader.articles.own_copies import create_copy
from reader.articles.pending_states import guid_key
from reader.articles.state_bulk import State, add_states
from reader.articles.state_json import Unfit, listed, moment, moment_as_json, state_as_json, state_from_json, text
from reader.models import ArticleState, Delivery, Highlight, PendingState, TaggedArticle
from rssmanager.accounts.format import MAX_MARKUP

_MAX_CARRIERS = 50  # feeds of one article

Line = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _ArticleLine:
    """A valid line: its article and state. `content` is {} if it has none."""

    key: bytes
    guid_keys: tuple[bytes, ...]
    data: dict[str, Any]
    state: State
    published_at: datetime
    content: Line


def import_articles(user: User, lines: Sequence[tuple[int, Line]], *, now: datetime) -> list[tuple[int, str]]:
    """Import up to a few hundred lines; returns the numbers of refused ones with reasons.

    Runs a fixed number of statements, plus a few per stored copy.
    """
    refused: list[tuple[int, str]] = []
    by_key: dict[bytes, _ArticleLine] = {}
    for number, line in lines:
        try:
            article = _read(line)
        except Unfit as error:
            refused.append((number, str(error)))
        else:
            by_key.setdefault(article.key, article)
    if by_key:
        ids = _find_articles(user, list(by_key.values()))
        states = {ids[key]: article.state for key, article in by_key.items() if key in ids}
        waiting = [article for key, article in by_key.items() if key not in ids]
        add_states(user, states | _store_pending(user, waiting, now=now))
    return refused


def _read(line: Line) -> _ArticleLine:
    url = text(line, "url", most=4000)
    if url and not is_http_url(url):
        raise Unfit(_("“%(name)s” is not a web address.") % {"name": "url"})
    carriers = [
        {"feed": text(item, "feed", most=2000, is_needed=True), "guid": text(item, "guid", most=255, is_needed=True)}
        for item in listed(line, "in", most=_MAX_CARRIERS)
    ]
    if not url and not carriers:
        raise Unfit(_("Neither “url” nor “in” identifies the article."))
    guid_keys = tuple(guid_key(carrier["feed"], carrier["guid"]) for carrier in carriers)
    key = _key(line, url) or guid_keys[0]
    published_at = moment(line.get("published_at"), "published_at")
    state = state_from_json(line)
    identity = {
        "key": key.hex(),
        "url": url,
        "title": text(line, "title", most=5000),
        "author": text(line, "author", most=200),
        "published_at": moment_as_json(published_at),
        "in": carriers,
    }
    content = line.get("content", {})
    if not isinstance(content, Mapping):
        raise Unfit(_("“%(name)s” is not an object.") % {"name": "content"})
    _check_content(content)
    return _ArticleLine(key, guid_keys, identity | state_as_json(state), state, published_at, content)


def _key(line: Line, url: str) -> bytes:
    """The key in the file, else that of the URL, else b""."""
    try:
        key = bytes.fromhex(text(line, "key", most=32))
    except ValueError as error:
        raise Unfit(_("“%(name)s” is not 32 hexadecimal digits.") % {"name": "key"}) from error
    if key and len(key) != 16:
        raise Unfit(_("“%(name)s” is not 32 hexadecimal digits.") % {"name": "key"})
    return key or (url_key(url, frozenset(settings.ENV.FETCH_EXTRA_TRACKERS)) if url else b"")


def _check_content(content: Line) -> None:
    text(content, "markup", most=MAX_MARKUP)
    text(content, "base_url", most=4000)
    text(content, "language", most=8)


def _find_articles(user: User, lines: Sequence[_ArticleLine]) -> dict[bytes, int]:
    """The user's own articles for these lines by key, including earlier copies."""
    by_url = Article.objects.filter(url_key__in=[line.key for line in lines])
    by_key = {bytes(key): pk for key, pk in by_url.values_list("url_key", "pk")}
    own = _own_articles(user, by_key.values())
    by_guid = _find_by_guid(user, [line for line in lines if by_key.get(line.key) not in own])
    own |= _own_articles(user, by_guid.values())
    copies = PendingState.objects.filter(user=user, key__in=[line.key for line in lines], copy__isnull=False)
    ids = {bytes(key): pk for key, pk in copies.values_list("key", "copy_id")}
    for line in lines:
        candidates = [by_key.get(line.key), *(by_guid.get(key) for key in line.guid_keys)]
        if (pk := next((pk for pk in candidates if pk in own), None)) is not None:
            ids[line.key] = pk
    return ids


def _find_by_guid(user: User, lines: Sequence[_ArticleLine]) -> dict[bytes, int]:
    """The articles that the user's feeds carry under these guids, whatever their URLs."""
    urls = feed_urls(user.pk, only_delivered=True)
    feeds = {url: pk for pk, url in urls.items()}
    guids: dict[int, set[str]] = defaultdict(set)
    for line in lines:
        for carrier in line.data["in"]:
            if carrier["feed"] in feeds:
                guids[feeds[carrier["feed"]]].add(carrier["guid"])
    return {guid_key(urls[feed], guid): pk for feed, guid, pk in articles_by_guid(guids)}


def _own_articles(user: User, ids: Iterable[int]) -> set[int]:
    ids = set(ids)
    if not ids:
        return set()
    delivered = Delivery.objects.filter(user=user, article__in=ids).order_by().values_list("article_id")
    starred = ArticleState.objects.filter(user=user, article__in=ids, is_starred=True).order_by()
    tagged = TaggedArticle.objects.filter(user=user, article__in=ids).order_by()
    highlighted = Highlight.objects.filter(user=user, article__in=ids).order_by()
    kept = [rows.values_list("article_id") for rows in (starred, tagged, highlighted)]
    return {pk for (pk,) in delivered.union(*kept)}


def _store_pending(user: User, lines: Sequence[_ArticleLine], *, now: datetime) -> dict[int, State]:
    """Store states that wait for their article; returns those whose copy was stored, by its id."""
    PendingState.objects.bulk_create(
        [
            PendingState(user=user, key=line.key, guid_key=line.guid_keys[0] if line.guid_keys else b"", data=line.data)
            for line in lines
        ],
        update_conflicts=True,
        unique_fields=["user", "key"],
        update_fields=["data", "guid_key"],
        batch_size=100,
    )
    states: dict[int, State] = {}
    for line in lines:
        if line.state.is_kept:
            copy = _create_copy(user, line, now=now)
            PendingState.objects.filter(user=user, key=line.key).update(copy=copy)
            states[copy.pk] = line.state
    return states


def _create_copy(user: User, line: _ArticleLine, *, now: datetime) -> Article:
    """The article stored for this user alone. Its markup is sanitized when it is first shown, like any."""
    return create_copy(
        user,
        line.key,
        url=line.data["url"],
        title=line.data["title"],
        author=line.data["author"],
        published_at=min(line.published_at, now),
        markup=text(line.content, "markup", most=MAX_MARKUP),
        is_text=line.content.get("is_text") is True,
        base_url=text(line.content, "base_url", most=4000),
        language=text(line.content, "language", most=8),
        now=now,
    )
