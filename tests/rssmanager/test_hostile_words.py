"""Hostile text in every displayed field of a feed: titles, authors, categories, links, enclosures, and
the feed's own name. Polled like any feed, and searched for in pages, emails, the digest feed and exported lists.
"""

from collections import defaultdict
from collections.abc import Iterator
from datetime import timedelta
from xml.etree.ElementTree import Element
from xml.sax.saxutils import escape, quoteattr

import html5lib
import pytest
from django.contrib.auth.models import User
from django.test import Client
from lxml import etree

from feeds.fetching import FetchResult
from feeds.models import Article, Feed
from feeds.polling.poller import Poller
from feeds.storage.drafts import NormalizingRules
from reader.models import Subscription
from reader.tasks.recurring import deliver_new
from tests import make
from tests.digests.editions import edition, entry, topic
from tests.digests.rendered import atom, entry_markup, letter
from tests.feeds.hostile_markup import VECTORS, Vector

pytestmark = pytest.mark.django_db
A_FEED = 40  # entries
OF_A_TECHNIQUE = 8
ADDRESSES = {"href", "src", "action", "formaction", "poster", "data", "srcset", "background", "cite"}
WITHIN_PAGES = ("/", "http://", "https://", "mailto:", "?", "#", "data:image/", "feed:")
NEVER = {"iframe", "object", "embed", "base", "frame", "frameset", "applet", "plaintext", "foreignobject", "math"}


def sampled_vectors() -> list[Vector]:
    """A sample of vectors of every technique."""
    by_technique: defaultdict[str, list[Vector]] = defaultdict(list)
    for vector in VECTORS:
        by_technique[vector.technique].append(vector)
    return [vector for found in by_technique.values() for vector in found[:: max(1, len(found) // OF_A_TECHNIQUE)]]


class Published(dict[str, bytes]):
    """The publishers' responses, by URL."""

    def fetch(self, url: str, *, etag: str = "", last_modified: str = "") -> FetchResult:
        return FetchResult(url=url, status=200, headers={"content-type": "application/rss+xml"}, body=self[url])


def feeds_of(user: User) -> list[int]:
    return list(Feed.objects.filter(subscriptions__user=user).values_list("pk", flat=True))


def document(vectors: list[Vector]) -> bytes:
    """An RSS feed with each vector in every field."""
    items = "".join(
        f"<item><guid isPermaLink='false'>{number}</guid><link>{escape(vector.markup)}</link>"
        f"<title>{escape(vector.markup)}</title><dc:creator>{escape(vector.markup)}</dc:creator>"
        f"<category>{escape(vector.markup)}</category><description>{escape(escape(vector.markup))}</description>"
        f"<enclosure url={quoteattr(vector.markup)} type={quoteattr(vector.markup)} length='1'/></item>"
        for number, vector in enumerate(vectors)
    )
    own = escape(vectors[0].markup)
    head = f"<title>{own}</title><link>{own}</link><description>{own}</description><language>{own}</language>"
    dc = "xmlns:dc='http://purl.org/dc/elements/1.1/'"
    return f"<rss version='2.0' {dc}><channel>{head}{items}</channel></rss>".encode("utf-8", "replace")


def active(page: str) -> list[str]:
    """Everything in a page that could run or load foreign content."""
    root = html5lib.parse(page, treebuilder="etree", namespaceHTMLElements=False)
    return [found for element in root.iter() if isinstance(element.tag, str) for found in _active(element)]


def _active(element: Element) -> Iterator[str]:
    tag = element.tag.rpartition("}")[2].lower()
    if tag in NEVER:
        yield tag
    if tag == "script" and not (element.get("src", "").startswith("/static/") or "json" in element.get("type", "")):
        yield f"script {element.attrib}"
    for name, value in element.attrib.items():
        if name.lower().startswith("on"):
            yield f"{tag} {name}"
        if name.rpartition("}")[2] in ADDRESSES and value and not value.strip().lower().startswith(WITHIN_PAGES):
            yield f"{tag} {name}={value}"


@pytest.fixture
def reader(db: None) -> User:
    """A user with all these articles."""
    user, vectors, published = make.user(), sampled_vectors(), Published()
    for start in range(0, len(vectors), A_FEED):
        feed = make.feed(next_poll_at=make.NOW - timedelta(days=1))
        published[feed.url] = document(vectors[start : start + A_FEED])
        make.subscription(user, feed)
    rules = NormalizingRules()
    Poller(published, rules=rules, concurrency=1, per_domain=1, clock=lambda: make.NOW).run(only=feeds_of(user))
    deliver_new()
    assert Article.objects.count() > len(vectors) * 0.8
    return user


@pytest.fixture
def visitor(reader: User) -> Client:
    client = Client()
    client.force_login(reader)
    return client


@pytest.mark.slow
def test_is_escaped_on_every_page(visitor: Client) -> None:
    pages = ["/all/", "/all/?show=newest", "/important/", "/for-you/", "/stories/", "/health/", "/folders/"]
    pages += ["/subscribe/", "/rules/new/", "/search/?q=window", "/habits/", "/interests/", "/feeds/duplicates/", "/"]
    for pk in Subscription.objects.values_list("pk", flat=True):
        pages += [f"/feeds/{pk}/", f"/feeds/{pk}/edit/", f"/feeds/{pk}/health/"]
    for pk in Article.objects.values_list("pk", flat=True):
        pages += [f"/articles/{pk}/", f"/articles/{pk}/why/"]
    for page in pages:
        response = visitor.get(page, follow=True)
        assert response.status_code == 200, page
        assert active(response.content.decode()) == [], page


def test_exported_list_contains_only_web_urls(visitor: Client) -> None:
    exported = etree.fromstring(visitor.get("/export.opml").content)
    outlines = [outline for outline in exported.iter("outline") if outline.get("xmlUrl")]
    assert len(outlines) == -(-len(sampled_vectors()) // A_FEED)
    for outline in outlines:
        for name in ("xmlUrl", "htmlUrl"):
            assert str(outline.get(name, "http://")).startswith(("http://", "https://"))
        plain = {name for name in outline.attrib if not str(name).startswith("{urn:rssmanager:opml}")}
        assert plain <= {"type", "text", "title", "xmlUrl", "htmlUrl", "description", "language"}


@pytest.mark.slow
def test_is_escaped_in_mail_and_digest_feed() -> None:
    vectors = sampled_vectors()
    for vector in vectors:
        says = vector.markup
        lead = entry(title=says, url=says, source=says, language=says)
        digest_edition = edition(topic(label=says, lead=lead, summary=says, category=says, sources=(says,)))
        for page in (letter(digest_edition).html, entry_markup(digest_edition)):
            assert active(page) == [], vector
        for element in etree.fromstring(atom(digest_edition)).iter():
            assert str(element.get("href", "http://")).startswith(("http://", "https://")), vector


@pytest.mark.parametrize(
    "page",
    [
        "<p onclick=x>y</p>",
        "<a href='javascript:x'>y</a>",
        "<script>x</script>",
        "<script src='//evil.example'></script>",
        "<svg><a xlink:href='javascript:x'>y</a></svg>",
        "<iframe></iframe>",
    ],
)
def test_finds_active_content(page: str) -> None:
    assert active(page) != []
