"""Ranked pages list the same articles in the same order as sorting everything, at any time."""

import math
import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.http import QueryDict
from django.test.utils import CaptureQueriesContext

from reader.models import Delivery
from reader.scoring import ranked_order
from reader.scoring.decay import RATES, log_odds
from reader.scoring.importance import WEIGHTS, hours_between, importance_at, place_of, recency, static_importance
from reader.scoring.ranked_order import (
    NEGLIGIBLE,
    SLOT,
    RankCursor,
    RankedPage,
    page_by_adjusted_relevance,
    page_by_importance,
    slot_of,
)
from tests import make
from tests.reader.archive import Entry, articles, copy_of, make_archive

pytestmark = pytest.mark.vendor

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
SAME = 1e-9  # scores that differ only by rounding

Asks = Callable[[RankCursor | None], RankedPage]


@pytest.fixture
def reader() -> User:
    return make.user()


@pytest.fixture(params=[24, 2], ids=["", "short stretches"])
def _stretches(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also reads streams a few rows at a time, so that it matters when reading stops."""
    monkeypatch.setattr(ranked_order, "_FIRST", request.param)


def importance(entry: Entry, now: datetime, rate: float) -> float:
    age = hours_between(entry.published_at, now)
    recent = recency(age, rate=rate, is_uncertain=entry.date_uncertain)
    points = importance_at(static_importance(entry.shared_importance, 25, entry.relevance), recent)
    oldest = slot_of(now - math.log(100 * WEIGHTS["recency"] / NEGLIGIBLE) / rate * HOUR)
    is_old = slot_of(entry.published_at) < oldest
    return points if is_old else place_of(points, n_publishers=1, recency=recent)


def adjusted(entry: Entry, now: datetime) -> float:
    """The logarithm of time-adjusted relevance."""
    age = max(timedelta(0), now - entry.published_at) / DAY
    return log_odds(entry.relevance) - RATES[entry.sensitivity] * age


def all_ids(ask: Asks, size: int) -> list[int]:
    """All article ids, page by page, with each cursor read from a query string."""
    ids: list[int] = []
    cursor: RankCursor | None = None
    while True:
        page = ask(cursor)
        assert len(page.article_ids) <= size
        ids += page.article_ids
        if page.following is None:
            return ids
        assert len(page.article_ids) == size
        assert page.article_ids[-1] == page.following.article_id
        cursor = RankCursor.decode(QueryDict(f"after={page.following.encode()}")["after"])
        assert cursor == page.following


@pytest.mark.django_db
@pytest.mark.usefixtures("_stretches")
@pytest.mark.parametrize(("size", "n", "seed"), [(1, 40, 1), (7, 150, 2), (50, 500, 3)], ids=["1", "7", "50"])
@pytest.mark.parametrize("rate", [0.01, 0.03, 0.05])
def test_importance_order_matches_full_sort(reader: User, rate: float, size: int, n: int, seed: int) -> None:
    entries = make_archive(reader, n, seed)
    expected = sorted(entries, key=lambda entry: (importance(entry, make.NOW, rate), entry.article_id), reverse=True)
    ids = all_ids(lambda cursor: page_by_importance(reader, cursor, now=make.NOW, rate=rate, size=size), size)
    assert ids == [entry.article_id for entry in expected]


@pytest.mark.django_db
@pytest.mark.usefixtures("_stretches")
@pytest.mark.parametrize(("size", "n", "seed"), [(1, 40, 4), (7, 150, 5), (50, 500, 6)], ids=["1", "7", "50"])
def test_relevance_order_matches_full_sort(reader: User, size: int, n: int, seed: int) -> None:
    entries = {row.article_id: row for row in make_archive(reader, n, seed)}
    ids = all_ids(lambda cursor: page_by_adjusted_relevance(reader, cursor, now=make.NOW, rates=RATES, size=size), size)
    assert sorted(ids) == sorted(entries)
    scores = [adjusted(entries[pk], make.NOW) for pk in ids]
    assert all(one >= other - SAME for one, other in pairwise(scores))


@pytest.mark.django_db
@pytest.mark.parametrize("size", [1, 2, 5])
@pytest.mark.parametrize("seed", range(6))
def test_sorts_near_equal_scores_by_minutes(
    reader: User, seed: int, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Scores differ almost only by age, within few slots: reading must not stop a row too early."""
    monkeypatch.setattr(ranked_order, "_FIRST", 1)
    chance = random.Random(seed)
    subscription = make.subscription(reader)
    entries = [
        Entry(article.pk, article.published_at, chance.random() < 0.2, 30 + 3 * chance.random(), 50.0, 4)
        for article in articles([make.NOW - _age(chance) for _ in range(60)])
    ]
    Delivery.objects.bulk_create(copy_of(entry, subscription) for entry in entries)
    expected = sorted(entries, key=lambda entry: (importance(entry, make.NOW, 0.05), entry.article_id), reverse=True)
    ids = all_ids(lambda cursor: page_by_importance(reader, cursor, now=make.NOW, rate=0.05, size=size), size)
    assert ids == [entry.article_id for entry in expected]


def _age(chance: random.Random) -> timedelta:
    """An age within 24 hours; every other one is seconds before a slot ends."""
    if chance.random() < 0.5:
        return chance.randrange(4) * SLOT + timedelta(seconds=chance.randint(1, 60))
    return chance.random() * 4 * SLOT


@pytest.mark.django_db
@pytest.mark.parametrize("later", [3 * HOUR, 30 * HOUR, 40 * DAY], ids=["hours", "a day", "weeks"])
def test_order_changes_with_time_without_writes(reader: User, later: timedelta) -> None:
    entries = make_archive(reader, 200, seed=7)
    before = list(Delivery.objects.order_by("pk").values())
    orders = []
    for now in (make.NOW, make.NOW + later):
        expected = sorted(entries, key=lambda entry: (importance(entry, now, 0.03), entry.article_id), reverse=True)
        orders.append(list(page_by_importance(reader, None, now=now, rate=0.03, size=200).article_ids))
        assert orders[-1] == [entry.article_id for entry in expected]
        ids = page_by_adjusted_relevance(reader, None, now=now, rates=RATES, size=200).article_ids
        scores = {entry.article_id: adjusted(entry, now) for entry in entries}
        assert all(scores[one] >= scores[other] - SAME for one, other in pairwise(ids))
    assert orders[0] != orders[1]
    assert list(Delivery.objects.order_by("pk").values()) == before


@pytest.mark.django_db
def test_later_pages_use_the_time_of_the_first(reader: User) -> None:
    entries = make_archive(reader, 120, seed=8)
    moments = iter(make.NOW + number * 5 * HOUR for number in range(100))
    ids = all_ids(lambda cursor: page_by_importance(reader, cursor, now=next(moments), rate=0.05, size=10), 10)
    expected = sorted(entries, key=lambda entry: (importance(entry, make.NOW, 0.05), entry.article_id), reverse=True)
    assert ids == [entry.article_id for entry in expected]


@pytest.mark.django_db
def test_future_dates_keep_full_relevance_until_then(reader: User) -> None:
    [ahead, present] = articles([make.NOW + 20 * HOUR, make.NOW])
    subscription = make.subscription(reader)
    copy_of(Entry(ahead.pk, ahead.published_at, False, 30.0, 79.0, 5), subscription).save()
    copy_of(Entry(present.pk, present.published_at, False, 30.0, 80.0, 5), subscription).save()

    def order(now: datetime) -> tuple[int, ...]:
        return page_by_adjusted_relevance(reader, None, now=now, rates=RATES, size=5).article_ids

    assert order(make.NOW) == (present.pk, ahead.pk)  # 80 and 79
    assert order(make.NOW + 20 * HOUR) == (ahead.pk, present.pk)  # 79 and 71


@pytest.mark.django_db
@pytest.mark.parametrize("order", ["importance", "relevance"])
def test_empty_list_is_one_empty_page(reader: User, order: str) -> None:
    page = {
        "importance": lambda: page_by_importance(reader, None, now=make.NOW, rate=0.03, size=50),
        "relevance": lambda: page_by_adjusted_relevance(reader, None, now=make.NOW, rates=RATES, size=50),
    }[order]()
    assert page == RankedPage((), None)


@pytest.mark.django_db
@pytest.mark.parametrize("n", [1, 50, 1000], ids=["one", "fifty", "a thousand"])
def test_page_takes_few_queries(reader: User, n: int) -> None:
    make_archive(reader, n, seed=9)
    costs = []
    cursor = None
    for _ in range(8):
        with CaptureQueriesContext(
            connection,
        ) as captured:
            page = page_by_importance(reader, cursor, now=make.NOW, rate=0.03, size=50)
        costs.append(len(captured))
        cursor = page.following
        if cursor is None:
            break
    with CaptureQueriesContext(connection) as captured:
        page_by_adjusted_relevance(reader, None, now=make.NOW, rates=RATES, size=50)
    assert max(*costs, len(captured)) <= 3


@pytest.mark.django_db
def test_reads_hundreds_of_ties_to_the_end(reader: User) -> None:
    subscription = make.subscription(reader)
    stored = articles([make.NOW - HOUR] * 700)
    Delivery.objects.bulk_create(
        copy_of(Entry(article.pk, article.published_at, False, 20.0, 50.0, 3), subscription) for article in stored
    )
    ids = sorted((article.pk for article in stored), reverse=True)
    assert all_ids(lambda cursor: page_by_importance(reader, cursor, now=make.NOW, rate=0.03, size=90), 90) == ids
    assert (
        all_ids(lambda cursor: page_by_adjusted_relevance(reader, cursor, now=make.NOW, rates=RATES, size=90), 90)
        == ids
    )


AS_OF = datetime(2026, 3, 4, 12, 0, 0, 123457, tzinfo=UTC)


@pytest.mark.parametrize("score", [0.0, 79.37, 1e-9, -1e-300, -13.8155, 2849.99, 1e300, 1 / 3, 2.0**40])
def test_cursor_round_trips_through_query_string(score: float) -> None:
    cursor = RankCursor(AS_OF, score, 2**40)
    assert RankCursor.decode(QueryDict(f"after={cursor.encode()}")["after"]) == cursor


TAMPERED = {
    "missing": "",
    "a word": "x",
    "no score": "1772625600000000_",
    "no article": "1772625600000000_0x1.8p3_",
    "no moment": "_0x1.8p3_4",
    "moment below zero": "-1_0x1.8p3_4",
    "article below zero": "1_0x1.8p3_-4",
    "superscript": "1_0x1.8p3_²",
    "digits of another script": "١_0x1.8p3_4",
    "a year beyond all calendars": "999999999999999999_0x1.8p3_4",
    "the last day of the calendar": "253402300799999999_0x1.8p3_4",
    "an article beyond the database": "1_0x1.8p3_9999999999999999999",
    "no number": "1_nan_4",
    "infinite": "1_inf_4",
    "beyond floating point": "1_0x1p99999_4",
    "a long score": f"1_0x1.{'0' * 40}p3_4",
    "a score of words": "1_points_4",
    "one part more": "1_0x1.8p3_4_5",
    "the cursor of another list": "u.1772625600000000.4",
}


@pytest.mark.parametrize("text", TAMPERED.values(), ids=TAMPERED)
def test_ignores_invalid_cursor(text: str) -> None:
    assert RankCursor.decode(text) is None


@pytest.mark.django_db
@pytest.mark.parametrize(
    "text",
    ["0_0x1.8p3_4", "9999999999999999_0x1.8p3_4", "1772625600000000_0x1p1000_1", "1772625600000000_-0x1p1000_1"],
    ids=["long ago", "far ahead", "above all", "below all"],
)
def test_made_up_cursor_lists_only_known_articles(reader: User, text: str) -> None:
    entries = make_archive(reader, 30, seed=10)
    cursor = RankCursor.decode(text)
    assert cursor is not None
    known = {entry.article_id for entry in entries}
    assert set(page_by_importance(reader, cursor, now=make.NOW, rate=0.03, size=50).article_ids) <= known
    assert set(page_by_adjusted_relevance(reader, cursor, now=make.NOW, rates=RATES, size=50).article_ids) <= known


SLOTS = {
    "the first": (datetime(1970, 1, 1, tzinfo=UTC), 0),
    "the end of the first": (datetime(1970, 1, 1, 5, 59, 59, 999999, tzinfo=UTC), 0),
    "the second": (datetime(1970, 1, 1, 6, tzinfo=UTC), 1),
    "before the first": (datetime(1969, 12, 31, 23, 59, tzinfo=UTC), -1),
}


@pytest.mark.parametrize(("moment", "slot"), SLOTS.values(), ids=SLOTS)
def test_slots_are_six_hours(moment: datetime, slot: int) -> None:
    assert slot_of(moment) == slot
