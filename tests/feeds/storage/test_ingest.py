"""Storing drafts: layers 1 and 2 of deduplication and the rows they write."""

import itertools
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from feeds.dedup.exact_policy import guid_for_reuse
from feeds.dedup.rates import Rate
from feeds.models import Article, Feed, Item, Pending, Revision
from feeds.normalizing.draft import Draft
from feeds.storage.ingest import Stored, write
from tests import make
from tests.feeds.storing import plan, store
from tests.make_draft import HARBOUR, LIBRARY, NOW, content_hash, draft

pytestmark = [pytest.mark.django_db, pytest.mark.vendor]


@pytest.fixture
def paper() -> Feed:
    return make.feed("https://paper.example/feed.xml")


@pytest.fixture
def aggregator() -> Feed:
    return make.feed("https://aggregator.example/feed.xml")


def titles() -> list[str]:
    return sorted(Article.objects.values_list("title", flat=True))


def test_stores_a_new_entry_as_article_and_item(paper: Feed) -> None:
    stored = store(paper, [draft(title="Cranes come down", author="Ada", categories=("Harbour",))], now=NOW)
    item = Item.objects.get()
    assert stored == Stored(n_new=1, newest_item_id=item.pk)
    assert (item.feed, item.guid, item.disposition, item.layer) == (paper, "g1", "unique", "")
    article = item.article
    assert (article.title, article.author, article.categories) == ("Cranes come down", "Ada", ["Harbour"])
    assert (article.source, article.feed, article.link) == (paper.source, paper, "https://paper.example/a")


def test_the_same_drafts_again_change_nothing(paper: Feed) -> None:
    drafts = [draft("g1", url="https://paper.example/a"), draft("g2", url="https://paper.example/b", text=LIBRARY)]
    store(paper, drafts, now=NOW)
    before = list(Article.objects.order_by("pk").values()), list(Item.objects.order_by("pk").values())
    assert store(paper, drafts, now=NOW + timedelta(hours=1)) == Stored(n_duplicates=2)
    assert (list(Article.objects.order_by("pk").values()), list(Item.objects.order_by("pk").values())) == before


def test_no_drafts_cost_no_query(paper: Feed, django_assert_num_queries: object) -> None:
    with django_assert_num_queries(0):  # type: ignore[operator]
        assert store(paper, [], now=NOW) == Stored()


@pytest.mark.parametrize("n_entries", [1, 30], ids=["one", "thirty"])
def test_query_count_does_not_grow_with_entries(paper: Feed, n_entries: int, django_assert_num_queries: object) -> None:
    drafts = [draft(f"g{n}", url=f"https://paper.example/{n}", title=f"Title {n}") for n in range(n_entries)]
    with django_assert_num_queries(8):  # type: ignore[operator]
        store(paper, drafts, now=NOW)


def test_the_same_page_in_another_feed_is_the_same_article(paper: Feed, aggregator: Feed) -> None:
    store(paper, [draft("g1", url="https://paper.example/a")], now=NOW)
    stored = store(aggregator, [draft("other", url="http://www.paper.example/a?utm_source=x")], now=NOW)
    assert (stored.n_new, stored.n_duplicates) == (0, 1)
    article = Article.objects.get()
    assert [(i.feed, i.disposition, i.layer) for i in article.items.order_by("pk")] == [
        (paper, "unique", ""),
        (aggregator, "exact_duplicate", "url"),
    ]


def test_keeps_the_fuller_version_in_any_order(aggregator: Feed) -> None:
    other = make.feed("https://digest.example/feed.xml")
    short = draft("g1", text="Cranes come down.", title="Cranes")
    full = draft("g2", title="Cranes")
    for first, second in itertools.permutations([(aggregator, short), (other, full)]):
        Article.objects.all().delete()
        store(first[0], [first[1]], now=NOW)
        store(second[0], [second[1]], now=NOW)
        article = Article.objects.get()
        assert (article.text, article.feed) == (HARBOUR, other)
        assert article.revised_at is None
    assert not Revision.objects.exists()


def test_another_publisher_cannot_replace_the_text(paper: Feed, aggregator: Feed) -> None:
    store(paper, [draft("g1")], now=NOW)
    store(aggregator, [draft("x", text=HARBOUR + " And here is something it never said, at length.")], now=NOW)
    assert Article.objects.get().text == HARBOUR


def test_the_pages_own_feed_takes_over_from_another(paper: Feed, aggregator: Feed) -> None:
    store(aggregator, [draft("x", text=HARBOUR + " And here is something it never said, at length.")], now=NOW)
    store(paper, [draft("g1")], now=NOW)
    article = Article.objects.get()
    assert (article.text, article.feed) == (HARBOUR, paper)


def test_changed_entry_becomes_a_revision(paper: Feed) -> None:
    store(paper, [draft(title="Cranes come down")], now=NOW)
    Article.objects.update(safe_html="<p>old</p>", safe_version=1)
    later = NOW + timedelta(hours=2)
    changed = draft(title="Cranes come down next week", text=HARBOUR + " Work begins on Monday.")
    assert store(paper, [changed], now=later) == Stored(n_revised=1)
    article = Article.objects.get()
    assert (article.title, article.revised_at, article.safe_version) == ("Cranes come down next week", later, 0)
    revision = Revision.objects.get()
    assert (revision.title, revision.text, revision.replaced_at) == ("Cranes come down", HARBOUR, later)
    item = Item.objects.get()
    assert (item.disposition, item.layer, item.content_hash) == ("revision", "guid", changed.content_hash)


def test_a_revision_keeps_its_place_in_time(paper: Feed) -> None:
    store(paper, [draft(published_at=NOW)], now=NOW)
    store(paper, [draft(title="Changed", published_at=NOW + timedelta(hours=5))], now=NOW)
    assert Article.objects.get().published_at == NOW


def test_a_revision_brings_a_certain_date(paper: Feed) -> None:
    store(paper, [draft(published_at=NOW, date_uncertain=True)], now=NOW)
    certain = NOW - timedelta(days=1)
    store(paper, [draft(title="Changed", published_at=certain)], now=NOW)
    article = Article.objects.get()
    assert (article.published_at, article.date_uncertain) == (certain, False)


def test_changed_short_copy_keeps_the_fuller_version(paper: Feed, aggregator: Feed) -> None:
    teaser = draft("t", text="Cranes come down…")
    store(aggregator, [teaser], now=NOW)
    store(paper, [draft("g1")], now=NOW)
    changed = replace(
        teaser, text="Cranes come down soon…", content_hash=content_hash(teaser.title, "soon"), word_count=4
    )
    stored = store(aggregator, [changed], now=NOW)
    assert stored.n_revised == 1
    assert Article.objects.get().text == HARBOUR
    assert not Revision.objects.exists()
    assert "another feed has the fuller version" in Item.objects.get(feed=aggregator).evidence


def test_a_guid_reused_for_different_content_is_a_new_article(paper: Feed) -> None:
    store(paper, [draft("latest", url="https://paper.example/a", title="Cranes come down")], now=NOW)
    second = draft("latest", url="https://paper.example/b", title="New library opened", text=LIBRARY)
    for _ in range(2):  # storing it again changes nothing
        store(paper, [second], now=NOW)
    assert titles() == ["Cranes come down", "New library opened"]
    item = Item.objects.get(guid=guid_for_reuse("latest", second.content_hash))
    assert (item.disposition, item.evidence) == ("unique", "guid reused for different content")


def test_detects_reused_guids_without_links(paper: Feed) -> None:
    first = draft("latest", url="", title="Cranes come down")
    second = draft("latest", url="", title="New library opened", text=LIBRARY)
    store(paper, [first], now=NOW)
    store(paper, [second], now=NOW)
    store(paper, [first, second], now=NOW)
    assert titles() == ["Cranes come down", "New library opened"]


def test_one_guid_for_all_entries_of_a_document(paper: Feed) -> None:
    first = draft("0", url="https://paper.example/a", title="Cranes come down")
    second = draft("0", url="https://paper.example/b", title="New library opened", text=LIBRARY)
    assert store(paper, [first, second], now=NOW).n_new == 2
    assert store(paper, [second, first], now=NOW) == Stored(n_duplicates=2)
    assert titles() == ["Cranes come down", "New library opened"]


def test_an_entry_twice_in_one_document_is_one_item(paper: Feed) -> None:
    assert store(paper, [draft(), draft()], now=NOW).n_new == 1
    assert Item.objects.count() == 1


def test_one_page_under_two_guids_in_one_document_is_two_articles(paper: Feed) -> None:
    short, full = draft("a", title="Cranes", text="Cranes come down."), draft("b", title="Cranes")
    assert store(paper, [short, full], now=NOW).n_new == 2
    assert store(paper, [full, short], now=NOW) == Stored(n_duplicates=2)


def test_the_same_guid_in_two_feeds_is_two_articles(paper: Feed, aggregator: Feed) -> None:
    store(paper, [draft("1", url="https://paper.example/a")], now=NOW)
    store(aggregator, [draft("1", url="https://aggregator.example/z", text=LIBRARY)], now=NOW)
    assert Article.objects.count() == 2


def test_an_article_is_credited_to_the_feed_that_delivered_it(aggregator: Feed) -> None:
    store(aggregator, [draft("x", url="https://news.elsewhere.example/a")], now=NOW)
    article = Article.objects.get()
    assert (article.source, article.domain) == (aggregator.source, "elsewhere.example")


def test_merges_with_an_article_stored_concurrently(paper: Feed, aggregator: Feed) -> None:
    """The other worker commits after we looked and before we write."""
    planned = plan(aggregator, [draft("x")], now=NOW)
    store(paper, [draft("g1")], now=NOW)
    (stored,) = write([planned])
    assert (stored.n_new, stored.n_duplicates) == (0, 1)
    assert Article.objects.get().items.count() == 2


PAGE = "https://paper.example/post"
POST = draft("post", url=PAGE, title="Cranes come down")
COMMENT = draft("c1", url=f"{PAGE}#comment-1", title="By: Ada", text=LIBRARY)
REPLY = draft("c2", url=f"{PAGE}#comment-2", title="By: Ada", text="Has anybody asked what a museum would pay for it?")


@pytest.mark.parametrize(
    "order", list(itertools.permutations((POST, COMMENT, REPLY))), ids=lambda o: "-".join(d.guid for d in o)
)
def test_a_post_and_its_comments_are_articles_of_their_own(
    paper: Feed, aggregator: Feed, order: tuple[Draft, ...]
) -> None:
    """Delivered one after another by polls, then in reverse order by another feed with other guids."""
    for entry in order:
        assert store(paper, [entry], now=NOW).n_new == 1
    assert store(paper, [POST, COMMENT, REPLY], now=NOW) == Stored(n_duplicates=3)
    copies = [replace(entry, guid=f"copy of {entry.guid}") for entry in reversed(order)]
    assert plan(aggregator, copies, now=NOW).articles == {}
    assert store(aggregator, copies, now=NOW).n_duplicates == 3
    assert store(aggregator, copies, now=NOW) == Stored(n_duplicates=3)
    pairs = Item.objects.filter(feed=aggregator).values_list("guid", "article__url", "article__text")
    assert {guid: (url, text) for guid, url, text in pairs} == {copy.guid: (copy.url, copy.text) for copy in copies}
    assert Article.objects.count() == 3


def test_a_comment_has_evidence(paper: Feed) -> None:
    store(paper, [POST, COMMENT], now=NOW)
    items = Item.objects.order_by("pk").values_list("disposition", "layer", "evidence")
    assert list(items) == [("unique", "", ""), ("unique", "url", "another part of the same page")]


def test_a_single_page_blog_without_guids_keeps_all_its_entries(paper: Feed) -> None:
    entries = [replace(draft, guid=PAGE, published_guid="") for draft in (POST, COMMENT, REPLY)]
    text = "Fog kept all boats in port until noon."
    newest = draft(PAGE, url=f"{PAGE}#org4", title="Ferry delayed", text=text, published_guid="")
    assert store(paper, entries, now=NOW).n_new == 3
    assert store(paper, [newest, *reversed(entries)], now=NOW).n_new == 1
    assert store(paper, [newest, *entries], now=NOW) == Stored(n_duplicates=4)
    assert titles() == ["By: Ada", "By: Ada", "Cranes come down", "Ferry delayed"]


def test_an_anchor_with_the_same_text_is_the_same_article(paper: Feed, aggregator: Feed) -> None:
    store(paper, [POST], now=NOW)
    anchored = replace(POST, guid="x", url=f"{PAGE}?utm_source=x#read-2")
    assert store(aggregator, [anchored], now=NOW).n_duplicates == 1
    assert Article.objects.count() == 1


def test_an_edited_comment_is_a_revision(paper: Feed) -> None:
    store(paper, [POST, COMMENT], now=NOW)
    edited = draft("c1", url=COMMENT.url, title="Removed", text="By its author.")
    assert store(paper, [edited], now=NOW) == Stored(n_revised=1)
    assert titles() == ["Cranes come down", "Removed"]


@pytest.mark.parametrize("n_comments", [1, 30], ids=["one", "thirty"])
def test_query_count_does_not_grow_with_comments(
    paper: Feed, n_comments: int, django_assert_num_queries: object
) -> None:
    texts = ["".join(chr(0x4E00 + 20 * n + k) for k in range(20)) for n in range(n_comments)]
    comments = [draft(f"c{n}", url=f"{PAGE}#comment-{n}", text=text) for n, text in enumerate(texts)]
    with django_assert_num_queries(8):  # type: ignore[operator]
        assert store(paper, [POST, *comments], now=NOW).n_new == n_comments + 1


def test_concurrent_comment_is_not_merged_with_the_post(paper: Feed, aggregator: Feed) -> None:
    """The other worker takes the page's key for the comment after we looked and before we write the post."""
    planned = plan(aggregator, [replace(POST, guid="x")], now=NOW)
    store(paper, [COMMENT], now=NOW)
    assert write([planned])[0].n_new == 1
    assert Item.objects.get(feed=aggregator).article.text == POST.text
    assert store(paper, [POST], now=NOW).n_duplicates == 1
    assert titles() == ["By: Ada", "Cranes come down"]


@pytest.mark.parametrize(
    ("url", "link"),
    [
        pytest.param("https://paper.example/a", "https://paper.example/a", id="as-published"),
        pytest.param("https://paper.example/a?utm_source=x", "https://paper.example/a", id="without-trackers"),
        pytest.param("https://paper.example/a?utm_source=x#c7", "https://paper.example/a#c7", id="at-its-place"),
        pytest.param("https://paper.example/#/a", "https://paper.example/#/a", id="route"),
    ],
)
def test_the_link_opens_where_the_feed_pointed(paper: Feed, url: str, link: str) -> None:
    store(paper, [draft(url=url)], now=NOW)
    assert Article.objects.get().link == link


SMALL = Rate(a_day=3, at_first=2)


def offer(feed: Feed, names: str, *, now: datetime = NOW, text: str = HARBOUR) -> None:
    """Deliver an entry for each name from this feed, at a low rate."""
    drafts = [draft(name, url=f"https://paper.example/{name}", title=f"Entry {name}", text=text) for name in names]
    store(feed, drafts, now=now, rate=SMALL)
    feed.last_success_at = now  # as the poll's record says


def waiting() -> str:
    return "".join(sorted(url[-1] for url in Pending.objects.values_list("article__url", flat=True)))


def unmatched() -> str:
    return "".join(sorted(url[-1] for url in Article.objects.filter(is_unmatched=True).values_list("url", flat=True)))


def test_entries_beyond_the_rate_are_not_matched(paper: Feed) -> None:
    offer(paper, "abcd")
    assert (waiting(), unmatched(), Item.objects.count()) == ("ab", "cd", 4)
    assert (paper.overrun_at, paper.overrun_articles, paper.overrun_compared) == (NOW, 4, 2)
    offer(paper, "ef", now=NOW + timedelta(hours=1))  # the first poll does not count
    offer(paper, "gh", now=NOW + timedelta(hours=2))
    assert (waiting(), unmatched(), Item.objects.count()) == ("abefg", "cdh", 8)
    assert (paper.overrun_at, paper.overrun_articles, paper.overrun_compared) == (NOW + timedelta(hours=2), 4, 3)
    offer(paper, "i", now=NOW + timedelta(hours=26))
    assert (waiting(), unmatched()) == ("abefgi", "cdh")


def test_a_feed_within_its_rate_is_not_reported(paper: Feed) -> None:
    offer(paper, "ab")
    offer(paper, "cde")
    assert (waiting(), unmatched(), paper.overrun_at) == ("abcde", "", None)


def test_rewritten_too_often_loses_its_links(paper: Feed) -> None:
    offer(paper, "ab")
    Pending.objects.all().delete()
    for hour, text in enumerate((LIBRARY, HARBOUR + LIBRARY)):
        offer(paper, "ab", now=NOW + timedelta(hours=hour), text=text)
    assert (waiting(), unmatched()) == ("ab", "b")


def test_another_feed_gets_articles_matched_beyond_the_rate(paper: Feed, aggregator: Feed) -> None:
    offer(paper, "abcd")
    offer(aggregator, "d")
    assert (waiting(), unmatched()) == ("abd", "c")
