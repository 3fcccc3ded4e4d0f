"""Prepared queries answer as the queries that they are made of, for whatever ids, and refuse what they could not."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.models import Count, QuerySet
from django.test.utils import CaptureQueriesContext

from reader.models import Folder, Preferences
from reader.prepared import prepared

pytestmark = pytest.mark.django_db


@prepared
def named(user_id: int, after: int) -> QuerySet[Folder, tuple[str, int | None]]:
    folders = Folder.objects.filter(user=user_id, pk__gt=after)
    return folders.values_list("name", "item_limit_per_category")[:2]


def user_with(name: str, *limits: int) -> User:
    user = User.objects.create_user(name)
    Folder.objects.bulk_create(Folder(user=user, name=f"{name} {n}", item_limit_per_category=n) for n in limits)
    return user


def test_each_asks_with_its_own_ids() -> None:
    ann, bob = user_with("ann", 1, 2, 3, 4), user_with("bob", 2)
    first, second = Folder.objects.get(name="ann 1").pk, Folder.objects.get(name="bob 2").pk
    assert named(ann.pk, first) == [("ann 2", 2), ("ann 3", 3)]
    assert named(bob.pk, first) == [("bob 2", 2)]
    assert named(bob.pk, second) == []


def test_the_query_is_built_once() -> None:
    calls = []

    @prepared
    def counted(user_id: int) -> QuerySet[Folder, tuple[int]]:
        calls.append(user_id)
        return Folder.objects.filter(user=user_id).order_by().values("user").annotate(n=Count("pk")).values_list("n")

    ann = user_with("ann", 1, 2)
    with CaptureQueriesContext(connection) as asked:
        assert [counted(ann.pk), counted(ann.pk), counted(ann.pk + 1)] == [[(2,)], [(2,)], []]
    assert (len(calls), len(asked)) == (1, 3)


def test_what_must_be_converted_is_refused() -> None:
    """SQLite gives moments as words and truths as numbers."""

    @prepared
    def joined(user_id: int) -> QuerySet[User, tuple[Any]]:
        return User.objects.filter(pk=user_id).values_list("date_joined")

    @prepared
    def truth(user_id: int) -> QuerySet[Preferences, tuple[bool]]:
        return Preferences.objects.filter(user=user_id).values_list("has_pictures")

    if connection.vendor == "sqlite":
        for each in (joined, truth):
            with pytest.raises(TypeError, match="must be converted"):
                each(1)


def test_an_id_that_is_not_asked_with_is_refused() -> None:
    @prepared
    def careless(user_id: int) -> QuerySet[Folder, tuple[str]]:
        return Folder.objects.values_list("name")

    with pytest.raises(TypeError, match="does not ask with each of its ids"):
        careless(1)
