"""Feeds that lie about others: what they deliver under another publisher's URLs, and under others' guids."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from feeds.dedup.exact_policy import guid_for_reuse
from feeds.models import Article, Feed, Item, Pending, Revision, Source, Unindexed
from feeds.normalizing.canonical_url import absolute, canonical_url, url_key
from feeds.normalizing.draft import Draft
from feeds.normalizing.entry import FeedContext, normalize
from feeds.parsing.feed import ParsedEntry
from feeds.publishers.hosts import origin_of, publisher_of_link, speaks_for
from feeds.storage import ingest
from feeds.storage.ingest import Arrival, Stored, write
from tests import make
from tests.feeds.storing import plan
from tests.feeds.storing import store as store_drafts
from tests.make_draft import HARBOUR, LIBRARY, NOW, draft

pytestmark = pytest.mark.django_db

URL = "https://paper.example/a"
LATER = NOW + timedelta(hours=1)
LIE = draft(
    "lie",
    url=f"{URL}?utm_source=liar",
    title="Harbour for sale",
    text=f"{LIBRARY} {LIBRARY}",
    author="Ada",
    published_at=NOW + timedelta(hours=20),
    language="fr",
    categories=("Scandal",),
    media=(),
)
TRUTH = draft("truth", url=URL, title="Cranes come down", text=HARBOUR, author="Ben", categories=("Harbour",))
SHOWN = ("url", "title", "author", "published_at", "markup", "text", "summary", "language", "categories", "media")


@pytest.fixture
def paper() -> Feed:
    return make.feed("https://paper.example/feed.xml")


@pytest.fixture
def liar() -> Feed:
    return make.feed("https://liar.example/feed.xml")


def store(feed: Feed, *drafts: Draft, document_url: str = "", now: Any = NOW) -> Stored:
    return store_drafts(feed, drafts, now=now, document_url=document_url)


def shown_values(article: Article) -> dict[str, object]:
    return {name: getattr(article, name) for name in (*SHOWN, "feed_id", "source_id")}


def as_published(paper: Feed, entry: Draft) -> dict[str, object]:
    values = {name: getattr(entry, name) for name in SHOWN}
    lists = {"categories": list(entry.categories), "media": []}
    return values | lists | {"feed_id": paper.pk, "source_id": paper.source_id}


@pytest.mark.parametrize("liar_first", [True, False])
def test_publishers_version_wins_in_any_order(paper: Feed, liar: Feed, liar_first: bool) -> None:
    for feed, entry in ((liar, LIE), (paper, TRUTH)) if liar_first else ((paper, TRUTH), (liar, LIE)):
        store(feed, entry)
    article = Article.objects.get()
    assert shown_values(article) == as_published(paper, TRUTH)
    assert set(article.items.values_list("feed", flat=True)) == {paper.pk, liar.pk}


def test_impostor_is_credited_until_the_publisher_delivers(paper: Feed, liar: Feed) -> None:
    store(liar, LIE)
    assert Article.objects.get().source == liar.source
    store(paper, TRUTH, now=LATER)
    article = Article.objects.get()
    assert (article.source, article.reclaimed_at) == (paper.source, LATER)


def test_a_copy_of_title_and_text_does_not_keep_the_liars_links(paper: Feed, liar: Feed) -> None:
    trap = replace(TRUTH, guid="lie", markup=f'<p>{HARBOUR} <a href="https://liar.example/">more</a></p>', author="Eve")
    store(liar, trap)
    Article.objects.update(safe_html="<p>the liar's</p>", safe_version=99)
    store(paper, TRUTH)
    article = Article.objects.get()
    assert (shown_values(article), article.safe_html, article.safe_version) == (as_published(paper, TRUTH), "", 0)


def test_the_liars_text_is_no_earlier_version_of_the_publishers(paper: Feed, liar: Feed) -> None:
    store(liar, LIE)
    store(liar, replace(LIE, title="Harbour sold", content_hash=1))
    assert Revision.objects.count() == 1
    store(paper, TRUTH, now=LATER)
    assert (Revision.objects.count(), Article.objects.get().revised_at) == (0, None)


def test_a_reclaimed_article_is_matched_and_indexed_again(paper: Feed, liar: Feed) -> None:
    store(liar, LIE)
    Pending.objects.all().delete()
    Unindexed.objects.all().delete()
    store(paper, TRUTH)
    pk = Article.objects.get().pk
    assert list(Pending.objects.values_list("article", flat=True)) == [pk]
    assert list(Unindexed.objects.values_list("article", flat=True)) == [pk]


def test_the_liar_cannot_revise_what_the_publisher_delivered(paper: Feed, liar: Feed) -> None:
    store(liar, LIE)
    store(paper, TRUTH)
    before = shown_values(Article.objects.get())
    store(liar, replace(LIE, text=LIBRARY * 40, word_count=4000, content_hash=2))
    Article.objects.update(feed=None)  # the publisher has no followers left
    store(liar, replace(LIE, text=LIBRARY * 50, word_count=5000, content_hash=3))
    assert shown_values(Article.objects.get()) == before | {"feed_id": None}
    assert Revision.objects.count() == 0


def test_earlier_plan_of_an_impostor_changes_nothing(paper: Feed, liar: Feed) -> None:
    other = make.feed("https://other.example/feed.xml")
    store(other, replace(LIE, guid="o", text="Short.", word_count=1, content_hash=9))
    planned = plan(liar, [LIE], now=NOW)
    store(paper, TRUTH)
    write([planned])
    assert shown_values(Article.objects.get()) == as_published(paper, TRUTH)


def test_the_publisher_revises_what_it_reclaimed(paper: Feed, liar: Feed) -> None:
    store(liar, LIE)
    store(paper, TRUTH)
    store(paper, replace(TRUTH, title="Cranes came down", content_hash=4), now=LATER)
    article = Article.objects.get()
    assert (article.title, article.revisions.get().title, article.source) == (
        "Cranes came down",
        "Cranes come down",
        paper.source,
    )


def test_keeps_the_fuller_version_of_two_aggregators(liar: Feed) -> None:
    other = make.feed("https://planet.example/feed.xml")
    store(liar, TRUTH)
    store(other, replace(LIE, guid="p"))
    article = Article.objects.get()
    assert (article.title, article.source, article.reclaimed_at) == ("Harbour for sale", other.source, None)


def test_open_redirect_does_not_make_a_publisher(paper: Feed) -> None:
    open_redirect = make.feed("https://paper.example/out?to=liar", source=paper.source)
    store(open_redirect, LIE, document_url="https://liar.example/feed.xml")
    assert Article.objects.get().source == Source.objects.get(domain="liar.example")
    store(paper, TRUTH)
    assert shown_values(Article.objects.get()) == as_published(paper, TRUTH)


def test_publisher_found_by_redirect_is_the_publisher(liar: Feed, paper: Feed) -> None:
    store(liar, TRUTH, document_url="https://www.paper.example/feed.xml")
    assert Article.objects.get().source == paper.source


@pytest.mark.parametrize("url", ["https://liar.example/mine", ""], ids=["its own link", "no link"])
def test_foreign_url_does_not_become_the_impostors_own(paper: Feed, liar: Feed, url: str) -> None:
    """The liar changes the link of its entry to an own one, so that its claim would pass for the publisher's."""
    store(liar, LIE)
    mine = draft("lie", url=url, title=LIE.title, text=f"{LIE.text} Now longer.", domain="liar.example")
    store(liar, mine, now=LATER)
    assert Article.objects.get(url=LIE.url).title == "Harbour for sale"
    store(paper, TRUTH)
    assert shown_values(Article.objects.get(url=URL)) == as_published(paper, TRUTH)
    assert Article.objects.exclude(url=URL).get().source == liar.source


def test_impostors_articles_under_foreign_urls_are_its_own(liar: Feed) -> None:
    claimed = [draft(f"g{n}", url=f"https://paper{n}.example/a", title=f"Claim {n}") for n in range(1000)]
    store(liar, *claimed)
    assert set(Article.objects.values_list("source__domain", flat=True)) == {"liar.example"}
    assert not Source.objects.filter(domain__startswith="paper").exists()
    paper = make.feed("https://paper7.example/feed.xml")
    store(paper, replace(TRUTH, url="https://paper7.example/a", page_key=claimed[7].page_key, domain="paper7.example"))
    assert Article.objects.get(url="https://paper7.example/a").title == "Cranes come down"


@pytest.mark.parametrize(
    ("feed", "document", "origin"),
    [
        ("paper.example", "", "paper.example"),
        ("paper.example", "https://www.paper.example/feed", "paper.example"),
        ("paper.example", "https://liar.example/feed", "liar.example"),
        ("liar.example", "https://paper.example/feed", "paper.example"),
        ("paper.example", "https://feeds.feedburner.com/paper", "paper.example"),
        ("feedburner.com", "https://feeds.feedburner.com/paper", "feedburner.com"),
        ("paper.example", "https://feedburner.com.liar.example/paper", "liar.example"),
    ],
)
def test_document_origin_is_its_final_url(feed: str, document: str, origin: str) -> None:
    assert origin_of(f"https://{feed}/", document) == origin


@pytest.mark.parametrize(
    ("origin", "domain", "speaks"),
    [
        ("bbci.co.uk", "bbc.co.uk", True),
        ("bbci.co.uk", "bbc.com", True),
        ("bbc.co.uk", "bbci.co.uk", True),
        ("bbci.co.uk", "paper.example", False),
        ("feedburner.com", "paper.example", False),
        ("alice.github.io", "bob.github.io", False),
        ("", "", True),
    ],
)
def test_hosts_of_feeds_speak_for_their_publishers_alone(origin: str, domain: str, speaks: bool) -> None:
    assert speaks_for(origin, domain) is speaks


@pytest.mark.parametrize(
    ("url", "domain"),
    [
        ("https://paper.example@liar.example/a", "liar.example"),
        ("https://paper.example:443@liar.example/a", "liar.example"),
        ("https://paper.example%2fa@liar.example/a", "liar.example"),
        ("https://paper.example.liar.example/a", "liar.example"),
        ("https://liar.example\\@paper.example/a", "liar.example"),
        ("https://liar.example/#@paper.example/a", "liar.example"),
        ("https://liar.example/amp?url=https://paper.example/a", "liar.example"),
        ("https://liar.example/url?q=https://paper.example/a", "liar.example"),
        ("https://www.google.com.liar.example/url?q=https://paper.example/a", "liar.example"),
        ("https://pаper.example/a", "xn--pper-53d.example"),
        ("https://paper.example。liar.example/a", "liar.example"),
        ("https://ⓟaper.example/a", "paper.example"),
        ("https://amp.paper.example/a", "paper.example"),
        ("https://www.google.com/amp/s/paper.example/a", "paper.example"),
    ],
)
def test_a_url_is_the_publishers_only_where_it_leads_there(url: str, domain: str) -> None:
    """What a wrapper leads to is the publisher's page, so that only the publisher's own feed owns its key."""
    published = absolute("https://liar.example/feed.xml", url)
    assert publisher_of_link(published, canonical_url(published)) == domain
    is_same_page = url_key(published) == url_key(URL)
    assert is_same_page is (domain == "paper.example")


def test_guids_of_another_feed_change_nothing_in_it(paper: Feed, liar: Feed) -> None:
    store(paper, TRUTH)
    before = shown_values(Article.objects.get())
    own = draft("truth", url="https://liar.example/a", title="Harbour for sale", text=LIBRARY)
    store(liar, own, replace(own, guid=TRUTH.url_key.hex()), replace(own, guid=URL))
    assert shown_values(Article.objects.get(feed=paper)) == before
    assert list(Item.objects.filter(feed=paper).values_list("guid", "article__title")) == [("truth", TRUTH.title)]
    assert Item.objects.filter(feed=liar).count() == 3


def entry(guid: str, link: str = "https://liar.example/a", title: str = "Harbour") -> Draft:
    parsed = ParsedEntry(guid=guid, link=link, title=title, markup=f"<p>{HARBOUR}</p>")
    draft = normalize(parsed, feed=FeedContext(url="https://liar.example/feed.xml"), now=NOW)
    assert draft is not None
    return draft


def test_a_guid_of_any_size_and_content_is_stored(liar: Feed) -> None:
    long = ["g" * 10_000_000 + last for last in ("a", "b")]
    guids = [*long, "a\0b", "\0", "\ud800", "‮guid", "%00", "'; DROP TABLE feeds_item; --"]
    drafts = [entry(guid, f"https://liar.example/{n}") for n, guid in enumerate(guids)]
    assert store(liar, *drafts).n_new == len(guids)
    stored = set(Item.objects.values_list("guid", flat=True))
    assert (len(stored), max(map(len, stored)) <= 255) == (len(guids), True)


def test_forged_short_guid_joins_no_other_feed(paper: Feed, liar: Feed) -> None:
    shortened = entry("g" * 300).guid
    store(paper, replace(TRUTH, guid=shortened))
    store(liar, entry(shortened), entry(guid_for_reuse(shortened, TRUTH.content_hash), "https://liar.example/b"))
    assert list(Item.objects.filter(feed=paper).values_list("guid", "article__title")) == [(shortened, TRUTH.title)]
    assert Article.objects.get(feed=paper).title == TRUTH.title


def test_repeated_guid_is_one_item_unless_another_article(liar: Feed) -> None:
    store(liar, entry("g"), entry("g"), draft("g", url="https://liar.example/b", title="Library", text=LIBRARY))
    assert sorted(Item.objects.values_list("article__title", flat=True)) == ["Harbour", "Library"]


def test_entries_without_a_link_belong_to_their_feed(paper: Feed, liar: Feed) -> None:
    parsed = ParsedEntry(guid="1", title="Cranes", markup=f"<p>{HARBOUR}</p>")
    for feed in (paper, liar):
        entry = normalize(parsed, feed=FeedContext(url=feed.url), now=NOW)
        assert entry is not None
        store(feed, entry, document_url=feed.url)
    assert Article.objects.count() == 2


@pytest.mark.parametrize("liar_first", [True, False], ids=["first", "later"])
def test_a_feed_that_claims_a_publisher_lends_nothing_to_others(liar_first: bool) -> None:
    """Its version, however long, doesn't replace that of another feed, which is credited to itself."""
    bbc = make.source("bbc.co.uk", name="BBC News", tier=2)
    page = "https://www.bbc.co.uk/news/1"
    liar, planet = make.feed("https://liar.example/feed"), make.feed("https://planet.example/feed")
    lie = draft("lie", url=page, text=LIBRARY * 9, domain="bbc.co.uk")
    honest = draft("honest", url=page, text="A short excerpt.", domain="bbc.co.uk")

    def arrive(feed: Feed, entry: Draft, site: str) -> None:
        arrival = Arrival(feed, [entry], NOW, site_url=site)
        write([ingest.plan(arrival, ingest.look_up([arrival]))])

    steps = [(liar, lie, "https://www.bbc.co.uk/"), (planet, honest, "https://planet.example/")]
    for feed, entry, site in steps if liar_first else reversed(steps):
        arrive(feed, entry, site)
    assert liar.publisher == bbc
    article = Article.objects.get()
    assert (article.text, article.source, article.feed) == ("A short excerpt.", planet.source, planet)
