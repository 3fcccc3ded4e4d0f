"""Documents as publishers write them, and what a user who follows them sees.

`Reported` polls documents (versions of them in turn), delivers what they bring and reads the user's list and articles
from the pages. Only the network is replaced: `publish` says what each address answers.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any

from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from selectolax.lexbor import LexborHTMLParser, LexborNode

from feeds.fetching import FetchResult, Hop
from feeds.models import Article, Feed, FeedStatus, Poll, Source
from feeds.polling.poller import Poller
from feeds.storage.drafts import NormalizingRules
from feeds.subscription_lists.detect import read_subscriptions
from reader.articles.image_proxy import original_address
from reader.errors import NothingToFollow
from reader.models import Subscription
from reader.subscriptions.delivery import deliver
from reader.subscriptions.discovery import find_feeds
from reader.subscriptions.follow import follow_all, move_merged_subscriptions
from tests import make
from tests.markup import tight

ADDRESS = "https://paper.example/feed.xml"
START = datetime(2026, 11, 28, 12, 0, tzinfo=UTC)
DATE = "Fri, 20 Nov 2026 08:00:00 GMT"

_NAMESPACES = " ".join(
    f'xmlns:{prefix}="{uri}"'
    for prefix, uri in {
        "content": "http://purl.org/rss/1.0/modules/content/",
        "dc": "http://purl.org/dc/elements/1.1/",
        "media": "http://search.yahoo.com/mrss/",
        "itunes": "http://www.itunes.com/dtds/podcast-1.0.dtd",
        "podcast": "https://podcastindex.org/namespace/1.0",
        "atom": "http://www.w3.org/2005/Atom",
    }.items()
)


def rss(
    *items: str, title: str = "Paper", site: str = "https://paper.example/", channel: str = "", attributes: str = ""
) -> bytes:
    """An RSS document of a paper with these items' content; the usual namespaces are declared."""
    inside = "".join(f"<item>{item}</item>" for item in items)
    head = f"<title>{title}</title><link>{site}</link><description>News</description>{channel}"
    return f'<rss version="2.0" {_NAMESPACES} {attributes}><channel>{head}{inside}</channel></rss>'.encode()


def item(title: str = "Cranes", body: str = "Cranes come down.", **elements: str) -> str:
    """An item's content: `link`, `guid` (no permalink), `pubDate` and other elements by name, "" to leave one out;
    `body` is the description, escaped here."""
    elements = {"link": "https://paper.example/cranes", "guid": "", "pubDate": DATE, **elements}
    guid = elements.pop("guid")
    written = f"<guid isPermaLink='false'>{guid}</guid>" if guid else ""
    written += "".join(f"<{name}>{text}</{name}>" for name, text in elements.items() if text)
    escaped = body.replace("&", "&amp;").replace("<", "&lt;")
    return f"<title>{title}</title>{written}<description>{escaped}</description>"


def atom(*entries: str, feed: str = "", attributes: str = "") -> bytes:
    """An Atom document with these entries, elements and all (the entry's own attributes may differ)."""
    head = f"<title>Paper</title><id>urn:paper</id><updated>2026-11-20T08:00:00Z</updated>{feed}"
    return f'<feed xmlns="http://www.w3.org/2005/Atom" {attributes}>{head}{"".join(entries)}</feed>'.encode()


def json_feed(*items: Mapping[str, Any], **values: Any) -> bytes:
    """A JSON Feed 1.1 with these items."""
    feed = {"version": "https://jsonfeed.org/version/1.1", "title": "Paper", "home_page_url": "https://paper.example/"}
    return json.dumps({**feed, **values, "items": items}).encode()


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture in an article: its publisher's address and its alternative text."""

    url: str
    alt: str = ""


@dataclass
class Seen:
    """An article as the user sees it; reading these values doesn't mark it as read."""

    client: Client
    pk: int
    title: str
    source: str
    is_read: bool
    is_updated: bool

    @cached_property
    def page(self) -> LexborHTMLParser:
        """The whole page."""
        response = self.client.get(reverse("article", args=[self.pk]), headers={"Sec-Purpose": "prefetch"})
        assert response.status_code == 200
        return LexborHTMLParser(response.content.decode())

    @property
    def body(self) -> str:
        """The body's HTML, without line breaks between elements; "" if there is only a title."""
        node = self._one(".body")
        return "" if node.css_first(".no-body") else tight(node.inner_html or "").strip()

    @property
    def text(self) -> str:
        """The body's text, white space collapsed."""
        return " ".join(self._one(".body").text(separator=" ").split()) if self.body else ""

    @property
    def link(self) -> str:
        """Where "Original" leads; "" without a link."""
        node = self.page.css_first("[data-original]")
        return (node.attributes["href"] or "") if node else ""

    @property
    def meta(self) -> str:
        """The lines under the title: source, author, time."""
        return " ".join(" ".join(node.text(separator=" ") for node in self.page.css("header .meta")).split())

    @property
    def pictures(self) -> list[Picture]:
        """All pictures of the article, in the body and above it, in their order."""
        images = self.page.css("article.article img:not(.tile):not(.icon)")
        return [
            Picture(_original(image.attributes["src"] or ""), image.attributes.get("alt") or "") for image in images
        ]

    @property
    def players(self) -> list[str]:
        """The addresses of files that can be played on the page, in the body too."""
        nodes = self.page.css("article.article audio, article.article video, article.article source")
        return [src.partition("#")[0] for node in nodes if (src := node.attributes.get("src"))]

    @property
    def files(self) -> list[str]:
        """The addresses in the section of files and of embedded media."""
        return [link.attributes["href"] or "" for link in self.page.css(".files a[href], .embeds a[href]")]

    def open(self) -> None:
        """Open the article as a user does, which marks it as read."""
        assert self.client.get(reverse("article", args=[self.pk])).status_code == 200

    def _one(self, selector: str) -> LexborNode:
        node = self.page.css_first(f"article.article {selector}")
        assert node is not None, f"no {selector} on the page"
        return node


@dataclass
class Reported:
    """A user, and the documents at addresses that feeds may have. `now` moves by an hour with each poll."""

    client: Client
    user: User = field(default_factory=make.user)
    now: datetime = START
    answers: dict[str, FetchResult] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.client.force_login(self.user)

    def publish(
        self, document: bytes, url: str = ADDRESS, *, status: int = 200, moved_from: str = "", **headers: str
    ) -> None:
        """Let `url` answer with this document; `moved_from` is an address that redirects there for good."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.answers[url] = FetchResult(url, status, named, document, n_bytes=len(document))
        if moved_from:
            hops = (Hop(301, moved_from, url),)
            self.answers[moved_from] = FetchResult(url, status, named, document, hops, n_bytes=len(document))

    def follow(self, url: str = ADDRESS, **values: Any) -> Subscription:
        """The user's subscription to the feed at `url`, made if needed."""
        feed = Feed.objects.filter(url_key=Feed.key_of(url)).first() or make.feed(url, title="", **values)
        return Subscription.objects.get_or_create(user=self.user, feed=feed)[0]

    def import_list(self, text: str, name: str) -> None:
        """Follow the feeds of a file that the user imports."""
        listed = read_subscriptions(text.encode(), name)
        follow_all(self.user, listed.feeds, now=self.now, default_max_items=500, updates=listed.updates)

    def fetch(self, url: str, *, etag: str = "", last_modified: str = "") -> FetchResult:
        """Answer a request, in the place of the network."""
        self.requests.append(url)
        return self.answers.get(url) or FetchResult(url, 404)

    def find(self, url: str) -> list[str]:
        """The addresses of the feeds that are offered for the address of a page; none if there is no feed."""
        try:
            return [found.url for found in find_feeds(url, fetcher=self, now=self.now)]
        except NothingToFollow:
            return []

    def poll(self, url: str = ADDRESS) -> Poll:
        """Poll the feed that the user follows at `url` and deliver what it brought."""
        feed = self.follow(url).feed
        Feed.objects.filter(pk=feed.pk).update(next_poll_at=self.now)
        Source.objects.update(rate_limited_until=None)
        poller = Poller(self, rules=NormalizingRules(), concurrency=1, per_domain=1, clock=lambda: self.now)
        poller.run(only=[feed.pk])
        move_merged_subscriptions()
        deliver()
        self.now += timedelta(hours=1)
        return feed.polls.latest("pk")

    def read(self, *versions: bytes, url: str = ADDRESS, **headers: str) -> list[Seen]:
        """The user's list of the feed at `url` after it was polled with each version of its document in turn."""
        for version in versions:
            self.publish(version, url, **headers)
            self.poll(url)
        return self.list(url)

    def list(self, url: str = ADDRESS) -> "list[Seen]":
        """The list of the feed at `url`, read articles too, as the page shows it."""
        feed = Feed.objects.get(url_key=Feed.key_of(url))
        if feed.status == FeedStatus.MERGED:
            feed = feed.merged_into
        subscription = Subscription.objects.get(user=self.user, feed=feed)
        response = self.client.get(reverse("feed", args=[subscription.pk]), {"show": "newest"})
        assert response.status_code == 200
        return [self._seen(row) for row in LexborHTMLParser(response.content.decode()).css("[data-row]")]

    def titles(self, url: str = ADDRESS) -> Sequence[str]:
        """The titles in that list."""
        return [seen.title for seen in self.list(url)]

    def _seen(self, row: LexborNode) -> Seen:
        title, source = row.css_first(".row-title a"), row.css_first(".source > [dir]")
        assert title is not None
        assert source is not None
        return Seen(
            self.client,
            int((row.attributes["id"] or "")[1:]),
            title=title.text(strip=True),
            source=source.text(strip=True),
            is_read="is-read" in (row.attributes["class"] or ""),
            is_updated=row.css_first(".updated") is not None,
        )


def stored(seen: Seen) -> Article:
    """The row of an article, for what no page shows."""
    return Article.objects.get(pk=seen.pk)


def _original(address: str) -> str:
    """The publisher's address of a picture that this app serves."""
    parts = address.split("/")
    return original_address(parts[-2], parts[-1]) if "/img/" in address else address
