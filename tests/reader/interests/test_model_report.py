"""The report on the relevance model: what is in use and why, or what is missing."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.contrib.auth.models import User

from reader.interests.learning import holdout
from reader.interests.model_report import MAX_SHOWN, MIN_PER_CLASS, load_report
from reader.interests.train import train_user
from reader.models import ArticleFeatures, InterestProfile
from tests import make

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)


@pytest.fixture
def reader() -> User:
    return make.user()


def chosen(reader: User, kind: str, n: int, **values: object) -> None:
    for _ in range(n):
        article = make.article()
        ArticleFeatures.objects.create(article=article, terms=b"", attributes=b"")
        make.engagement(reader, article, kind, **values)


def test_counts_choices_needed_for_training() -> None:
    assert MIN_PER_CLASS == holdout.MIN_PER_CLASS


@pytest.mark.parametrize(
    ("n_for", "n_against", "words"),
    [
        pytest.param(
            0, 0, "we need 50 more opened or liked and 50 more skipped or disliked (at least 50 of each).", id="none"
        ),
        pytest.param(52, 47, "To train a model, we need 3 more skipped or disliked", id="one class"),
        pytest.param(50, 50, "You have enough choices for a model; it will be trained tonight.", id="enough"),
    ],
)
def test_shows_how_many_choices_are_missing(reader: User, n_for: int, n_against: int, words: str) -> None:
    chosen(reader, "opened", n_for)
    chosen(reader, "skipped", n_against)
    chosen(make.user(), "opened", 3)
    chosen(reader, "opened", 2, happened_at=make.NOW - timedelta(days=366))
    report = load_report(reader, make.NOW)
    assert (report.n_for, report.n_against, report.is_used, report.chart) == (n_for, n_against, False, None)
    assert words in report.sentence


NOT_LEARNED: dict[str, Callable[[User], object]] = {
    "passed over": lambda reader: chosen(reader, "passed", 50),
    "before a reset": lambda reader: InterestProfile.objects.create(user=reader, forgotten_at=make.NOW + HOUR),
    "without features": lambda reader: ArticleFeatures.objects.all().delete(),
}


@pytest.mark.parametrize("step", NOT_LEARNED.values(), ids=NOT_LEARNED)
def test_promises_no_training_on_what_a_training_ignores(reader: User, step: Callable[[User], object]) -> None:
    chosen(reader, "opened", 50)
    chosen(reader, "skipped", 49)
    step(reader)
    shown = load_report(reader, make.NOW + 2 * HOUR)
    trained = train_user(reader, now=make.NOW + 2 * HOUR)
    assert (shown.n_for, shown.n_against) == (trained.n_positive, trained.n_negative)
    assert "To train a model, we need" in shown.sentence


@pytest.mark.parametrize(
    ("is_used", "is_learning", "sentence"),
    [
        pytest.param(
            True,
            True,
            "Relevance comes from the model, which was at least as good on held-out articles "
            "(average precision 0.90 vs. 0.70).",
            id="used",
        ),
        pytest.param(
            False,
            True,
            "Relevance is based on your interests, better than the model on held-out articles "
            "(average precision 0.90 vs. 0.70).",
            id="not used",
        ),
        pytest.param(True, False, "Relevance is based on your interests. Learning is off.", id="switched off"),
    ],
)
def test_shows_who_judges_by_newest_training(reader: User, is_used: bool, is_learning: bool, sentence: str) -> None:
    InterestProfile.objects.create(user=reader, is_learning=is_learning)
    make.training(reader, is_used=not is_used, trained_at=make.NOW - timedelta(days=1))
    make.training(reader, is_used=is_used)
    make.training(make.user(), is_used=not is_used, trained_at=make.NOW + timedelta(days=1))
    report = load_report(reader, make.NOW)
    assert (report.sentence, report.is_used) == (sentence, is_used and is_learning)


def test_shows_two_months_newest_first(reader: User) -> None:
    for night in range(MAX_SHOWN + 5):
        make.training(reader, trained_at=make.NOW - timedelta(days=night))
    report = load_report(reader, make.NOW)
    assert (len(report.trainings), report.trainings[0].trained_at) == (MAX_SHOWN, make.NOW)
    assert report.chart is not None
    assert [curve.name for curve in report.chart.curves] == ["model", "profile"]


@pytest.mark.parametrize(
    ("values", "line", "labels"),
    [
        ((0.5, 0.75, 1.0), "M0.0 100.0L33.3 50.0L100.0 0.0", ("1.0", "0.9", "0.8", "0.7", "0.6", "0.5")),
        ((0.4, 0.75, 1.0), "M0.0 60.0L33.3 25.0L100.0 0.0", ("1.0", "0.8", "0.6", "0.4", "0.2", "0.0")),
        ((0.75,), "M50.0 50.0", ("1.0", "0.9", "0.8", "0.7", "0.6", "0.5")),
    ],
    ids=["from 0.5", "from 0", "one"],
)
def test_chart_runs_left_to_right_and_upwards(
    reader: User, values: tuple[float, ...], line: str, labels: tuple[str, ...]
) -> None:
    for day, value in zip((1, 2, 4), values, strict=False):
        at = make.NOW.replace(day=day)
        make.training(reader, trained_at=at, average_precision=value, profile_average_precision=0.9)
    chart = load_report(reader, make.NOW).chart
    assert chart is not None
    assert (chart.curves[0].line, chart.labels) == (line, labels)
    assert chart.curves[0].dots.count("h0") == len(values)
