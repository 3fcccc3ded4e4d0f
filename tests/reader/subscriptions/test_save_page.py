"""Saved pages: one user's own, kept until removed, and nothing to anybody else."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from hypothesis import given
from hypothesis import strategies as st

from digests.assembly.window import Window, load_window
from feeds.content.extract import PageText
from feeds.content.fetch_pages import fetch_one
from feeds.content.full_text_queue import waiting
from feeds.content.sanitized import safe_html
from feeds.content.saved_copies import fill_saved_copy
from feeds.discovery.feed_address import InvalidAddress
from feeds.fetching import Fetcher, FetchLimits
from feeds.models import Article, Feed, FeedStatus, FullText, Item, Pending
from feeds.normalizing.canonical_url import url_key
from feeds.search.indexer import index_waiting
from reader.access import visible_articles
from reader.articles.actions import star_article
from reader.articles.saved_items import saved_items, saved_pages_of
from reader.lists.queries import all_of, page_of, row_of
from reader.lists.sidebar import sidebar_of
from reader.models import ArticleState, Delivery, PendingState, Subscription
from reader.search.parser import parse
from reader.search.related import related_to
from reader.search.run import search
from reader.subscriptions.delivery import deliver
from reader.subscriptions.duplicates import find_for
from reader.subscriptions.filters import Which, chosen
from reader.subscriptions.follow import feeds_for
from reader.subscriptions.importer import import_file
from reader.subscriptions.opml_export import export_list
from reader.subscriptions.purge import purge, purge_due
from reader.subscriptions.save_page import delete_removed, put_back, read_shared, remove_page, save_page
from reader.subscriptions.unfollow import unfollow
from tests import make
from tests.feeds.servers import ScriptedServer, answer

NOW = make.NOW
URL = "https://paper.example/lighthouse?utm_source=phone"
KEY = url_key("https://paper.example/lighthouse")
HTML = "text/html; charset=utf-8"
WORDS = "The quixotic keeper of the lighthouse counted every ship that passed in the night. " * 6
PAGE = f"""<html><head><title>The keeper of the lighthouse</title><meta name="author" content="Ada Miller"></head>
<body><article><h1>The keeper of the lighthouse</h1><p>{WORDS}</p><p>{WORDS}</p>
<script>steal()</script><img src="x" onerror="steal()"></article></body></html>"""


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    server = ScriptedServer()
    yield server
    server.close()


@pytest.fixture
def fetcher() -> Iterator[Fetcher]:
    fetcher = Fetcher(FetchLimits(allow_private_networks=True), user_agent="t", wait=lambda seconds: None)
    yield fetcher
    fetcher.close()


def saved(user: User, url: str = URL, **values: str) -> Article:
    return save_page(user, url, now=NOW, **values)[0]


def delivered_article(user: User, **values: object) -> Article:
    """An article at the same address, delivered by a feed that the user follows."""
    feed = make.feed()
    article = make.article(feed=feed, url=URL, url_key=KEY, title="As the feed has it", **values)
    make.delivery(make.subscription(user, feed), article)
    return article


def found(user: User, words: str) -> set[int]:
    index_waiting()
    return {row.article.pk for row in search(user, parse(words, today=NOW.date()).tree, now=NOW).page.rows}


@pytest.mark.django_db
class TestSaving:
    def test_is_listed_at_once_and_counted_as_unread(self) -> None:
        user = make.user()
        article, is_new = save_page(user, URL, title="A keeper", now=NOW)
        own = saved_pages_of(user, now=NOW)
        assert (is_new, article.title, article.url) == (True, "A keeper", URL)
        assert (own.shown_title, own.unread_count, own.feed.url, own.feed.status) == ("Saved pages", 1, "", "saved")
        [row] = page_of(user, all_of(user), None, now=NOW).rows
        assert (row.article.pk, row.source, row.is_saved, row.also_in) == (article.pk, "paper.example", True, ())
        assert list(waiting(NOW).values_list("article", flat=True)) == [article.pk]

    def test_without_a_title_is_named_by_its_address(self) -> None:
        assert saved(make.user(), "paper.example/a").title == "paper.example/a"

    def test_twice_is_one_page(self) -> None:
        user = make.user()
        first = saved(user)
        assert save_page(user, "http://www.paper.example/lighthouse", now=NOW) == (first, False)
        assert (saved_items(user).count(), Delivery.objects.count(), FullText.objects.count()) == (1, 1, 1)

    def test_what_the_page_says_becomes_the_article(self, server: ScriptedServer, fetcher: Fetcher) -> None:
        user = make.user()
        article = saved(user, server.on("/a", answer(200, PAGE.encode(), content_type=HTML)), title="Shared")
        assert fetch_one(fetcher, article.pk, now=NOW)
        article.refresh_from_db()
        assert (article.title, article.author) == ("The keeper of the lighthouse", "Ada Miller")
        assert (article.language, article.word_count > 80, article.summary[:12]) == ("en", True, "The quixotic")
        assert "steal" not in safe_html(article)
        assert found(user, "quixotic") == {article.pk}
        assert FullText.objects.get().has_text is False  # kept once

    @pytest.mark.parametrize(
        ("script", "reason"),
        [
            pytest.param(answer(401, b"", content_type=HTML), "requires signing in", id="login"),
            pytest.param(answer(200, b"%PDF", content_type="application/pdf"), "application/pdf", id="a file"),
            pytest.param(answer(200, b"<" * 70_000, content_type=HTML), "too large", id="too large"),
            pytest.param(answer(200, b"<p>No.</p>", content_type=HTML), "No article found", id="no text"),
        ],
    )
    def test_failure_keeps_the_link_and_its_reason(
        self, server: ScriptedServer, fetcher: Fetcher, script: bytes, reason: str
    ) -> None:
        user = make.user()
        article = saved(user, server.on("/a", script), title="Shared")
        fetch_one(fetcher, article.pk, now=NOW)
        full_text = FullText.objects.get()
        assert (full_text.status, reason in full_text.error) == ("failed", True)
        assert Article.objects.get().title == "Shared"
        save_page(user, article.url, now=NOW + timedelta(minutes=5))
        assert FullText.objects.get().status == "waiting"  # saving again tries again

    def test_private_addresses_are_never_fetched(self, server: ScriptedServer) -> None:
        article = saved(make.user(), server.on("/a", answer(200, PAGE.encode(), content_type=HTML)))
        strict = Fetcher(FetchLimits(), user_agent="t", wait=lambda seconds: None)
        fetch_one(strict, article.pk, now=NOW)
        strict.close()
        assert (FullText.objects.get().status, server.requests, Article.objects.get().text) == ("failed", [], "")

    def test_killed_worker_loses_nothing(self, server: ScriptedServer, fetcher: Fetcher) -> None:
        article = saved(make.user(), server.on("/a", answer(200, PAGE.encode(), content_type=HTML)))
        FullText.objects.update(status="fetching", claimed_at=NOW)  # and then it was killed
        assert not fetch_one(fetcher, article.pk, now=NOW)
        assert fetch_one(fetcher, article.pk, now=NOW + timedelta(minutes=5))
        assert "quixotic" in Article.objects.get().text

    @pytest.mark.parametrize(
        "address",
        ["", "javascript:alert(1)", "javascript://x/%0aalert(1)", "file:///etc/passwd", "ftp://paper.example/",
         "data:text/html,x", "https://", "https://a b/", "exec:rm", "https://paper.example:port/"],
    )  # fmt: skip
    def test_refuses_what_is_no_web_page(self, address: str) -> None:
        with pytest.raises(InvalidAddress):
            saved(make.user(), address)
        assert (Article.objects.count(), Item.objects.count()) == (0, 0)

    def test_drops_credentials(self) -> None:
        assert saved(make.user(), "https://ada:secret@paper.example/a").url == "https://paper.example/a"


@pytest.mark.django_db
class TestKnownArticles:
    def test_article_of_a_followed_feed_is_the_same_article(self) -> None:
        user = make.user()
        article = delivered_article(user)
        assert save_page(user, URL, title="Shared", now=NOW) == (article, True)
        article.refresh_from_db()
        assert (Article.objects.count(), article.title) == (1, "As the feed has it")
        [row] = page_of(user, all_of(user), None, now=NOW).rows
        assert (row.is_saved, row.also_in) == (True, ())

    def test_feed_that_delivers_it_later_takes_over(self) -> None:
        user = make.user()
        copy = saved(user)
        copy.refresh_from_db()
        fill_saved_copy(Article.objects.select_related("feed").get(), PageText("<p>All</p>", "All", 1, 5), base_url=URL)
        FullText.objects.update(status="done", fetched_at=NOW)
        star_article(user, copy, is_starred=True, now=NOW)
        feed = make.feed()
        make.subscription(user, feed)
        article = make.article(feed=feed, url=URL, url_key=KEY)
        make.item(feed, article)
        deliver()
        deliver()
        assert list(Article.objects.all()) == [article]
        assert (article.states.get().is_starred, saved_items(user).get().article_id) == (True, article.pk)
        assert (article.full_text.text, PendingState.objects.count()) == ("All", 0)
        assert saved_pages_of(user, now=NOW).unread_count == 1

    def test_is_kept_when_its_feed_expires(self) -> None:
        user = make.user()
        article = delivered_article(user)
        saved(user)
        Item.objects.update(first_seen_at=NOW - timedelta(days=900))
        ours, theirs = Feed.objects.get(status="saved"), article.feed
        theirs.keep_days = 30
        assert purge(theirs, now=NOW).n_items == 1
        purge(ours, now=NOW)
        purge_due(now=NOW, is_time_left=lambda: True)
        assert visible_articles(user).get() == article


@pytest.mark.django_db
class TestPrivacy:
    """`other` follows feeds too, and knows the address."""

    @pytest.fixture
    def other(self) -> User:
        return make.user("other")

    @pytest.fixture
    def article(self) -> Article:
        user = make.user("ada")
        article = saved(user, title="Confidential zebra")
        Article.objects.filter(pk=article.pk).update(text="Confidential zebra", markup="<p>Confidential zebra</p>")
        return article

    def test_other_user_sees_and_finds_nothing(self, article: Article, other: User) -> None:
        make.delivery(make.subscription(other), theirs := make.article(title="A zebra", text="A zebra"))
        assert list(visible_articles(other)) == [theirs]
        assert article.pk not in found(other, "zebra") | found(other, "confidential")
        assert [row.article.pk for row in page_of(other, all_of(other), None, now=NOW).rows] == [theirs.pk]
        assert related_to(other, theirs, now=NOW) == ()
        assert sidebar_of(other, here="home").n_feeds == 1

    def test_other_user_saves_a_copy_of_their_own(self, article: Article, other: User) -> None:
        theirs, is_new = save_page(other, URL, now=NOW)
        assert (is_new, theirs.pk != article.pk, theirs.title) == (True, True, URL.removeprefix("https://"))
        assert theirs.text == ""

    def test_article_of_others_feeds_stays_unknown(self, other: User) -> None:
        theirs = delivered_article(other)
        user = make.user()
        assert saved(user, title="Mine").pk != theirs.pk
        theirs.refresh_from_db()
        assert theirs.title == "As the feed has it"

    def test_feed_that_delivers_it_to_others_brings_its_own_version(self, article: Article, other: User) -> None:
        theirs = delivered_article(other)
        deliver()
        assert theirs.pk != article.pk
        assert list(visible_articles(other)) == [theirs]
        assert not FullText.objects.filter(article=theirs).exists()

    def test_is_compared_with_nothing(self, article: Article) -> None:
        assert not Pending.objects.exists()
        article.refresh_from_db()
        assert (article.is_unmatched, article.story_id) == (True, None)

    def test_saving_a_shared_article_shows_nowhere_else(self, other: User) -> None:
        article = delivered_article(other)
        user = make.user()
        make.delivery(make.subscription(user), article)
        saved(user)
        row = row_of(other, article, now=NOW)
        assert (row.also_in, row.is_saved) == ((), False)
        assert not Delivery.objects.filter(user=other, subscription__feed__status=FeedStatus.SAVED).exists()

    def test_list_can_be_followed_by_no_one(self, article: Article, other: User) -> None:
        feed = article.feed
        assert feed is not None
        for address in ("", f"saved:{feed.pk}", f"feed/{feed.pk}", bytes(feed.url_key).hex()):
            assert bytes(feed.url_key) != Feed.key_of(address)
        job = import_file(other, b"<opml><body><outline text='x' xmlUrl=''/></body></opml>", name="a.opml",
                          now=NOW, default_max_items=5)  # fmt: skip
        assert (job.n_added, Subscription.objects.filter(feed=feed).count()) == (0, 1)
        assert feeds_for([], now=NOW, default_max_items=5) == {}

    def test_token_of_another_user_puts_nothing_back(self, article: Article, other: User) -> None:
        token = remove_page(User.objects.get(username="ada"), article, now=NOW)
        assert put_back(other, token, now=NOW) is None
        assert put_back(other, token + "x", now=NOW) is None
        assert remove_page(other, article, now=NOW) == ""
        assert not Item.objects.exists()


@pytest.mark.django_db
class TestNoFeedLikeOthers:
    def test_is_no_news_for_digests(self) -> None:
        user = make.user()
        saved(user)
        window = Window(NOW - timedelta(days=1), NOW + timedelta(minutes=1))
        content = load_window(user, window, least=0)
        assert (content.n_articles, content.n_feeds, content.n_duplicates) == (0, 0, 0)

    def test_is_in_no_list_of_feeds(self) -> None:
        user = make.user()
        saved(user)
        assert list(chosen(user, Which.ALL, "", now=NOW)) == []
        assert export_list(user) == ()
        assert sidebar_of(user, here="home").n_feeds == 0
        assert [feed.name for feed in sidebar_of(user, here="home").loose_feeds] == ["Saved pages"]

    def test_is_no_duplicate_of_the_feed_it_was_saved_from(self) -> None:
        user = make.user()
        subscription = make.subscription(user)
        for number in range(8):
            url = f"https://paper.example/{number}"
            article = make.article(feed=subscription.feed, url=url, url_key=url_key(url), published_at=NOW)
            make.delivery(subscription, article)
            saved(user, url)
        assert find_for(user, now=NOW) == 0

    def test_is_never_polled(self) -> None:
        saved(make.user())
        assert Feed.objects.get().next_poll_at is None

    def test_cannot_be_unfollowed(self) -> None:
        user = make.user()
        saved(user)
        own = saved_pages_of(user, now=NOW)
        assert unfollow(user, [own.pk], now=NOW) == []
        own.refresh_from_db()
        assert own.unfollowed_at is None


@pytest.mark.django_db
class TestRemoving:
    def test_can_be_undone_with_text_and_states(self) -> None:
        user = make.user()
        article = saved(user)
        Article.objects.filter(pk=article.pk).update(text="All of it")
        ArticleState.objects.create(user=user, article=article, is_read=True)
        token = remove_page(user, article, now=NOW)
        assert (list(visible_articles(user)), saved_pages_of(user, now=NOW).unread_count) == ([], 0)
        assert put_back(user, token, now=NOW) == article
        assert (visible_articles(user).get().text, Delivery.objects.get().is_read) == ("All of it", True)
        assert delete_removed(now=NOW + timedelta(days=30)) == 0

    def test_is_deleted_after_seven_days(self) -> None:
        user = make.user()
        token = remove_page(user, saved(user), now=NOW)
        assert delete_removed(now=NOW + timedelta(days=6)) == 0
        assert delete_removed(now=NOW + timedelta(days=8)) == 1
        assert (Article.objects.count(), PendingState.objects.count()) == (0, 0)
        assert put_back(user, token, now=NOW) is None

    def test_what_was_starred_stays(self) -> None:
        user = make.user()
        article = saved(user)
        star_article(user, article, is_starred=True, now=NOW)
        remove_page(user, article, now=NOW)
        assert delete_removed(now=NOW + timedelta(days=30)) == 0
        assert visible_articles(user).get() == article

    def test_article_of_a_feed_stays_there(self) -> None:
        user = make.user()
        article = delivered_article(user)
        saved(user)
        remove_page(user, article, now=NOW)
        [row] = page_of(user, all_of(user), None, now=NOW).rows
        assert (row.article.pk, row.is_saved, row.source) == (article.pk, False, str(article.feed))

    def test_saving_again_brings_back_the_same(self) -> None:
        user = make.user()
        article = saved(user)
        remove_page(user, article, now=NOW)
        assert save_page(user, URL, now=NOW) == (article, True)
        assert PendingState.objects.get().removed_at is None


class TestReadShared:
    @pytest.mark.parametrize(
        ("shared", "expected"),
        [
            pytest.param((URL, "", "A title"), (URL, "A title"), id="as a browser"),
            pytest.param(("", "https://p.example/a", "A title"), ("https://p.example/a", "A title"), id="as Android"),
            pytest.param(("", "Look: https://p.example/a.", ""), ("https://p.example/a", "Look"), id="in a sentence"),
            pytest.param(("", "(https://p.example/a_(b))", ""), ("https://p.example/a_(b)", ""), id="in brackets"),
            pytest.param(("", "https://p.example/a_(b)", ""), ("https://p.example/a_(b)", ""), id="with brackets"),
            pytest.param(("", "", "T https://p.example/"), ("https://p.example/", "T"), id="in the title"),
            pytest.param(("", "only words", ""), ("", "only words"), id="no address"),
            pytest.param(("", "", ""), ("", ""), id="nothing"),
            pytest.param(("javascript:alert(1)", "", "x"), ("javascript:alert(1)", "x"), id="not of the web"),
            pytest.param(("a\0b", "", "\u202ex\0"), ("ab", "x"), id="hostile characters"),
        ],
    )
    def test_finds_address_and_title(self, shared: tuple[str, str, str], expected: tuple[str, str]) -> None:
        read = read_shared(*shared)
        assert (read.url, read.title) == expected

    @given(st.text(), st.text(), st.text())
    def test_never_fails_and_stays_short(self, url: str, text: str, title: str) -> None:
        read = read_shared(url, text, title)
        assert len(read.title) <= 300
        assert "\0" not in read.url + read.title
