"""Predictors are cached and reloaded when they change."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from pytest_django import DjangoAssertNumQueries

from reader.interests.engagement import record_action
from reader.interests.predictor import Predictor, PredictorCache, load_predictor
from reader.interests.terms import add_starting_interests, mute, raise_term, remove_term, reset, set_learning
from reader.models import InterestProfile
from tests import make

pytestmark = pytest.mark.django_db

LATER = make.NOW + timedelta(hours=1)


@pytest.fixture
def reader() -> User:
    user = make.user()
    add_starting_interests(user, ["harbour"], (), make.NOW)
    return user


def test_caches_predictor_without_term_names(reader: User) -> None:
    taste = PredictorCache().get_many([reader.pk])[reader.pk]
    fresh = load_predictor(reader)
    assert fresh.profile.weights
    assert (taste.profile.weights, taste.profile.evidence) == (fresh.profile.weights, fresh.profile.evidence)
    assert (taste.changed_at, taste.profile.terms) == (make.NOW, ())


def test_checks_cached_users_only_for_changes(reader: User, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    others = [make.user() for _ in range(3)]
    ids = [reader.pk, *(other.pk for other in others)]
    tastes = PredictorCache()
    first = tastes.get_many(ids)
    with django_assert_num_queries(1):
        reloaded = tastes.get_many(ids)
    assert all(reloaded[pk] is first[pk] for pk in ids)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda user: add_starting_interests(user, ["library"], (), LATER), id="a topic named"),
        pytest.param(lambda user: raise_term(user, "harbour", LATER), id="a term weighed"),
        pytest.param(lambda user: mute(user, "harbour", LATER), id="a term muted"),
        pytest.param(lambda user: remove_term(user, "harbour", LATER), id="a term removed"),
        pytest.param(lambda user: reset(user, LATER), id="everything forgotten"),
        pytest.param(
            lambda user: record_action(user, make.article(title="Cranes"), "liked", now=LATER), id="something liked"
        ),
    ],
)
def test_reloads_changed_predictors(reader: User, change: Callable[[User], object]) -> None:
    tastes = PredictorCache()
    before = tastes.get_many([reader.pk])[reader.pk].profile.weights
    change(reader)
    taste = tastes.get_many([reader.pk])[reader.pk]
    assert taste.profile.weights == load_predictor(reader).profile.weights != before
    assert taste.changed_at == LATER


def test_switches_between_profile_and_model(reader: User) -> None:
    tastes = PredictorCache()
    assert tastes.get_many([reader.pk])[reader.pk].model is None
    make.training(reader, is_used=True, intercept=1.5)
    InterestProfile.objects.filter(user=reader).update(changed_at=LATER)  # as training does within its transaction
    model = tastes.get_many([reader.pk])[reader.pk].model
    assert model is not None
    assert model.intercept == 1.5
    set_learning(reader, False, LATER + timedelta(hours=1))
    assert tastes.get_many([reader.pk])[reader.pk].model is None


def test_finds_a_first_profile(reader: User) -> None:
    newcomer = make.user()
    tastes = PredictorCache()
    nobody = tastes.get_many([newcomer.pk])[newcomer.pk]
    assert (nobody.profile.weights, nobody.changed_at) == (Predictor().profile.weights, None)
    add_starting_interests(newcomer, ["library"], (), LATER)
    assert tastes.get_many([newcomer.pk])[newcomer.pk].profile.weights


def test_omits_deleted_users(reader: User) -> None:
    gone = reader.pk
    reader.delete()
    assert PredictorCache().get_many([gone]) == {}
    assert PredictorCache().get_many([]) == {}


def test_limits_its_size(reader: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reader.interests.predictor.CACHE_SIZE", 2)
    others = [make.user() for _ in range(3)]
    tastes = PredictorCache()
    first = tastes.get_many([reader.pk])[reader.pk]
    tastes.get_many([others[0].pk])
    assert tastes.get_many([reader.pk])[reader.pk] is first
    assert len(tastes.get_many([other.pk for other in others])) == 3
    assert tastes.get_many([reader.pk])[reader.pk] is not first
