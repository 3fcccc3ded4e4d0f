"""Compiled queries give the rows of the query they were made from, whatever the values."""

from collections.abc import Collection
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.models import IntegerChoices, Q, QuerySet, TextChoices

from feeds.models import Item, Source
from feeds.storage.compiled import compiled
from tests import make

DAY = datetime(2026, 11, 28, tzinfo=UTC)
pytestmark = [pytest.mark.django_db, pytest.mark.vendor]


@pytest.fixture
def users() -> list[User]:
    return [
        User.objects.create(username=f"user {n}", is_staff=n % 2 == 1, date_joined=DAY + timedelta(days=n))
        for n in range(4)
    ]


def test_rows_are_those_of_the_values_given_each_time(users: list[User]) -> None:
    @compiled
    def named(pk: int, name: str) -> QuerySet[User, tuple[int, str]]:
        return User.objects.filter(pk=pk, username=name).values_list("pk", "username")

    assert named(users[0].pk, "user 0") == [(users[0].pk, "user 0")]
    assert named(users[1].pk, "user 1") == [(users[1].pk, "user 1")]
    assert named(users[1].pk, "user 0") == []


def test_the_query_is_built_once(users: list[User]) -> None:
    n_built = 0

    @compiled
    def one(pk: int) -> QuerySet[User, str]:
        nonlocal n_built
        n_built += 1
        return User.objects.filter(pk=pk).values_list("username", flat=True)

    assert [one(user.pk) for user in users] == [["user 0"], ["user 1"], ["user 2"], ["user 3"]]
    assert n_built == 1


def test_a_collection_may_have_another_length_each_time(users: list[User]) -> None:
    @compiled
    def names(ids: Collection[int], is_staff: bool) -> QuerySet[User, str]:
        chosen = User.objects.filter(pk__in=ids, is_staff=is_staff)
        return chosen.order_by("pk").values_list("username", flat=True)

    ids = [user.pk for user in users]
    assert names(ids, True) == ["user 1", "user 3"]
    assert names(set(ids[:2]), True) == ["user 1"]
    assert names(ids[:1], False) == ["user 0"]


def test_choices_are_the_values_they_stand_for(users: list[User]) -> None:
    class Name(TextChoices):
        FIRST = "user 0"

    class Key(IntegerChoices):
        NONE = 0

    @compiled
    def named(name: str, other_than: int) -> QuerySet[User, str]:
        return User.objects.filter(username=name).exclude(pk=other_than).values_list("username", flat=True)

    assert named(Name.FIRST, Key.NONE) == ["user 0"]


def test_an_empty_collection_finds_nothing_and_asks_nothing(users: list[User]) -> None:
    @compiled
    def some(ids: Collection[int]) -> QuerySet[User]:
        return User.objects.filter(pk__in=ids)

    assert some([users[0].pk]) == [users[0]]
    with connection.execute_wrapper(_refuse):
        assert some([]) == []


def _refuse(*_: object) -> None:
    raise AssertionError("the database was asked")


def test_none_and_booleans_change_the_query(users: list[User]) -> None:
    @compiled
    def since(day: datetime | None) -> QuerySet[User, str]:
        recent = Q(date_joined__gte=day) if day else Q()
        return User.objects.filter(recent).order_by("pk").values_list("username", flat=True)

    assert since(None) == ["user 0", "user 1", "user 2", "user 3"]
    assert since(DAY + timedelta(days=2)) == ["user 2", "user 3"]
    assert since(DAY + timedelta(days=3)) == ["user 3"]


def test_rows_can_be_objects_with_the_columns_and_relations_asked_for() -> None:
    item = make.item(make.feed(title="Planet"), make.article())

    @compiled
    def found(pk: int) -> QuerySet[Item]:
        return Item.objects.filter(pk=pk).select_related("feed").only("feed__title")

    (row,) = found(item.pk)
    assert row.get_deferred_fields() >= {"first_seen_at"}
    with connection.execute_wrapper(_refuse):
        assert row.feed.title == "Planet"


def test_uuids(users: list[User]) -> None:
    source, token, other = make.feed().source, uuid4(), uuid4()
    Source.objects.filter(pk=source.pk).update(lease_token=token)

    @compiled
    def leased(token: UUID) -> QuerySet[Source]:
        return Source.objects.filter(lease_token=token)

    assert leased(other) == []
    assert leased(token) == [source]


def test_timestamps_come_back_as_timestamps(users: list[User]) -> None:
    @compiled
    def joined(pk: int) -> QuerySet[User, datetime]:
        return User.objects.filter(pk=pk).values_list("date_joined", flat=True)

    assert joined(users[1].pk) == [DAY + timedelta(days=1)]


def test_a_number_that_no_column_can_hold_finds_what_django_finds(users: list[User]) -> None:
    @compiled
    def named(pk: int) -> QuerySet[User, str]:
        return User.objects.filter(pk=pk).values_list("username", flat=True)

    @compiled
    def up_to(pk: int) -> QuerySet[User, str]:
        return User.objects.filter(pk__lte=pk).order_by("pk").values_list("username", flat=True)

    assert named(10**30) == []
    assert up_to(10**30) == ["user 0", "user 1", "user 2", "user 3"]


def test_a_value_that_the_query_does_not_use_as_it_is_is_refused() -> None:
    @compiled
    def first(n: int) -> QuerySet[User]:
        return User.objects.all()[:n]

    with pytest.raises(ValueError, match="doesn't use each of its values as it is"):
        first(3)


def test_a_value_of_another_type_is_refused() -> None:
    @compiled
    def heavier(than: float) -> QuerySet[User]:
        return User.objects.filter(pk__gt=than)

    with pytest.raises(TypeError, match="takes no float"):
        heavier(2.5)


def test_arguments_have_no_names() -> None:
    @compiled
    def staff(is_staff: bool = False) -> QuerySet[User]:
        return User.objects.filter(is_staff=is_staff)

    with pytest.raises(TypeError, match="positional arguments only"):
        staff(is_staff=True)
