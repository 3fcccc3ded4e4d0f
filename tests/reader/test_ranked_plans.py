"""Query plans of ranked lists: index ranges without sorting."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from reader.interests.backlog import unrated
from reader.models import Delivery
from reader.scoring.decay import RATES
from reader.scoring.ranked_order import RankCursor, RankedPage, page_by_adjusted_relevance, page_by_importance
from reader.subscriptions.delivery import deliver
from tests import make
from tests.reader.archive import Entry, articles, copy_of, make_archive

pytestmark = pytest.mark.django_db

Asks = Callable[[User, RankCursor | None], RankedPage]
ORDERS: dict[str, tuple[Asks, set[str]]] = {
    "importance": (
        lambda user, cursor: page_by_importance(user, cursor, now=make.NOW, rate=0.03, size=20),
        {"delivery_by_slot", "delivery_by_static_importance"},
    ),
    "relevance": (
        lambda user, cursor: page_by_adjusted_relevance(user, cursor, now=make.NOW, rates=RATES, size=20),
        {"delivery_by_decay_key"},
    ),
}


@pytest.fixture
def reader() -> User:
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL plans by statistics, which a few rows do not give")
    return make.user()


def plan_of(sql: str) -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {sql}")
        return [row[-1] for row in cursor.fetchall()]


def check(statements: list[str], indexes: set[str]) -> None:
    """Check that every row comes from one of these indexes, all are used, and nothing is sorted."""
    used = set()
    for sql in statements:
        lines = plan_of(sql)
        assert not [line for line in lines if "TEMP B-TREE" in line or "SCAN reader_delivery" in line]
        looks = [line for line in lines if "reader_delivery" in line]
        used_indexes = {name for name in indexes for line in looks if f"INDEX {name} (" in line}
        assert len([line for line in looks if any(f"INDEX {name} (" in line for name in indexes)]) == len(looks) > 0
        used |= used_indexes
    assert used == indexes


@pytest.mark.parametrize(("ask", "indexes"), ORDERS.values(), ids=ORDERS)
def test_pages_are_ranges_of_partial_indexes(reader: User, ask: Asks, indexes: set[str]) -> None:
    make_archive(reader, 200, seed=1)
    with CaptureQueriesContext(connection) as first:
        page = ask(reader, None)
    with CaptureQueriesContext(connection) as second:
        ask(reader, page.following)
    check([query["sql"] for query in first], indexes)
    check([query["sql"] for query in second], indexes)


@pytest.mark.parametrize(("ask", "indexes"), ORDERS.values(), ids=ORDERS)
def test_further_reads_resume_in_the_index(reader: User, ask: Asks, indexes: set[str]) -> None:
    subscription = make.subscription(reader)
    stored = articles([make.NOW] * 300)
    Delivery.objects.bulk_create(
        copy_of(Entry(article.pk, article.published_at, False, 20.0, 50.0, 3), subscription) for article in stored
    )
    with CaptureQueriesContext(connection) as captured:
        ask(reader, None)
    assert [query["sql"].count("LIMIT 32") for query in captured][1] > 0  # 4 × 8
    check([query["sql"] for query in captured], indexes)


def test_finds_unrated_rows_by_partial_index(reader: User) -> None:
    waiting = unrated().order_by("-article", "pk").values_list("pk")[:10]
    lines = waiting.explain()
    assert "INDEX delivery_not_rated" in lines
    assert "SCAN reader_delivery USING" in lines or "SEARCH reader_delivery USING" in lines


def test_delivering_reads_only_new_items(reader: User) -> None:
    subscription = make.subscription(reader)
    make.item(subscription.feed, make.article())
    with CaptureQueriesContext(connection) as captured:
        assert deliver() == 1
    [bringing] = [query["sql"] for query in captured if "INSERT INTO reader_delivery" in query["sql"]]
    lines = plan_of(bringing)
    assert not [line for line in lines if line.startswith("SCAN")]
    assert [line for line in lines if line.startswith("SEARCH i USING") and "feed_id=?" in line]
