"""Waiting work is found without importing learning code, and tasks are queued only for it."""

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from pytest_django import Settings

from feeds.models import Pending, Stage
from feeds.time_limit import MAX_TRIES
from reader.interests.backlog import (
    MIN_SENSITIVITY_LABELS,
    changed_profiles,
    needs_learning,
    needs_rating,
    profiles_to_train,
    unrated,
)
from reader.interests.terms import add_starting_interests
from reader.models import (
    ArticleFeatures,
    Assessment,
    Delivery,
    IdfTable,
    InterestProfile,
    SensitivityLabel,
    SensitivityTraining,
)
from reader.scoring.sensitivity.training import MIN_LABELS
from reader.tasks import learning, recurring
from rssmanager.env import PROJECT
from tests import make

pytestmark = pytest.mark.django_db

MINUTE = timedelta(minutes=1)
DAY = timedelta(days=1)
Called = list[str]


@pytest.fixture
def queued_tasks(monkeypatch: pytest.MonkeyPatch) -> Called:
    """The queued tasks; replaces the real queue."""
    names: Called = []
    monkeypatch.setattr(recurring, "call_worker", names.append)
    return names


@pytest.fixture
def reader() -> User:
    return make.user()


def profile(user: User, **values: object) -> InterestProfile:
    return InterestProfile.objects.create(user=user, **values)


WAITING: dict[str, tuple[dict[str, object], bool]] = {
    "nothing pending": ({}, True),
    "compared": ({"stage": Stage.MATCH}, False),
    "read for events": ({"stage": Stage.ENRICH}, False),
    "tried often": ({"stage": Stage.ENRICH, "n_tries": MAX_TRIES - 1}, False),
    "given up": ({"stage": Stage.ENRICH, "n_tries": MAX_TRIES}, True),
}


@pytest.mark.parametrize(("pending", "waits"), WAITING.values(), ids=WAITING)
def test_delivery_waits_until_deduplicated(reader: User, pending: dict[str, object], waits: bool) -> None:
    delivery = make.delivery(make.subscription(reader), make.article())
    if pending:
        Pending.objects.create(article=delivery.article, **pending)
    assert unrated().exists() == needs_rating() == waits


def test_rated_deliveries_do_not_wait(reader: User) -> None:
    make.delivery(make.subscription(reader), make.article())
    Delivery.objects.update(is_rated=True)
    assert not needs_rating()


PROFILES: dict[str, tuple[dict[str, object], bool]] = {
    "nothing learned": ({}, False),
    "never rated": ({"changed_at": make.NOW}, True),
    "rated by it": ({"changed_at": make.NOW - DAY, "rated_at": make.NOW - DAY}, False),
    "changed since": ({"changed_at": make.NOW, "rated_at": make.NOW - DAY}, True),
    "changed a minute after": ({"changed_at": make.NOW, "rated_at": make.NOW - MINUTE}, True),
    "changed back in time": ({"changed_at": make.NOW - 2 * DAY, "rated_at": make.NOW - DAY}, True),
}


@pytest.mark.parametrize(("values", "waits"), PROFILES.values(), ids=PROFILES)
def test_profile_waits_when_lists_use_an_older_one(reader: User, values: dict[str, object], waits: bool) -> None:
    profile(reader, **values)
    assert changed_profiles().exists() == needs_rating() == waits


NIGHT = make.NOW
TRAINED: dict[str, tuple[dict[str, object], bool]] = {
    "never": ({}, True),
    "the night before": ({"trained_at": NIGHT - DAY}, True),
    "this night": ({"trained_at": NIGHT}, False),
    "later, by day": ({"trained_at": NIGHT + MINUTE}, False),
    "learning switched off": ({"is_learning": False}, False),
}


@pytest.mark.parametrize(("values", "waits"), TRAINED.values(), ids=TRAINED)
def test_checks_each_user_once_a_night(reader: User, values: dict[str, object], waits: bool) -> None:
    profile(reader, **values)
    assert profiles_to_train(NIGHT).exists() == waits


def labels(n: int, *, made_at: datetime) -> None:
    for _ in range(n):
        SensitivityLabel.objects.create(
            article=make.article(), source="llm", score=2, confidence="high", made_at=made_at
        )


def idf_built(built_at: datetime) -> None:
    IdfTable.objects.create(built_at=built_at, n_articles=0, weights=b"")


def sensitivity_trained(trained_at: datetime) -> None:
    figures = ("macro_f1", "mean_absolute_error", "shipped_macro_f1", "shipped_mean_absolute_error")
    SensitivityTraining.objects.create(trained_at=trained_at, n_labels=50, **dict.fromkeys(figures, 0.5))


def features() -> None:
    ArticleFeatures.objects.create(article=make.article(), terms=b"", attributes=b"")


FOR_ALL: dict[str, tuple[tuple[Callable[[], object], ...], bool]] = {
    "nothing": ((), False),
    "no IDF table for the articles": ((features,), True),
    "an IDF table of six days": ((features, lambda: idf_built(NIGHT - 6 * DAY)), False),
    "an IDF table of a week": ((features, lambda: idf_built(NIGHT - 7 * DAY)), True),
    "too few labels": ((lambda: labels(49, made_at=NIGHT - DAY),), False),
    "labels": ((lambda: labels(50, made_at=NIGHT - DAY),), True),
    "labels of today": ((lambda: labels(50, made_at=NIGHT + MINUTE),), False),
    "labels that were learned": (
        (lambda: labels(50, made_at=NIGHT - DAY), lambda: sensitivity_trained(NIGHT - MINUTE)),
        False,
    ),
}


@pytest.mark.parametrize(("steps", "waits"), FOR_ALL.values(), ids=FOR_ALL)
def test_learning_for_all_continues_when_every_user_has_it_off(
    reader: User, steps: tuple[Callable[[], object], ...], waits: bool
) -> None:
    profile(reader, is_learning=False)
    for step in steps:
        step()
    assert needs_learning(NIGHT) == waits


def test_knows_how_many_labels_a_training_needs() -> None:
    assert MIN_SENSITIVITY_LABELS == MIN_LABELS


def test_a_worker_is_called_for_the_idf_table_alone(reader: User, queued_tasks: Called) -> None:
    profile(reader, is_learning=False)
    features()
    recurring.queue_training()
    assert queued_tasks == ["reader.tasks.learning.learn"]


def test_queues_nothing_without_work(queued_tasks: Called) -> None:
    recurring.queue_rating()
    recurring.queue_training()
    assert queued_tasks == []


def test_queues_task_for_waiting_work(reader: User, queued_tasks: Called, settings: Settings) -> None:
    make.delivery(make.subscription(reader), make.article())
    profile(reader)
    recurring.queue_rating()
    recurring.queue_training()
    assert queued_tasks == ["reader.tasks.learning.rate", "reader.tasks.learning.learn"]
    queued_tasks.clear()
    settings.ENV = replace(settings.ENV, LLM_BASE_URL="http://127.0.0.1:1/v1")
    Delivery.objects.update(is_rated=True)
    recurring.queue_rating()
    assert queued_tasks == ["reader.tasks.llm.rate_queued"]


def test_rating_twice_changes_nothing(reader: User) -> None:
    add_starting_interests(reader, ["harbour"], [], timezone.now())
    make.delivery(make.subscription(reader), make.article(title="Harbour", published_at=timezone.now()))
    learning.rate()
    first = list(Delivery.objects.values())
    learning.rate()
    assert list(Delivery.objects.values()) == first
    assert first[0]["is_rated"] is True
    assert Assessment.objects.count() == 1


def test_learns_once_a_night(reader: User) -> None:
    profile(reader)
    learning.learn()
    built_at = IdfTable.objects.get().built_at
    trained_at = InterestProfile.objects.get().trained_at
    assert trained_at is not None
    learning.learn()
    assert (IdfTable.objects.get().built_at, InterestProfile.objects.get().trained_at) == (built_at, trained_at)


def test_checking_imports_no_learning_code() -> None:
    code = (
        "import django; django.setup(); import sys, reader.tasks.recurring, reader.interests.backlog;"
        "import reader.scoring.explain, reader.lists.queries;"
        "print(sorted({'numpy', 'scipy', 'sklearn', 'spacy'} & set(sys.modules)))"
    )
    process = subprocess.run([sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True, check=True)
    assert process.stdout.strip() == "[]"
