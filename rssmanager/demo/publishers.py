"""The fictional publishers, their feeds and articles.

`data/publishers/` has one YAML file per publisher. A body consists of paragraphs separated by blank lines. Inline HTML
is allowed, and a paragraph that begins with `<` is used unchanged. Placeholders: `{site}` is the publisher's base URL;
`{day}`, `{day-1}`, `{day+2}` … are the weekday of publication and those around it, in the publisher's language, so that
the text agrees with its date for any `now`.

An article may copy another publisher's (`copy_of`): it has the original's body with `edits` applied, and its weekdays.
From generation 2 on, an article with a `revised` part shows that instead.
"""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

DATA_DIRECTORY = Path(__file__).resolve().parent / "data"
FIRST_GENERATION = 1
REVISING_GENERATION = 2
LAST_GENERATION = 3

FORMATS = ("rss2", "atom", "rdf", "json", "rss092")
TROUBLES = ("", "malformed", "truncated", "moved", "gone", "limited", "slow", "page", "hostile")


@dataclass(frozen=True, slots=True)
class Wording:
    """An article's plain-text title and body source in a generation."""

    title: str
    body: str


@dataclass(frozen=True, slots=True)
class Article:
    """An article of a publisher.

    `dateline_hours_ago` differs from `hours_ago` only in copies: weekdays in the text follow the original.
    `feeds` are keys of the publisher's feeds that carry it. `since` is the generation in which it appears.
    """

    publisher: str
    slug: str
    first: Wording
    revised: Wording | None
    author: str
    hours_ago: float
    dateline_hours_ago: float
    tags: tuple[str, ...]
    feeds: tuple[str, ...]
    since: int
    copy_of: str | None
    audio: str | None

    @property
    def entry_id(self) -> str:
        """Its id in scenarios and tests: `publisher/slug`."""
        return f"{self.publisher}/{self.slug}"

    def wording(self, generation: int) -> Wording:
        """Its wording in a generation, from 1."""
        return self.revised if self.revised and generation >= REVISING_GENERATION else self.first


@dataclass(frozen=True, slots=True)
class PublisherFeed:
    """A feed of a publisher.

    `subscribe_path` is what users subscribe to, `path` where the document is; they differ for moved feeds and for pages
    that link to their feed. `campaign` is added to links as utm parameters. `trouble` is one of `TROUBLES`.
    """

    key: str
    title: str
    path: str
    subscribe_path: str
    format: str
    encoding: str
    campaign: str
    trouble: str


@dataclass(frozen=True, slots=True)
class Publisher:
    """A publisher: `number` is the last byte of its loopback address; `tier` is 1 to 5; `icon` is one of
    `media.SHAPES`, empty for none; `is_illustrated`: each of its articles begins with a picture."""

    key: str
    name: str
    tagline: str
    folder: str
    tier: int
    language: str
    number: int
    utc_offset: int
    feeds: tuple[PublisherFeed, ...]
    articles: tuple[Article, ...]
    is_illustrated: bool = False
    icon: str = ""

    def delivered(self, feed: PublisherFeed, generation: int) -> tuple[Article, ...]:
        """The articles of a feed in a generation, newest first."""
        carried = [a for a in self.articles if feed.key in a.feeds and a.since <= generation]
        return tuple(sorted(carried, key=lambda article: article.hours_ago))

    def article(self, slug: str) -> Article:
        """The article with this slug. Raises KeyError."""
        for article in self.articles:
            if article.slug == slug:
                return article
        raise KeyError(f"{self.key} has no article {slug!r}")


@lru_cache(maxsize=1)
def load_publishers() -> tuple[Publisher, ...]:
    """All publishers by number. Raises ValueError, KeyError or TypeError for invalid data."""
    files = sorted((DATA_DIRECTORY / "publishers").glob("*.yaml"))
    documents = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in files]
    originals = {
        f"{document['key']}/{article['slug']}": article
        for document in documents
        for article in document["articles"]
        if "copy_of" not in article
    }
    publishers = [_publisher(document, originals) for document in documents]
    return tuple(sorted(publishers, key=lambda publisher: publisher.number))


def _publisher(document: dict[str, Any], originals: dict[str, dict[str, Any]]) -> Publisher:
    fields = {**document}
    feeds = tuple(_feed(fields["name"], feed) for feed in fields.pop("feeds"))
    articles = tuple(
        _article(document["key"], article, originals, feeds[0].key if feeds else "")
        for article in fields.pop("articles")
    )
    return Publisher(feeds=feeds, articles=articles, **{"utc_offset": 0, **fields})


def _feed(name: str, fields: dict[str, Any]) -> PublisherFeed:
    path = fields["path"]
    defaults = {
        "key": "all",
        "title": name,
        "subscribe_path": path,
        "format": "rss2",
        "encoding": "utf-8",
        "campaign": "",
        "trouble": "",
    }
    feed = PublisherFeed(**{**defaults, **fields})
    if feed.format not in FORMATS or feed.trouble not in TROUBLES:
        raise ValueError(f"{name}: format {feed.format!r} or trouble {feed.trouble!r} is not known")
    return feed


def _article(
    publisher: str, fields: dict[str, Any], originals: dict[str, dict[str, Any]], default_feed: str
) -> Article:
    copy_of = fields.get("copy_of")
    original = originals[copy_of] if copy_of else fields
    body = _edited(original["body"], fields.get("edits", ()), f"{publisher}/{fields['slug']}")
    first = Wording(title=fields.get("title", original["title"]), body=body)
    return Article(
        publisher=publisher,
        slug=fields["slug"],
        first=first,
        revised=_revised(first, fields.get("revised"), f"{publisher}/{fields['slug']}"),
        author=fields.get("by", original.get("by", "")),
        hours_ago=float(fields["ago"]),
        dateline_hours_ago=float(original["ago"]),
        tags=tuple(fields.get("tags", original.get("tags", ()))),
        feeds=tuple(fields.get("feeds", (default_feed,))),
        since=fields.get("since", FIRST_GENERATION),
        copy_of=copy_of,
        audio=fields.get("audio"),
    )


def _revised(first: Wording, fields: dict[str, Any] | None, entry_id: str) -> Wording | None:
    if fields is None:
        return None
    body = _edited(first.body, fields.get("edits", ()), entry_id) + fields.get("more", "")
    return Wording(title=fields.get("title", first.title), body=body)


def _edited(body: str, edits: list[list[str]] | tuple[()], entry_id: str) -> str:
    """The body with each `[old, new]` applied once. Raises ValueError if `old` is missing."""
    for old, new in edits:
        if old not in body:
            raise ValueError(f"{entry_id}: {old!r} is not in the body")
        body = body.replace(old, new, 1)
    return body
