"""Tastes are read once, and again when they changed."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from pytest_django import DjangoAssertNumQueries

from reader import known_tastes
from reader.engaging import engage
from reader.interests import add_topic, mute, remove, reset, set_learning, set_weight
from reader.known_tastes import KnownTastes
from reader.models import InterestProfile
from reader.tastes import Taste, taste_of
from tests import make

pytestmark = pytest.mark.django_db

LATER = make.NOW + timedelta(hours=1)


@pytest.fixture
def reader() -> User:
    user = make.user()
    add_topic(user, "harbour", make.NOW)
    return user


def test_says_what_is_kept_without_the_names_of_terms(reader: User) -> None:
    found = KnownTastes().of([reader.pk])[reader.pk]
    fresh = taste_of(reader)
    assert fresh.profile.numbers
    assert (found.profile.numbers, found.profile.evidence) == (fresh.profile.numbers, fresh.profile.evidence)
    assert (found.changed_at, found.profile.pulls) == (make.NOW, ())


def test_asks_only_whether_anything_changed_about_who_is_known(
    reader: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    others = [make.user() for _ in range(3)]
    ids = [reader.pk, *(each.pk for each in others)]
    tastes = KnownTastes()
    first = tastes.of(ids)
    with django_assert_num_queries(1):
        again = tastes.of(ids)
    assert all(again[pk] is first[pk] for pk in ids)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda user: add_topic(user, "library", LATER), id="a topic named"),
        pytest.param(lambda user: set_weight(user, "harbour", 7.0, LATER), id="a term weighed"),
        pytest.param(lambda user: mute(user, "harbour", LATER), id="a term muted"),
        pytest.param(lambda user: remove(user, "harbour", LATER), id="a term removed"),
        pytest.param(lambda user: reset(user, LATER), id="everything forgotten"),
        pytest.param(lambda user: engage(user, make.article(title="Cranes"), "liked", now=LATER), id="something liked"),
    ],
)
def test_reads_again_what_changed(reader: User, change: Callable[[User], object]) -> None:
    tastes = KnownTastes()
    before = tastes.of([reader.pk])[reader.pk].profile.numbers
    change(reader)
    found = tastes.of([reader.pk])[reader.pk]
    assert found.profile.numbers == taste_of(reader).profile.numbers != before
    assert found.changed_at == LATER


def test_follows_from_profile_to_model_and_back(reader: User) -> None:
    tastes = KnownTastes()
    assert tastes.of([reader.pk])[reader.pk].model is None
    make.training(reader, is_used=True, intercept=1.5)
    InterestProfile.objects.filter(user=reader).update(changed_at=LATER)  # as training does in its transaction
    model = tastes.of([reader.pk])[reader.pk].model
    assert model is not None
    assert model.intercept == 1.5
    set_learning(reader, False, LATER + timedelta(hours=1))
    assert tastes.of([reader.pk])[reader.pk].model is None


def test_knows_a_first_profile(reader: User) -> None:
    newcomer = make.user()
    tastes = KnownTastes()
    nobody = tastes.of([newcomer.pk])[newcomer.pk]
    assert (nobody.profile.numbers, nobody.changed_at) == (Taste().profile.numbers, None)
    add_topic(newcomer, "library", LATER)
    assert tastes.of([newcomer.pk])[newcomer.pk].profile.numbers


def test_says_nothing_of_who_is_gone(reader: User) -> None:
    gone = reader.pk
    reader.delete()
    assert KnownTastes().of([gone]) == {}
    assert KnownTastes().of([]) == {}


def test_remembers_no_more_than_its_limit(reader: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known_tastes, "MOST", 2)
    others = [make.user() for _ in range(3)]
    tastes = KnownTastes()
    first = tastes.of([reader.pk])[reader.pk]
    tastes.of([others[0].pk])
    assert tastes.of([reader.pk])[reader.pk] is first
    assert len(tastes.of([each.pk for each in others])) == 3
    assert tastes.of([reader.pk])[reader.pk] is not first
