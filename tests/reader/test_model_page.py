"""Who judges relevance and why, in words; what is missing for a model."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User

from reader.learning import held_out
from reader.model_page import LEAST_OF_A_CLASS, MOST_SHOWN, model_shown
from reader.models import InterestProfile
from tests import make

pytestmark = pytest.mark.django_db


@pytest.fixture
def reader() -> User:
    return make.user()


def chosen(reader: User, kind: str, n: int, **values: object) -> None:
    for _ in range(n):
        make.engagement(reader, make.article(), kind, **values)


def test_knows_how_many_choices_a_training_needs() -> None:
    assert LEAST_OF_A_CLASS == held_out.LEAST_OF_A_CLASS


@pytest.mark.parametrize(
    ("n_for", "n_against", "words"),
    [
        pytest.param(
            0, 0, "50 more opened or liked and 50 more skipped or disliked are missing (50 of each).", id="none"
        ),
        pytest.param(52, 47, "Until a model can be trained 3 more skipped or disliked are missing", id="one class"),
        pytest.param(50, 50, "There are enough choices for a model; it is trained in the night.", id="enough"),
    ],
)
def test_says_how_many_choices_are_missing(reader: User, n_for: int, n_against: int, words: str) -> None:
    chosen(reader, "opened", n_for)
    chosen(reader, "skipped", n_against)
    chosen(make.user(), "opened", 3)
    chosen(reader, "opened", 2, happened_at=make.NOW - timedelta(days=366))
    shown = model_shown(reader, make.NOW)
    assert (shown.n_for, shown.n_against, shown.is_used, shown.drawing) == (n_for, n_against, False, None)
    assert words in shown.sentence


@pytest.mark.parametrize(
    ("is_used", "is_learning", "sentence"),
    [
        pytest.param(
            True,
            True,
            "The model judges relevance: on choices it was not shown it was at least as good "
            "(0.90 to 0.70 of average precision).",
            id="used",
        ),
        pytest.param(
            False,
            True,
            "Your interests judge relevance: on choices kept apart they were better than the model "
            "(0.90 to 0.70 of average precision).",
            id="not used",
        ),
        pytest.param(
            True, False, "Your interests judge relevance as they stand: learning is switched off.", id="switched off"
        ),
    ],
)
def test_says_who_judges_by_the_newest_training(reader: User, is_used: bool, is_learning: bool, sentence: str) -> None:
    InterestProfile.objects.create(user=reader, is_learning=is_learning)
    make.training(reader, is_used=not is_used, trained_at=make.NOW - timedelta(days=1))
    make.training(reader, is_used=is_used)
    make.training(make.user(), is_used=not is_used, trained_at=make.NOW + timedelta(days=1))
    shown = model_shown(reader, make.NOW)
    assert (shown.sentence, shown.is_used) == (sentence, is_used and is_learning)


def test_shows_two_months_of_nights_newest_first(reader: User) -> None:
    for night in range(MOST_SHOWN + 5):
        make.training(reader, trained_at=make.NOW - timedelta(days=night))
    shown = model_shown(reader, make.NOW)
    assert (len(shown.trainings), shown.trainings[0].trained_at) == (MOST_SHOWN, make.NOW)
    assert shown.drawing is not None
    assert [each.name for each in shown.drawing.series] == ["model", "profile"]
