"""Noise limits: how many articles of a feed appear in lists."""

from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from digests.assembly.window import _deliveries
from feeds.models import Article
from reader.articles.read_state import mark_all_read, mark_read, star
from reader.lists.queries import Page, all_of, of_folder, of_subscription, page_of
from reader.lists.sidebar import sidebar_of
from reader.models import Delivery, Quiet, Subscription
from reader.subscriptions.delivery import deliver
from reader.subscriptions.follow import rename
from reader.subscriptions.noise_limits import over_daily_limit, set_noise_limits
from tests import make

pytestmark = pytest.mark.django_db

LOUD: dict[str, Any] = {"most_a_day": None, "is_digest_only": False, "quiet_until": None}


@pytest.fixture
def reader() -> User:
    return make.user()


def come(subscription: Subscription, *hours: int) -> list[Article]:
    """Articles published that many hours ago, delivered together."""
    articles = [make.article(published_at=make.NOW - timedelta(hours=hour)) for hour in hours]
    for article in articles:
        make.item(subscription.feed, article)
    deliver()
    return articles


def listed(page: Page) -> set[int]:
    return {row.article.pk for row in page.rows}


def listed_in(subscription: Subscription, articles: list[Article]) -> tuple[list[bool], list[bool], int]:
    """Articles in All, articles in the feed's own list, and the unread count, which is checked."""
    user = subscription.user
    everything = listed(page_of(user, all_of(user), None, now=make.NOW))
    own = listed(page_of(user, of_subscription(subscription), None, now=make.NOW))
    subscription.refresh_from_db()
    loud = subscription.deliveries.filter(is_read=False, quiet=Quiet.NOT).count()
    assert subscription.unread_count == loud
    return [article.pk in everything for article in articles], [article.pk in own for article in articles], loud


@pytest.mark.parametrize(
    ("hours", "n_listed", "over"),
    [
        pytest.param([], {}, [], id="none"),
        pytest.param([1, 2], {}, [], id="as many as may"),
        pytest.param([3, 1, 2], {}, [3], id="the newest are let through"),
        pytest.param([1, 30], {date(2026, 3, 4): 2}, [1], id="what is there counts for its day"),
        pytest.param([1, 2, 3, 24, 25, 26], {}, [3, 26], id="each day has its own"),
    ],
)
def test_limits_articles_per_day(hours: list[int], n_listed: dict[date, int], over: list[int]) -> None:
    several = [(hour, make.NOW - timedelta(hours=hour)) for hour in hours]
    assert over_daily_limit(several, n_listed=n_listed, most=2, zone=UTC) == set(over)


def test_days_are_in_the_users_time_zone() -> None:
    several = [(n, datetime(2026, 3, 29, hour, tzinfo=UTC)) for n, hour in enumerate((21, 23))]  # clocks went forward
    assert over_daily_limit(several, n_listed={}, most=1, zone=UTC) == {0}
    assert over_daily_limit(several, n_listed={}, most=1, zone=ZoneInfo("Europe/Berlin")) == set()


def test_limits_lists_but_not_the_feeds_own(reader: User) -> None:
    subscription = make.subscription(reader, most_a_day=2)
    together = come(subscription, 5, 3, 4)
    assert listed_in(subscription, together) == ([False, True, True], [True] * 3, 2)
    later = come(subscription, 1, 13)
    assert listed_in(subscription, later) == ([False, True], [True] * 2, 3)  # 13 hours ago was yesterday


def test_digests_only_appears_only_in_its_own_list(reader: User) -> None:
    folder = make.folder(reader)
    subscription = make.subscription(reader, folder=folder, is_digest_only=True)
    articles = come(subscription, 1, 2)
    assert listed_in(subscription, articles) == ([False] * 2, [True] * 2, 0)
    assert not listed(page_of(reader, of_folder(reader, folder), None, now=make.NOW))
    assert sidebar_of(reader, here="home").n_unread == 0
    assert set(subscription.deliveries.values_list("quiet", flat=True)) == {Quiet.DIGEST}


@pytest.mark.parametrize(("days", "is_quiet"), [(1, True), (0, False), (-1, False)])
def test_is_quiet_until_a_date(reader: User, days: int, is_quiet: bool) -> None:
    today = datetime.now(tz=UTC).date()
    subscription = make.subscription(reader, quiet_until=today + timedelta(days=days))
    (article,) = come(subscription, 1)
    assert listed_in(subscription, [article]) == ([not is_quiet], [True], int(not is_quiet))


def test_article_of_another_feed_is_not_quiet(reader: User) -> None:
    quiet, loud = make.subscription(reader, is_digest_only=True), make.subscription(reader)
    (article,) = come(quiet, 1)
    make.item(loud.feed, article)
    deliver()
    assert listed_in(loud, [article]) == ([True], [True], 1)
    assert listed_in(quiet, [article]) == ([True], [True], 0)


@pytest.mark.parametrize("act", ["read", "unread", "star", "move", "fold"])
def test_actions_keep_quiet_articles_folded(reader: User, act: str) -> None:
    subscription = make.subscription(reader, is_digest_only=True)
    first, second = come(subscription, 1, 2)
    if act in ("read", "unread"):
        mark_read(reader, [first.pk])
        mark_read(reader, [first.pk], is_read=act == "read")
    elif act == "star":
        star(reader, first.pk, is_starred=True, now=make.NOW)
    elif act == "move":
        rename(subscription, title="", folder=make.folder(reader))
    else:
        make.story(first, second)
        rename(subscription, title="", folder=make.folder(reader))
    assert listed_in(subscription, [first, second])[0] == [False, False]
    assert not Delivery.objects.filter(is_folded_in_folder=False).exists()


def test_quiet_articles_lead_no_story(reader: User) -> None:
    quiet, loud = make.subscription(reader, is_digest_only=True), make.subscription(reader)
    lead, other = make.article(word_count=900), make.article(word_count=5)
    make.story(lead, other, lead=lead)
    make.item(quiet.feed, lead)
    make.item(loud.feed, other)
    deliver()
    assert listed_in(loud, [lead, other])[0] == [False, True]


def test_marking_everything_read_skips_quiet_articles(reader: User) -> None:
    subscription = make.subscription(reader, most_a_day=1)
    come(subscription, 1, 2)
    mark_all_read(reader, all_of(reader, with_folded=True), up_to=2**62)
    assert set(subscription.deliveries.values_list("quiet", "is_read")) == {(Quiet.NOT, True), (Quiet.OWN_LIST, False)}


def test_digests_only_applies_to_existing_articles_and_can_be_undone(reader: User) -> None:
    subscription, other = make.subscription(reader), make.subscription(reader)
    articles = [make.article(), make.article()]
    told = make.article(word_count=1)
    make.story(articles[0], told, lead=articles[0])
    for article in articles:
        make.item(subscription.feed, article)
    make.item(other.feed, told)
    deliver()
    assert listed_in(other, [told])[0] == [False]
    set_noise_limits(subscription, **LOUD | {"is_digest_only": True})
    assert listed_in(subscription, [*articles, told]) == ([False, False, True], [True, True, False], 0)
    set_noise_limits(subscription, **LOUD)
    assert listed_in(subscription, articles) == ([True, True], [True, True], 2)


def test_digests_include_digests_only_but_not_excess_articles(reader: User) -> None:
    for_digests, bounded = make.subscription(reader, is_digest_only=True), make.subscription(reader, most_a_day=1)
    wanted = come(for_digests, 1)
    wanted += come(bounded, 1, 2)[:1]
    window = type("Window", (), {"begins_at": make.NOW - timedelta(days=1), "ends_at": make.NOW})
    assert set(_deliveries(reader, window)) == {article.pk for article in wanted}  # type: ignore[arg-type]


@pytest.mark.parametrize("n", [1, 40])
def test_takes_constant_queries(reader: User, django_assert_num_queries: DjangoAssertNumQueries, n: int) -> None:
    subscription = make.subscription(reader, most_a_day=1)
    for _ in range(n + 1):
        make.item(subscription.feed, make.article(published_at=make.NOW))
    with django_assert_num_queries(20):
        deliver()
    assert subscription.deliveries.filter(quiet=Quiet.OWN_LIST).count() == n


def test_form_sets_and_shows_limit(client: Client, reader: User) -> None:
    subscription = make.subscription(reader)
    client.force_login(reader)
    url = reverse("feed_edit", args=[subscription.pk])
    data = {"title": "", "folder": "", "most_a_day": "5", "is_digest_only": "on", "quiet_until": "2031-02-03"}
    assert client.post(url, data).status_code == 302
    subscription.refresh_from_db()
    budget = subscription.most_a_day, subscription.is_digest_only, subscription.quiet_until
    assert budget == (5, True, date(2031, 2, 3))
    page = client.get(url).content.decode()
    for words in ('value="5"', 'value="2031-02-03"', "checked"):
        assert words in page
    assert "digests only" in client.get(reverse("feed", args=[subscription.pk])).content.decode()


@pytest.mark.parametrize("field", [{"most_a_day": "0"}, {"most_a_day": "x"}, {"quiet_until": "soon"}])
def test_form_refuses_invalid_limit(client: Client, reader: User, field: dict[str, str]) -> None:
    subscription = make.subscription(reader)
    client.force_login(reader)
    url = reverse("feed_edit", args=[subscription.pk])
    assert client.post(url, {"title": "New", "folder": ""} | field).status_code == 422
    subscription.refresh_from_db()
    assert (subscription.title, subscription.most_a_day, subscription.quiet_until) == ("", None, None)
