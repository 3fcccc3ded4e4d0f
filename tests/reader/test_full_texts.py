"""The text a person reads: what the feed gave, or what the article's own page says."""

from datetime import timedelta

import pytest
from django.contrib.messages import get_messages
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from feeds.models import Article, FullText
from reader.full_texts import ask_for_new
from reader.models import Subscription
from tests import make
from tests.reader.conftest import Enqueued, World

pytestmark = pytest.mark.django_db

TASK = ("feeds.full_text_tasks.fetch_pages",)


def fetched(article: Article, **values: object) -> FullText:
    given = {
        "status": "done",
        "asked_at": make.NOW,
        "fetched_at": make.NOW,
        "base_url": "https://paper.example/1",
        "markup": "<p>From the page<script>steal()</script></p>",
        "text": "From the page",
        "reading_seconds": 600,
        **values,
    }
    return FullText.objects.create(article=article, **given)


def url(world: World, name: str = "article") -> str:
    return reverse(name, args=[world.article.pk])


def shown(browser: Client, world: World, query: str = "", **headers: str) -> str:
    return browser.get(url(world) + query, headers=headers).content.decode()


class TestAsking:
    def test_is_offered_where_the_feed_gave_little(self, browser: Client, world: World) -> None:
        assert "Full text</button>" in shown(browser, world)
        Article.objects.update(word_count=3000)
        assert "Full text</button>" not in shown(browser, world)

    def test_calls_a_worker_and_comes_back_to_wait_with_the_list_kept(
        self, browser: Client, world: World, enqueued: Enqueued
    ) -> None:
        answer = browser.post(url(world, "article_full_text"), {"next": f"{url(world)}?next=/starred/"})
        assert answer["Location"] == f"{url(world)}?next=%2Fstarred%2F&text=page#text"
        assert (FullText.objects.get().status, enqueued) == ("waiting", [TASK])
        text = browser.get(answer["Location"]).content.decode()
        assert "Fetching the article from its own page" in text
        assert '<noscript><meta http-equiv="refresh" content="3"></noscript>' in text
        assert 'href="/starred/#a' in text

    def test_never_goes_on_to_another_site(self, browser: Client, world: World, enqueued: Enqueued) -> None:
        for wanted in ("https://evil.example/", "//evil.example", "/health/"):
            answer = browser.post(url(world, "article_full_text"), {"next": wanted})
            assert answer["Location"] == f"{url(world)}?text=page#text"

    def test_asking_twice_waits_for_the_same(self, browser: Client, world: World, enqueued: Enqueued) -> None:
        for _ in range(2):
            browser.post(url(world, "article_full_text"))
        assert FullText.objects.count() == 1

    def test_a_page_just_tried_is_not_asked_again(self, browser: Client, world: World, enqueued: Enqueued) -> None:
        fetched(world.article, status="failed", text="", error="No.", fetched_at=timezone.now())
        answer = browser.post(url(world, "article_full_text"))
        assert [str(each) for each in get_messages(answer.wsgi_request)] == [
            "The page was asked for less than a minute ago."
        ]
        assert (FullText.objects.get().status, enqueued) == ("failed", [])

    def test_an_address_that_is_not_of_the_web_is_never_fetched(
        self, browser: Client, world: World, enqueued: Enqueued
    ) -> None:
        Article.objects.update(url="file:///etc/passwd")
        assert "Full text</button>" not in shown(browser, world)
        browser.post(url(world, "article_full_text"))
        assert (FullText.objects.count(), enqueued) == (0, [])


class TestReading:
    def test_the_feeds_text_stays_until_the_other_is_chosen(self, browser: Client, world: World) -> None:
        fetched(world.article)
        assert "From the page</p>" not in shown(browser, world)
        text = shown(browser, world, "?text=page&next=/starred/")
        assert "<p>From the page</p>" in text
        assert "steal" not in text
        assert "10 min to read" in text
        assert 'href="?text=feed&amp;next=%2Fstarred%2F"' in text

    def test_who_always_wants_it_gets_it_at_once_and_may_choose_the_feeds(self, browser: Client, world: World) -> None:
        fetched(world.article)
        Subscription.objects.update(fetches_full_text=True)
        assert "<p>From the page</p>" in shown(browser, world)
        assert "<p>From the page</p>" not in shown(browser, world, "?text=feed")

    def test_somebody_elses_always_is_theirs(self, browser: Client, world: World) -> None:
        fetched(world.article)
        other = make.subscription(make.user(), world.subscription.feed, fetches_full_text=True)
        make.delivery(other, world.article)
        assert "<p>From the page</p>" not in shown(browser, world)

    def test_a_failure_says_why_and_offers_to_try_again(self, browser: Client, world: World) -> None:
        fetched(world.article, status="failed", text="", error="The page wants <b>a sign-in.")
        text = shown(browser, world, "?text=page")
        assert "The page wants &lt;b&gt;a sign-in." in text
        assert "Try again</button>" in text
        assert "Body of" in text

    def test_a_text_fetched_before_is_there_while_it_is_fetched_anew(self, browser: Client, world: World) -> None:
        fetched(world.article, status="waiting")
        text = shown(browser, world, "?text=page")
        assert "<p>From the page</p>" in text
        assert 'data-over="false"' in text

    def test_a_script_that_waits_gets_the_text_alone_and_teaches_nothing(self, browser: Client, world: World) -> None:
        fetched(world.article)
        text = shown(browser, world, "?text=page", **{"X-Fragment": "progress"})
        assert "<p>From the page</p>" in text
        assert 'data-over="true"' in text
        assert "<html" not in text
        world.delivery.refresh_from_db()
        assert not world.delivery.is_read

    def test_costs_two_queries(
        self, browser: Client, world: World, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        fetched(world.article)
        shown(browser, world, "?text=page", **{"X-Fragment": "progress"})
        with django_assert_num_queries(5):  # session, user, preferences, article, full text
            shown(browser, world, "?text=page", **{"X-Fragment": "progress"})


class TestAlways:
    def test_is_chosen_where_the_feed_is_edited(self, browser: Client, world: World) -> None:
        edit = reverse("feed_edit", args=[world.subscription.pk])
        browser.post(edit, {"title": "", "folder": "", "fetches_full_text": "on"})
        world.subscription.refresh_from_db()
        assert world.subscription.fetches_full_text
        assert 'name="fetches_full_text" id="id_fetches_full_text" checked' in " ".join(
            browser.get(edit).content.decode().replace('aria-describedby="id_fetches_full_text_helptext" ', "").split()
        )
        browser.post(edit, {"title": "", "folder": ""})
        world.subscription.refresh_from_db()
        assert not world.subscription.fetches_full_text

    def test_asks_for_what_came_lately_by_these_feeds_once(self) -> None:
        user = make.user()
        always, other = make.subscription(user, fetches_full_text=True), make.subscription(user)
        new, old = make.article(), make.article(published_at=make.NOW - timedelta(days=4))
        strange = make.article(url="mailto:ada@paper.example")
        for article in (new, old, strange):
            make.delivery(always, article)
        make.delivery(other, make.article())
        assert [ask_for_new(now=make.NOW) for _ in range(2)] == [1, 0]
        assert FullText.objects.get().article == new

    def test_costs_one_query_where_nobody_wants_it(self, django_assert_num_queries: DjangoAssertNumQueries) -> None:
        make.delivery(make.subscription(make.user()), make.article())
        with django_assert_num_queries(1):
            assert ask_for_new(now=make.NOW) == 0
