"""The text shown to the user: the feed's own or the one extracted from the article's page."""

from datetime import timedelta

import pytest
from django.contrib.messages import get_messages
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from feeds.models import Article, FullText
from reader.articles.full_text import request_for_new
from reader.models import Subscription
from tests import make
from tests.markup import tight
from tests.reader.conftest import Enqueued, World

pytestmark = pytest.mark.django_db


def fetched(article: Article, **values: object) -> FullText:
    defaults = {
        "status": "done",
        "requested_at": make.NOW,
        "fetched_at": make.NOW,
        "base_url": "https://paper.example/1",
        "markup": "<p>From the page<script>steal()</script></p>",
        "text": "From the page",
        "reading_seconds": 600,
        **values,
    }
    return FullText.objects.create(article=article, **defaults)


def url(world: World, name: str = "article") -> str:
    return reverse(name, args=[world.article.pk])


def page_text(browser: Client, world: World, query: str = "", **headers: str) -> str:
    return browser.get(url(world) + query, headers=headers).content.decode()


class TestRequesting:
    def test_is_offered_if_feed_text_is_short(self, browser: Client, world: World) -> None:
        assert "Full text</button>" in tight(page_text(browser, world))
        Article.objects.update(word_count=3000)
        assert "Full text</button>" not in page_text(browser, world)

    def test_short_text_is_called_a_beginning_only_if_it_is_one(self, browser: Client, world: World) -> None:
        Article.objects.update(word_count=150, partial_content=False)
        assert "The feed only includes" not in page_text(browser, world)
        Article.objects.update(partial_content=True)
        assert "The feed only includes the beginning." in page_text(browser, world)

    def test_queues_task_and_keeps_list_to_return_to(self, browser: Client, world: World, enqueued: Enqueued) -> None:
        response = browser.post(url(world, "article_full_text"), {"next": f"{url(world)}?next=/starred/"})
        assert response["Location"] == f"{url(world)}?next=%2Fstarred%2F&text=page#text"
        full_text = FullText.objects.get()
        assert (full_text.status, enqueued) == ("waiting", [("feeds.tasks.full_text.fetch_page", full_text.article_id)])
        text = browser.get(response["Location"]).content.decode()
        assert "Fetching the full text" in text
        assert '<noscript><meta http-equiv="refresh" content="3"></noscript>' in text
        assert 'href="/starred/#a' in text

    def test_never_redirects_to_another_site(self, browser: Client, world: World, enqueued: Enqueued) -> None:
        for wanted in ("https://evil.example/", "//evil.example", "/health/"):
            response = browser.post(url(world, "article_full_text"), {"next": wanted})
            assert response["Location"] == f"{url(world)}?text=page#text"

    def test_second_request_waits_for_the_first(self, browser: Client, world: World, enqueued: Enqueued) -> None:
        for _ in range(2):
            browser.post(url(world, "article_full_text"))
        assert FullText.objects.count() == 1

    def test_does_not_refetch_page_within_a_minute(self, browser: Client, world: World, enqueued: Enqueued) -> None:
        fetched(world.article, status="failed", text="", error="No.", fetched_at=timezone.now())
        response = browser.post(url(world, "article_full_text"))
        assert [str(message) for message in get_messages(response.wsgi_request)] == [
            "The page was requested less than a minute ago."
        ]
        assert (FullText.objects.get().status, enqueued) == ("failed", [])

    def test_never_fetches_non_web_urls(self, browser: Client, world: World, enqueued: Enqueued) -> None:
        Article.objects.update(url="file:///etc/passwd")
        assert "Full text</button>" not in page_text(browser, world)
        browser.post(url(world, "article_full_text"))
        assert (FullText.objects.count(), enqueued) == (0, [])


class TestReading:
    def test_shows_feed_text_until_page_is_chosen(self, browser: Client, world: World) -> None:
        fetched(world.article)
        assert "From the page</p>" not in page_text(browser, world)
        text = page_text(browser, world, "?text=page&next=/starred/")
        assert "<p>From the page</p>" in text
        assert "steal" not in text
        assert "10 min read" in text
        assert 'href="?text=feed&amp;next=%2Fstarred%2F"' in text

    def test_always_full_text_can_switch_to_feed_text(self, browser: Client, world: World) -> None:
        fetched(world.article)
        Subscription.objects.update(fetches_full_text=True)
        assert "<p>From the page</p>" in page_text(browser, world)
        assert "<p>From the page</p>" not in page_text(browser, world, "?text=feed")

    def test_always_setting_is_per_user(self, browser: Client, world: World) -> None:
        fetched(world.article)
        other = make.subscription(make.user(), world.subscription.feed, fetches_full_text=True)
        make.delivery(other, world.article)
        assert "<p>From the page</p>" not in page_text(browser, world)

    def test_failure_shows_reason_and_retry(self, browser: Client, world: World) -> None:
        fetched(world.article, status="failed", text="", error="The page wants <b>a sign-in.")
        text = page_text(browser, world, "?text=page")
        assert "The page wants &lt;b&gt;a sign-in." in text
        assert "Try again</button>" in text
        assert "Body of" in text

    def test_shows_previous_text_while_refetching(self, browser: Client, world: World) -> None:
        fetched(world.article, status="waiting")
        text = page_text(browser, world, "?text=page")
        assert "<p>From the page</p>" in text
        assert 'data-over="false"' in text

    def test_progress_fragment_is_text_only(self, browser: Client, world: World) -> None:
        fetched(world.article)
        text = page_text(browser, world, "?text=page", **{"X-Fragment": "progress"})
        assert "<p>From the page</p>" in text
        assert 'data-over="true"' in text
        assert "<html" not in text
        world.delivery.refresh_from_db()
        assert not world.delivery.is_read

    def test_takes_two_queries(
        self, browser: Client, world: World, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        fetched(world.article)
        page_text(browser, world, "?text=page", **{"X-Fragment": "progress"})
        with django_assert_num_queries(5):  # session, user, preferences, article, full text
            page_text(browser, world, "?text=page", **{"X-Fragment": "progress"})


class TestAlways:
    def test_setting_is_in_feed_form(self, browser: Client, world: World) -> None:
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

    def test_requests_recent_articles_once(self) -> None:
        user = make.user()
        always, other = make.subscription(user, fetches_full_text=True), make.subscription(user)
        new, old = make.article(), make.article(published_at=make.NOW - timedelta(days=4))
        strange = make.article(url="mailto:ada@paper.example")
        for article in (new, old, strange):
            make.delivery(always, article)
        make.delivery(other, make.article())
        assert [request_for_new(now=make.NOW) for _ in range(2)] == [1, 0]
        assert FullText.objects.get().article == new

    def test_takes_one_query_without_subscribers(self, django_assert_num_queries: DjangoAssertNumQueries) -> None:
        make.delivery(make.subscription(make.user()), make.article())
        with django_assert_num_queries(1):
            assert request_for_new(now=make.NOW) == 0
