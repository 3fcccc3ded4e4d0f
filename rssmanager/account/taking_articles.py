"""States of articles put to the articles that are theirs.

An article is found among those that the person has: brought by a feed of theirs, or starred or tagged before. Looking
further would let whoever knows an address read what others follow. What is not found waits (`reader.kept_states`); with
a star or a tag its content becomes an article of this person's alone, so that it can be read at once, whether or not
its feed still exists. It can never be taken for the publisher's, by nobody: its key is no page's.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.utils.translation import gettext as _

from feeds.models import Article, Source
from feeds.normalizing.canonical_url import canonical_url, is_http_url, url_key
from feeds.normalizing.domains import registrable_domain
from feeds.normalizing.entry import content_hash
from feeds.normalizing.plain_text import plain_text
from feeds.normalizing.text import count_words, reading_seconds, shorten
from reader.carriers import articles_under, own_feeds
from reader.kept_json import Unfit, listed, moment, moment_as_json, state_as_json, state_from_json, text
from reader.kept_states import guid_key
from reader.models import ArticleState, Delivery, KeptState, TaggedArticle
from reader.reading_states import State, take_states
from rssmanager.account.document import MOST_MARKUP

_SUMMARY = 500  # characters
_MOST_CARRIERS = 50  # feeds of one article

Line = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Given:
    """A line that holds: what article it is about, and what was done with it. `content` {} where it has none."""

    at: int
    key: bytes
    guid_keys: tuple[bytes, ...]
    data: dict[str, Any]
    state: State
    published_at: datetime
    content: Line


def take_articles(user: User, lines: Sequence[tuple[int, Line]], *, now: datetime) -> list[tuple[int, str]]:
    """Take these lines, a few hundred at most; returns which were refused, and why. A fixed number of statements, and
    a few for each article that is stored."""
    refused: list[tuple[int, str]] = []
    given: dict[bytes, _Given] = {}
    for at, line in lines:
        try:
            read = _read(at, line)
        except Unfit as error:
            refused.append((at, str(error)))
        else:
            given.setdefault(read.key, read)
    if given:
        here = _here(user, list(given.values()))
        states = {here[each.key]: each.state for each in given.values() if each.key in here}
        take_states(user, states | _wait(user, [each for each in given.values() if each.key not in here], now=now))
    return refused


def _read(at: int, line: Line) -> _Given:
    url = text(line, "url", most=4000)
    if url and not is_http_url(url):
        raise Unfit(_("“%(name)s” is no web address.") % {"name": "url"})
    carriers = [
        {"feed": text(each, "feed", most=2000, is_needed=True), "guid": text(each, "guid", most=255, is_needed=True)}
        for each in listed(line, "in", most=_MOST_CARRIERS)
    ]
    if not url and not carriers:
        raise Unfit(_("It has neither “url” nor “in”, so nobody knows which article it is about."))
    guid_keys = tuple(guid_key(each["feed"], each["guid"]) for each in carriers)
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
    return _Given(at, key, guid_keys, identity | state_as_json(state), state, published_at, content)


def _key(line: Line, url: str) -> bytes:
    """The key that the file says, else that of the URL, else b""."""
    said = text(line, "key", most=32)
    try:
        key = bytes.fromhex(said)
    except ValueError as error:
        raise Unfit(_("“%(name)s” is not 32 hexadecimal digits.") % {"name": "key"}) from error
    if key and len(key) != 16:
        raise Unfit(_("“%(name)s” is not 32 hexadecimal digits.") % {"name": "key"})
    return key or (url_key(url, frozenset(settings.ENV.FETCH_EXTRA_TRACKERS)) if url else b"")


def _check_content(content: Line) -> None:
    text(content, "markup", most=MOST_MARKUP)
    text(content, "base_url", most=4000)
    text(content, "language", most=8)


def _here(user: User, given: Sequence[_Given]) -> dict[bytes, int]:
    """The articles of the user's own that these are, by key; their copies of those that wait are among them."""
    by_key = Article.objects.filter(url_key__in=[each.key for each in given])
    found = {bytes(key): pk for key, pk in by_key.values_list("url_key", "pk")}
    theirs = _theirs(user, found.values())
    by_guid = _by_guid(user, [each for each in given if found.get(each.key) not in theirs])
    theirs |= _theirs(user, by_guid.values())
    copies = KeptState.objects.filter(user=user, key__in=[each.key for each in given], copy__isnull=False)
    here = {bytes(key): pk for key, pk in copies.values_list("key", "copy_id")}
    for each in given:
        pks = [found.get(each.key), *(by_guid.get(key) for key in each.guid_keys)]
        known = next((pk for pk in pks if pk in theirs), None)
        if known is not None:
            here[each.key] = known
    return here


def _by_guid(user: User, given: Sequence[_Given]) -> dict[bytes, int]:
    """The articles that the user's feeds carry under these guids, whatever their addresses."""
    ids = {url: pk for pk, url in own_feeds(user.pk, brought=True).items()}
    wanted: dict[int, set[str]] = defaultdict(set)
    for each in given:
        for carrier in each.data["in"]:
            if carrier["feed"] in ids:
                wanted[ids[carrier["feed"]]].add(carrier["guid"])
    urls = {pk: url for url, pk in ids.items()}
    return {guid_key(urls[feed], guid): pk for feed, guid, pk in articles_under(wanted)}


def _theirs(user: User, ids: Iterable[int]) -> set[int]:
    """Which of these articles the user has."""
    ids = set(ids)
    if not ids:
        return set()
    rows = Delivery.objects.filter(user=user, article__in=ids).order_by().values_list("article_id")
    starred = ArticleState.objects.filter(user=user, article__in=ids, is_starred=True).order_by()
    tagged = TaggedArticle.objects.filter(user=user, article__in=ids).order_by()
    found = rows.union(starred.values_list("article_id"), tagged.values_list("article_id"))
    return {pk for (pk,) in found}


def _wait(user: User, given: Sequence[_Given], *, now: datetime) -> dict[int, State]:
    """Let states wait; returns those of articles that were stored for it."""
    KeptState.objects.bulk_create(
        [
            KeptState(user=user, key=each.key, guid_key=each.guid_keys[0] if each.guid_keys else b"", data=each.data)
            for each in given
        ],
        update_conflicts=True,
        unique_fields=["user", "key"],
        update_fields=["data", "guid_key"],
        batch_size=100,
    )
    states: dict[int, State] = {}
    for each in given:
        if each.state.is_worth_a_copy:
            copy = _copy(user, each, now=now)
            KeptState.objects.filter(user=user, key=each.key).update(copy=copy)
            states[copy.pk] = each.state
    return states


def _copy(user: User, each: _Given, *, now: datetime) -> Article:
    """The article stored for this user alone. Its markup is sanitized when it is first shown, as any."""
    markup, is_text = text(each.content, "markup", most=MOST_MARKUP), each.content.get("is_text") is True
    plain = plain_text(markup, is_text=is_text)
    n_words, n_characters = count_words(plain)
    url, title = each.data["url"], each.data["title"] or each.data["url"] or "…"
    canonical = canonical_url(url) if url else ""
    domain = registrable_domain(url) if url else ""
    copy, _ = Article.objects.get_or_create(
        url_key=blake2b(each.key, key=str(user.pk).encode(), person=b"own copy", digest_size=16).digest(),
        defaults={
            "url": url,
            "canonical_url": "" if canonical == url else canonical,
            "base_url": text(each.content, "base_url", most=4000),
            "source": Source.objects.get_or_create(domain=domain)[0] if domain else None,
            "title": title,
            "author": each.data["author"],
            "published_at": each.published_at,
            "first_seen_at": now,
            "markup": markup,
            "markup_is_text": is_text,
            "text": plain,
            "summary": shorten(" ".join(plain[: 2 * _SUMMARY].split()), _SUMMARY),
            "language": text(each.content, "language", most=8),
            "word_count": n_words + n_characters,
            "reading_seconds": reading_seconds(n_words, n_characters),
            "content_hash": content_hash(title, plain),
        },
    )
    return copy
