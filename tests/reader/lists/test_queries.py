"""Lists: unread first, newest first, every article once, pages without gaps."""

from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.models import Value
from django.test.utils import CaptureQueriesContext

from feeds.models import Disposition
from reader.articles.read_state import mark_read, star
from reader.lists.queries import (
    NO,
    PAGE_SIZE,
    YES,
    Cursor,
    Page,
    all_of,
    of_folder,
    of_subscription,
    page_of,
    selection_of,
    starred_page,
)
from reader.lists.sidebar import sidebar_of
from reader.models import Delivery, Subscription
from tests import make
from tests.reader.assessed import make_assessed

pytestmark = [pytest.mark.django_db, pytest.mark.vendor]


@pytest.fixture
def reader() -> User:
    return make.user()


def all_titles(user: User, deliveries: object, size: int) -> list[str]:
    titles: list[str] = []
    cursor = None
    while True:
        page: Page = page_of(user, deliveries, cursor, now=make.NOW, size=size)  # type: ignore[arg-type]
        titles += [row.article.title for row in page.rows]
        if not page.next_cursor:
            return titles
        cursor = Cursor.decode(page.next_cursor)
        assert cursor is not None


def fill(subscription: Subscription, n: int, *, prefix: str = "", is_read: bool = False) -> list[int]:
    ids = []
    for number in range(n):
        article = make.article(title=f"{prefix}{number:03}", published_at=make.NOW - timedelta(hours=number // 3))
        make.delivery(subscription, article, is_read=is_read)
        ids.append(article.pk)
    return ids


@pytest.mark.parametrize(
    ("disposition", "is_folded", "is_scored"),
    [
        pytest.param(Disposition.NEAR_DUPLICATE, True, False, id="a folded copy"),
        pytest.param(Disposition.NEAR_DUPLICATE, False, True, id="a copy that is shown"),
        pytest.param(Disposition.SAME_EVENT, True, True, id="a folded report of the same event"),
    ],
)
def test_only_a_folded_copy_has_no_score_of_its_own(
    reader: User, disposition: str, is_folded: bool, is_scored: bool
) -> None:
    subscription = make.subscription(reader)
    lead, other = make_assessed(subscription, title="lead"), make_assessed(subscription, title="other")
    make.story(lead, other, disposition=disposition, lead=lead)
    Delivery.objects.filter(article=other).update(is_folded=is_folded, is_folded_in_folder=is_folded)
    rows = {row.article.title: row for row in page_of(reader, of_subscription(subscription), None, now=make.NOW).rows}
    assert {title: row.rating is not None for title, row in rows.items()} == {"lead": True, "other": is_scored}


@pytest.mark.parametrize("size", [1, 2, 3, 7, 50])
def test_pages_without_gaps_or_repeats(reader: User, size: int) -> None:
    subscription = make.subscription(reader)
    fill(subscription, 10, prefix="unread ")
    fill(subscription, 7, prefix="read ", is_read=True)
    titles = all_titles(reader, all_of(reader), size)
    assert sorted(titles) == sorted({*titles})
    assert len(titles) == 17
    assert all(title.startswith("unread") for title in titles[:10])


@pytest.mark.parametrize("size", [1, 2, 5])
def test_lists_article_of_several_feeds_once(reader: User, size: int) -> None:
    first, second, third = (make.subscription(reader) for _ in range(3))
    for article in [make.article() for _ in range(6)]:
        make.delivery(first, article)
        make.delivery(second, article)
        make.delivery(third, article)
    assert len(all_titles(reader, all_of(reader), size)) == 6
    rows = page_of(reader, all_of(reader), None, now=make.NOW).rows
    assert {len(row.also_in) for row in rows} == {2}


def test_names_only_followed_feeds(reader: User) -> None:
    article = make.article()
    make.delivery(make.subscription(reader, title="Mine"), article)
    make.delivery(make.subscription(make.user(), title="Theirs"), article)
    row = page_of(reader, all_of(reader), None, now=make.NOW).rows[0]
    assert (row.source, row.also_in) == ("Mine", ())


def test_folder_and_feed_lists_contain_only_their_own(reader: User) -> None:
    folder = make.folder(reader)
    inside, outside = make.subscription(reader, folder=folder), make.subscription(reader)
    fill(inside, 2, prefix="in ")
    fill(outside, 2, prefix="out ")
    assert {title[:3] for title in all_titles(reader, of_folder(reader, folder), 10)} == {"in "}
    assert {title[:3] for title in all_titles(reader, of_subscription(outside), 10)} == {"out"}


def test_reading_while_paging_repeats_and_skips_nothing(reader: User) -> None:
    subscription = make.subscription(reader)
    ids = fill(subscription, 6)
    first = page_of(reader, all_of(reader), None, now=make.NOW, size=3)
    mark_read(reader, [row.article.pk for row in first.rows])
    second = page_of(reader, all_of(reader), Cursor.decode(first.next_cursor), now=make.NOW, size=3)
    assert {row.article.pk for row in (*first.rows, *second.rows)} == set(ids)


@pytest.mark.parametrize("n", [1, 60], ids=["one", "sixty"])
def test_page_takes_constant_queries(reader: User, n: int, django_assert_num_queries: object) -> None:
    fill(make.subscription(reader), n)
    with django_assert_num_queries(6 if n == 1 else 5):  # type: ignore[operator]
        page_of(reader, all_of(reader), None, now=make.NOW)


@pytest.mark.parametrize("is_read", [NO, YES], ids=["unread", "read"])
@pytest.mark.parametrize("name", ["user", "folder", "subscription"])
def test_each_half_of_a_list_is_an_index_range(reader: User, name: str, is_read: Value) -> None:
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL plans by statistics, which a few rows do not give")
    subscription = make.subscription(reader, folder=make.folder(reader))
    deliveries = {
        "user": all_of(reader),
        "folder": of_folder(reader, subscription.folder),
        "subscription": of_subscription(subscription),
    }[name].filter(is_read=is_read)
    plan = deliveries.order_by("-published_at", "-article_id")[:PAGE_SIZE].explain()
    assert f"delivery_of_{name} (" in plan
    assert "is_read=?" in plan
    assert "TEMP B-TREE" not in plan


def test_no_page_scans_all_deliveries(reader: User) -> None:
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL plans by statistics, which a few rows do not give")
    subscription = make.subscription(reader)
    articles = [make.article() for _ in range(3)]
    for article in articles:
        make.delivery(subscription, article)
    make.story(*articles)
    with CaptureQueriesContext(connection) as queries:
        page_of(reader, all_of(reader), None, now=make.NOW)
    statements = [query["sql"] for query in queries if "reader_delivery" in query["sql"]]
    with connection.cursor() as cursor:
        plans = [cursor.execute(f"EXPLAIN QUERY PLAN {sql}").fetchall() for sql in statements]
    steps = [line[3] for plan in plans for line in plan if "delivery" in line[3]]
    assert any("delivery_of_article (article_id=? AND user_id=?)" in step for step in steps)
    assert not [step for step in steps if step.endswith("(user_id=?)")]


def test_sorts_starred_by_time_of_starring(reader: User) -> None:
    ids = fill(make.subscription(reader), 5)
    for minute, pk in enumerate(ids):
        star(reader, pk, is_starred=True, now=make.NOW + timedelta(minutes=minute))
    first = starred_page(reader, None, now=make.NOW, size=3)
    second = starred_page(reader, Cursor.decode(first.next_cursor), now=make.NOW, size=3)
    assert [row.article.pk for row in (*first.rows, *second.rows)] == ids[::-1]
    assert second.next_cursor == ""


def test_selection_has_n_of_each_category(reader: User) -> None:
    tab = make.folder(reader, "中文新聞", item_limit_per_category=2)
    for category in ("國際", "政治"):
        fill(make.subscription(reader, folder=tab, category=category), 5, prefix=category)
    chosen = selection_of(reader, tab, now=make.NOW)
    assert [(category, len(rows)) for category, rows in chosen] == [("國際", 2), ("政治", 2)]
    assert all(row.article.title.startswith(category) for category, rows in chosen for row in rows)


@pytest.mark.parametrize("n", [1, 30], ids=["one", "thirty"])
def test_selection_takes_constant_queries(reader: User, n: int, django_assert_num_queries: object) -> None:
    tab = make.folder(reader, item_limit_per_category=2)
    for number in range(n):
        fill(make.subscription(reader, folder=tab, category=f"category {number}"), 3)
    with django_assert_num_queries(5):  # type: ignore[operator]
        assert [len(rows) for _, rows in selection_of(reader, tab, now=make.NOW)] == [2] * n


def test_selection_fills_up_with_distinct_articles(reader: User) -> None:
    tab = make.folder(reader, item_limit_per_category=2)
    first, second = (make.subscription(reader, folder=tab, category="World") for _ in range(2))
    for title in ("a", "b", "c"):
        article = make.article(title=title, published_at=make.NOW - timedelta(hours=ord(title)))
        make.delivery(first, article)
        make.delivery(second, article)
    [(category, rows)] = selection_of(reader, tab, now=make.NOW)
    assert (category, [row.article.title for row in rows]) == ("World", ["a", "b"])


def test_unread_count_counts_each_article_once(reader: User) -> None:
    article = make.article()
    for _ in range(2):
        make.delivery(make.subscription(reader), article)
    fill(make.subscription(reader), 3)
    fill(make.subscription(reader), 2, is_read=True)
    assert sidebar_of(reader, here="home").n_unread == 4


@pytest.mark.parametrize(
    "text",
    ["", "x", "u", "u.1", "u.1.", "u..1", "q.1.1", "u.1.1.1", "u.-1.-1", "u.99999999999999999999.1", "u.1.²", "u.١.1"],
)
def test_ignores_invalid_cursor(text: str) -> None:
    assert Cursor.decode(text) is None


def test_cursor_round_trips_through_query_string() -> None:
    cursor = Cursor(True, datetime(1969, 7, 20, 20, 17, 40, 123456, tzinfo=UTC), 42)
    assert Cursor.decode(cursor.encode()) == cursor
