"""Pages of the two ranked lists: the user's unread articles in order, with ratings, in constant queries."""

from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import chain

import pytest
from django.contrib.auth.models import User
from django.http import QueryDict
from pytest_django import DjangoAssertNumQueries

from feeds.models import Article
from reader.articles.read_state import mark_read
from reader.interests.terms import add_starting_interests
from reader.lists import queries
from reader.lists.queries import Page, Row, for_you_page, important_page
from reader.models import Assessment, Delivery, InterestProfile, Separation, Subscription
from reader.scoring.assess import assess
from reader.scoring.importance import band_of
from reader.scoring.ranked_order import RankCursor
from reader.scoring.rate import mark_all, rate_waiting
from reader.scoring.rating import Rating
from reader.scoring.sensitivity_override import set_override
from reader.stories.collapse import fold
from tests import make

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
PAGES: dict[str, Callable[..., Page]] = {"important": important_page, "for you": for_you_page}


@pytest.fixture
def reader() -> User:
    return make.user()


@pytest.fixture(params=PAGES)
def ask(request: pytest.FixtureRequest) -> Callable[..., Page]:
    return PAGES[request.param]


def make_deliveries(
    subscription: Subscription, n: int, *, every: timedelta = 7 * HOUR, **values: object
) -> list[Article]:
    feed = subscription.feed
    articles = [
        make.article(
            feed=feed,
            source=feed.source,
            **{"published_at": make.NOW - number * every, "title": f"Harbour {number}", **values},
        )
        for number in range(n)
    ]
    for article in articles:
        make.delivery(subscription, article)
    return articles


def all_pages(ask: Callable[..., Page], user: User, size: int) -> list[Row]:
    rows: list[Row] = []
    cursor = None
    while True:
        page = ask(user, cursor, now=make.NOW, size=size)
        rows += page.rows
        if not page.next_cursor:
            return rows
        cursor = RankCursor.decode(QueryDict(f"after={page.next_cursor}")["after"])
        assert cursor is not None


def ratings(rows: list[Row]) -> list[Rating]:
    return [row.rating for row in rows if row.rating is not None]


def titles(page: Page) -> list[str]:
    return [row.article.title for row in page.rows]


@pytest.mark.parametrize("size", [1, 7, 50])
def test_rows_are_sorted_by_the_score_shown(reader: User, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queries, "PER_SOURCE", 50)  # order alone
    add_starting_interests(reader, ["harbour 3", "library"], [], make.NOW)
    make_deliveries(make.subscription(reader, make.feed(source=make.source(tier=1))), 12)
    make_deliveries(make.subscription(reader), 12, title="Library", date_uncertain=True)
    make_deliveries(make.subscription(reader), 3, title="Ahead", published_at=make.NOW + 20 * HOUR)
    rate_waiting()
    important, for_you = (all_pages(ask, reader, size) for ask in PAGES.values())
    assert len({row.article.pk for row in important}) == len(important) == len(for_you) == 27
    scores = [rating.parts.importance for rating in ratings(important)]
    pages = [sorted(map(band_of, scores[start : start + size]), reverse=True) for start in range(0, len(scores), size)]
    assert [*chain(*pages)] == sorted(map(band_of, scores), reverse=True)  # within a page, publishers take turns
    left = [rating.adjusted for rating in ratings(for_you)]
    assert left == pytest.approx(sorted(left, reverse=True), abs=1e-9)
    assert len(scores) == len(left) == 27


def test_for_you_varies_its_sources(reader: User) -> None:
    loud, *quiet = (make.feed(source=make.source(f"paper{number}.example")) for number in range(6))
    make_deliveries(make.subscription(reader, loud), 10, published_at=make.NOW)
    for feed in quiet:
        make_deliveries(make.subscription(reader, feed), 3, published_at=make.NOW - DAY)
    rate_waiting()
    page = for_you_page(reader, None, now=make.NOW)
    first = [row.article.source for row in page.rows[:20]]
    assert [first.count(feed.source) for feed in (loud, *quiet)] == [5, 3, 3, 3, 3, 3]
    assert [row.article.source for row in page.rows[:5]] == [loud.source] * 5
    assert sorted(row.article.pk for row in all_pages(for_you_page, reader, 25)) == sorted(
        Delivery.objects.values_list("article_id", flat=True)
    )


def test_omits_read_folded_and_unrated_articles(reader: User, ask: Callable[..., Page]) -> None:
    subscription = make.subscription(reader)
    unread, read = make_deliveries(subscription, 2)
    lead, folded = make_deliveries(subscription, 2)
    make.story(lead, folded, lead=lead)
    fold([lead.pk])
    make_deliveries(make.subscription(make.user()), 1)
    rate_waiting()
    mark_read(reader, [read.pk])
    make_deliveries(subscription, 1, title="Not rated yet")
    assert {row.article.pk for row in ask(reader, None, now=make.NOW).rows} == {unread.pk, lead.pk}
    mark_read(reader, [read.pk], is_read=False)
    assert {row.article.pk for row in ask(reader, None, now=make.NOW).rows} == {unread.pk, lead.pk, read.pk}


def test_lists_article_of_several_feeds_once(reader: User, ask: Callable[..., Page]) -> None:
    first, second = make.subscription(reader, title="One"), make.subscription(reader, title="Two")
    articles = make_deliveries(first, 5)
    for article in articles:
        make.delivery(second, article)
    rate_waiting()
    rows = all_pages(ask, reader, 2)
    assert len({row.article.pk for row in rows}) == len(rows) == 5
    assert all({row.source, *row.also_in} == {"One", "Two"} for row in rows)


def test_article_keeps_its_place_until_rerated(reader: User, ask: Callable[..., Page]) -> None:
    make_deliveries(make.subscription(reader), 4)
    rate_waiting()
    before = titles(ask(reader, None, now=make.NOW))
    mark_all()
    assert titles(ask(reader, None, now=make.NOW)) == before != []


def test_importance_decays_with_time(reader: User) -> None:
    subscription = make.subscription(reader)
    make_deliveries(subscription, 1, title="Deep", word_count=1200, published_at=make.NOW - 60 * HOUR)
    make_deliveries(subscription, 1, title="New", published_at=make.NOW)
    rate_waiting()
    before = list(Delivery.objects.values())
    assert titles(important_page(reader, None, now=make.NOW)) == ["New", "Deep"]
    assert titles(important_page(reader, None, now=make.NOW + 30 * HOUR)) == ["Deep", "New"]
    assert list(Delivery.objects.values()) == before


def test_importance_uses_the_users_decay_rate(reader: User) -> None:
    subscription = make.subscription(reader)
    make_deliveries(subscription, 1, title="Deep", word_count=1200, published_at=make.NOW - 20 * HOUR)
    make_deliveries(subscription, 1, title="New", published_at=make.NOW)
    rate_waiting()
    orders = {}
    for rate in (0.01, 0.05):
        InterestProfile.objects.update_or_create(user=reader, defaults={"recency_rate": rate})
        orders[rate] = titles(important_page(reader, None, now=make.NOW))
    assert orders == {0.01: ["Deep", "New"], 0.05: ["New", "Deep"]}


def test_override_moves_article_only_for_its_user(reader: User) -> None:
    subscription, other = make.subscription(reader), make.user()
    old, new = make_deliveries(subscription, 2, every=20 * DAY)[::-1]
    theirs = make.subscription(other, subscription.feed)
    for article in (old, new):
        make.delivery(theirs, article)
    assess([old.pk, new.pk], now=make.NOW)
    Assessment.objects.update(sensitivity=4)
    Delivery.objects.update(is_rated=False)
    rate_waiting()
    set_override(reader, old.pk, 1, now=make.NOW)
    set_override(reader, new.pk, 5, now=make.NOW)
    rate_waiting()

    def order(user: User, now: datetime) -> list[int]:
        return [row.article.pk for row in for_you_page(user, None, now=now).rows]

    assert order(reader, make.NOW + DAY) == [old.pk, new.pk]
    assert order(other, make.NOW + DAY) == [new.pk, old.pk]
    assert [row.rating.is_own_sensitivity for row in for_you_page(reader, None, now=make.NOW).rows if row.rating] == [
        True,
        True,
    ]


def test_unassessed_row_has_no_rating(reader: User) -> None:
    [article] = make_deliveries(make.subscription(reader), 1)
    Delivery.objects.update(static_importance=30.0, slot=1, sensitivity=3, decay_key=1.0, relevance=50.0)
    [row] = important_page(reader, None, now=make.NOW).rows
    assert (row.article, row.rating) == (article, None)


@pytest.mark.parametrize("n", [1, 50, 150], ids=["one", "fifty", "hundred and fifty"])
def test_page_takes_constant_queries(
    reader: User, ask: Callable[..., Page], n: int, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    make_deliveries(make.subscription(reader), n, every=HOUR)
    rate_waiting()
    with django_assert_max_num_queries(7):
        assert len(ask(reader, None, now=make.NOW, size=20).rows) == min(n, 20)


def test_a_story_is_ranked_by_its_newest_report(reader: User) -> None:
    first, second = make.subscription(reader), make.subscription(reader)
    (lead,) = make_deliveries(first, 1, title="Lead", published_at=make.NOW - 30 * HOUR)
    (update,) = make_deliveries(second, 1, title="Update", published_at=make.NOW - HOUR)
    make_deliveries(make.subscription(reader), 1, title="Between", published_at=make.NOW - 12 * HOUR)
    rate_waiting()
    assert titles(important_page(reader, None, now=make.NOW)) == ["Update", "Between", "Lead"]
    make.story(lead, update, lead=lead)
    fold([lead.pk])
    mark_all()
    rate_waiting()
    assert titles(important_page(reader, None, now=make.NOW)) == ["Lead", "Between"]
    apart = Delivery.objects.get(user=reader, article=lead)
    assert apart.newest_at == update.published_at


def test_a_separated_article_keeps_its_own_rank(reader: User) -> None:
    (lead,) = make_deliveries(make.subscription(reader), 1, published_at=make.NOW - 30 * HOUR)
    (update,) = make_deliveries(make.subscription(reader), 1, published_at=make.NOW - HOUR)
    make.story(lead, update, lead=lead)
    Separation.objects.create(user=reader, article=lead, made_at=make.NOW)
    rate_waiting()
    assert Delivery.objects.get(user=reader, article=lead).newest_at is None


def test_within_a_band_more_publishers_come_first(reader: User) -> None:
    subscriptions = [make.subscription(reader) for _ in range(7)]
    five, four = subscriptions[:5], subscriptions[:4]
    for name, covering, hours in (("Four", four, 1), ("Five", five, 3)):
        articles = [make_deliveries(one, 1, title=name, published_at=make.NOW - hours * HOUR)[0] for one in covering]
        make.story(*articles, lead=articles[0])
        fold([articles[0].pk])
    rate_waiting()
    assert titles(important_page(reader, None, now=make.NOW)) == ["Five", "Four"]


def test_a_publisher_has_two_rows_in_a_row_at_most(reader: User) -> None:
    feeds = [make.feed(source=make.source(tier=tier)) for tier in (1, 5)]
    for name, feed in zip(("Big", "Small"), feeds, strict=True):
        make_deliveries(make.subscription(reader, feed), 4, title=name)
    rate_waiting()
    shown = [title.split()[0] for title in titles(important_page(reader, None, now=make.NOW))]
    assert shown == ["Big", "Big", "Small", "Big", "Big", "Small", "Small", "Small"]


def test_excerpts_say_nothing_about_depth(reader: User) -> None:
    excerpts, whole = make.subscription(reader), make.subscription(reader)
    articles = [*make_deliveries(excerpts, 3, word_count=40), *make_deliveries(excerpts, 1, word_count=900)]
    short = make_deliveries(whole, 1, word_count=40)
    make_deliveries(whole, 2, word_count=900)
    rate_waiting()
    depths = dict(Assessment.objects.values_list("article", "depth"))
    assert [depths[article.pk] for article in articles] == [40.0] * 4
    assert depths[short[0].pk] == 20.0
