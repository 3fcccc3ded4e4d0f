"""Marking a list or a part of it read, and undoing exactly that."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from reader.articles.actions import open_article, set_read
from reader.lists import mark_all_read
from reader.lists.mark_all_read import KEPT_FOR, MAX_KEPT, Reach, mark_list_read, undo_bulk_read, within
from reader.lists.queries import all_of, of_folder
from reader.models import ArticleState, BulkRead, Delivery, Engagement, Subscription
from reader.stories.collapse import fold
from tests import make
from tests.markup import tight

pytestmark = pytest.mark.django_db

FAR = 2**53


@pytest.fixture
def ada() -> User:
    return make.user("ada")


@pytest.fixture
def five(ada: User) -> list[Delivery]:
    """Five deliveries, newest first, an hour to 40 days old; the third is read already."""
    subscription = make.subscription(ada, folder=make.folder(ada))
    ages = (timedelta(hours=1), timedelta(hours=30), timedelta(days=3), timedelta(days=10), timedelta(days=40))
    return [
        make.delivery(subscription, make.article(published_at=make.NOW - age), is_read=number == 2)
        for number, age in enumerate(ages)
    ]


def unread() -> set[int]:
    return set(Delivery.objects.filter(is_read=False).values_list("pk", flat=True))


def mark_all(user: User, reach: Reach = Reach.ALL, at: Delivery | None = None) -> BulkRead | None:
    row = at.article if at else None
    deliveries = all_of(user, with_folded=True).filter(within(reach, row, now=make.NOW))
    return mark_list_read(user, deliveries, up_to=FAR, now=make.NOW)


@pytest.mark.parametrize(
    ("reach", "at", "left"),
    [
        (Reach.ALL, None, []),
        (Reach.ABOVE, 3, [3, 4]),
        (Reach.BELOW, 1, [0, 1]),
        (Reach.ABOVE, 0, [0, 1, 3, 4]),
        (Reach.DAY, None, [0]),
        (Reach.WEEK, None, [0, 1]),
        (Reach.MONTH, None, [0, 1, 3]),
    ],
    ids=lambda value: str(value),
)
def test_marks_range_and_undoes_it(
    ada: User, five: list[Delivery], reach: Reach, at: int | None, left: list[int]
) -> None:
    before = unread()
    bulk_read = mark_all(ada, reach, five[at] if at is not None else None)
    assert unread() == {five[number].pk for number in left}
    if bulk_read is not None:
        assert bulk_read.n_articles == 4 - len(left)
        assert undo_bulk_read(ada, bulk_read, now=make.NOW) == 4 - len(left)
    assert unread() == before
    assert Subscription.objects.get().unread_count == 4
    assert not Engagement.objects.exists()


def test_confirmation_counts_what_the_page_counted(ada: User, client: Client) -> None:
    client.force_login(ada)
    lead, other = (make.delivery(make.subscription(ada), make.article()).article for _ in range(2))
    make.story(lead, other, lead=lead)
    fold([lead.pk])
    page = client.get("/all/")
    assert "1 unread" in page.content.decode()
    marked = client.post("/read/", {"up_to": page.context["newest"]}, follow=True).content.decode()
    assert "1 article marked as read." in marked
    assert unread() == set()
    undone = client.post(reverse("sweep_undo", args=[BulkRead.objects.get().pk]), follow=True).content.decode()
    assert "1 article unread again." in undone
    assert len(unread()) == 2


def test_later_id_comes_first_for_equal_dates(ada: User) -> None:
    subscription = make.subscription(ada)
    first, row, last = (make.delivery(subscription, make.article(published_at=make.NOW)) for _ in range(3))
    mark_all(ada, Reach.ABOVE, row)
    assert unread() == {first.pk, row.pk}
    mark_all(ada, Reach.BELOW, row)
    assert unread() == {row.pk}
    assert last.pk not in unread()


def test_stores_no_record_if_nothing_was_unread(ada: User) -> None:
    make.delivery(make.subscription(ada), make.article(), is_read=True)
    assert mark_all(ada) is None
    assert not BulkRead.objects.exists()


def test_undoing_twice_changes_nothing(ada: User, five: list[Delivery]) -> None:
    bulk_read = mark_all(ada)
    assert bulk_read is not None
    assert undo_bulk_read(ada, bulk_read, now=make.NOW) == 4
    mark_all(ada)
    assert undo_bulk_read(ada, bulk_read, now=make.NOW) is None
    assert unread() == set()


def test_articles_opened_since_stay_read(ada: User, five: list[Delivery]) -> None:
    bulk_read = mark_all(ada)
    assert bulk_read is not None
    open_article(ada, five[0].article, is_read=True, now=make.NOW + timedelta(minutes=1))
    assert undo_bulk_read(ada, bulk_read, now=make.NOW + timedelta(minutes=2)) == 3
    assert five[0].pk not in unread()


def test_does_not_count_articles_kept_unread_since(ada: User, five: list[Delivery]) -> None:
    bulk_read = mark_all(ada)
    assert bulk_read is not None
    set_read(ada, five[1].article, is_read=False, now=make.NOW + timedelta(minutes=1))
    assert undo_bulk_read(ada, bulk_read, now=make.NOW + timedelta(minutes=2)) == 3
    assert len(unread()) == 4


def test_undoes_despite_deleted_articles(ada: User, five: list[Delivery]) -> None:
    bulk_read = mark_all(ada)
    assert bulk_read is not None
    five[0].article.delete()
    assert undo_bulk_read(ada, bulk_read, now=make.NOW) == 3


def test_folded_articles_stay_folded(ada: User, five: list[Delivery]) -> None:
    Delivery.objects.filter(pk=five[1].pk).update(is_folded=True, is_folded_in_folder=True)
    bulk_read = mark_all(ada)
    assert bulk_read is not None
    undo_bulk_read(ada, bulk_read, now=make.NOW)
    assert list(Delivery.objects.filter(is_folded=True, is_read=False)) == [five[1]]


def test_article_of_two_feeds_counts_once_and_is_restored_in_both(ada: User) -> None:
    folder = make.folder(ada)
    article = make.article()
    for subscription in (make.subscription(ada, folder=folder), make.subscription(ada)):
        make.delivery(subscription, article)
    bulk_read = mark_list_read(ada, of_folder(ada, folder, with_folded=True), up_to=FAR, now=make.NOW)
    assert bulk_read is not None
    assert (bulk_read.n_articles, unread()) == (1, set())
    assert undo_bulk_read(ada, bulk_read, now=make.NOW) == 1
    assert len(unread()) == 2
    assert list(Subscription.objects.values_list("unread_count", flat=True)) == [1, 1]
    assert list(ArticleState.objects.values_list("is_read", flat=True)) == [False]


def test_cannot_be_undone_after_a_day(ada: User, five: list[Delivery]) -> None:
    bulk_read = mark_all(ada)
    assert bulk_read is not None
    assert undo_bulk_read(ada, bulk_read, now=make.NOW + KEPT_FOR + timedelta(seconds=1)) is None
    assert unread() == set()


def test_deletes_only_old_records(ada: User, five: list[Delivery]) -> None:
    theirs = make.bulk_read(make.user(), [1], made_at=make.NOW - 2 * KEPT_FOR)
    make.bulk_read(ada, [1], made_at=make.NOW - 2 * KEPT_FOR)
    for _ in range(MAX_KEPT + 2):
        bulk_read = mark_all(ada)
        assert bulk_read is not None
        undo_bulk_read(ada, bulk_read, now=make.NOW)
    assert BulkRead.objects.filter(user=ada).count() == MAX_KEPT
    assert list(BulkRead.objects.exclude(user=ada)) == [theirs]


def test_cannot_undo_for_another_user(ada: User, five: list[Delivery]) -> None:
    bulk_read = mark_all(ada)
    assert bulk_read is not None
    assert undo_bulk_read(make.user(), bulk_read, now=make.NOW) is None
    assert unread() == set()


def test_undoes_in_chunks(ada: User, five: list[Delivery], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mark_all_read, "CHUNK", 3)
    bulk_read = mark_all(ada)
    assert bulk_read is not None
    assert undo_bulk_read(ada, bulk_read, now=make.NOW) == 4


@pytest.mark.parametrize("n", [1, 30])
def test_takes_constant_queries(ada: User, n: int, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    subscription = make.subscription(ada)
    for _ in range(n):
        make.delivery(subscription, make.article())
    with django_assert_num_queries(15):
        bulk_read = mark_all(ada)
    assert bulk_read is not None
    with django_assert_num_queries(12):
        assert undo_bulk_read(ada, bulk_read, now=make.NOW) == n


@pytest.fixture
def browser(client: Client, ada: User) -> Client:
    client.force_login(ada)
    return client


def test_message_offers_undo(browser: Client, ada: User, five: list[Delivery]) -> None:
    browser.post("/read/", {"up_to": FAR, "next": "/all/?show=unread"})
    undo = reverse("sweep_undo", args=[BulkRead.objects.get().pk])
    page = browser.get("/all/").content.decode()
    assert "4 articles marked as read." in page
    assert f'formaction="{undo}" data-undo' in tight(page)
    assert browser.post(undo, {"next": "/all/"})["Location"] == "/all/"
    assert "4 articles unread again." in browser.get("/all/").content.decode()
    browser.post(undo)
    assert "This can no longer be undone" in browser.get("/all/").content.decode()


def test_marks_from_a_row_and_returns_to_it(browser: Client, five: list[Delivery]) -> None:
    row = five[1].article_id
    page = browser.get("/all/").content.decode()
    assert f'formaction="/read/?which=below&amp;at={row}&amp;up_to=' in page
    response = browser.post(f"/read/?which=below&at={row}&up_to={FAR}&next=%2Fall%2F%3Fshow%3Dunread", {"next": "/"})
    assert response["Location"] == f"/all/?show=unread#a{row}"
    assert unread() == {five[0].pk, five[1].pk}


@pytest.mark.parametrize(
    "sent",
    [{"which": "some"}, {"which": "above"}, {"which": "below", "at": "x"}, {"which": "all", "up_to": ""}],
    ids=lambda value: " ".join(value.values()),
)
def test_refuses_invalid_input(browser: Client, five: list[Delivery], sent: dict[str, str]) -> None:
    before = unread()
    assert browser.post("/read/", {"up_to": FAR} | sent).status_code == 400
    assert unread() == before


def test_does_not_find_rows_of_others(browser: Client, five: list[Delivery]) -> None:
    theirs = make.delivery(make.subscription(make.user()), make.article())
    before = unread()
    assert browser.post("/read/", {"up_to": FAR, "which": "above", "at": theirs.article_id}).status_code == 404
    assert unread() == before
