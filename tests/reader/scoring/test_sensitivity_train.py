"""The built-in classifier is trained on labels, evaluated, and replaced only by a better one."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta

import pytest
from django.contrib.auth.models import User

from feeds.models import Article
from reader.models import ArticleFeatures, SensitivityLabel, SensitivityTraining
from reader.scoring.assess import current_weights
from reader.scoring.sensitivity import SHIPPED, classify
from reader.scoring.sensitivity.examples import shipped_examples
from reader.scoring.sensitivity.training import Example, TrainingResult
from reader.scoring.sensitivity_override import set_override
from reader.scoring.sensitivity_train import MAX_LABELS, train_sensitivity, training_examples
from tests import make

pytestmark = pytest.mark.django_db

LATER = make.NOW + timedelta(days=1)
# Wording of one publisher that no shipped example has, and the score that users give each kind.
COLUMNS = {1: "Vademecum", 3: "Dossier", 5: "Liveticker"}


@pytest.fixture
def reader() -> User:
    return make.user()


def said_by_model(article: Article, score: int, confidence: str = "high", **values: object) -> SensitivityLabel:
    values = {"made_at": make.NOW, **values}
    return SensitivityLabel.objects.create(article=article, source="llm", score=score, confidence=confidence, **values)


def label_columns(n_each: int, *, person: User | None = None) -> None:
    for number in range(n_each):
        for score, column in COLUMNS.items():
            article = make.article(title=f"{column} harbour {number}", text=f"Part {number} of the {column}.")
            if person is None:
                said_by_model(article, score)
            else:
                set_override(person, article.pk, score, now=make.NOW)


def test_needs_labels() -> None:
    assert training_examples() == []


def test_label_becomes_an_example_with_its_inputs() -> None:
    article = make.article(title="題", text="文" * 5000, language="ja")
    ArticleFeatures.objects.create(article=article, terms=b"", attributes=b"", vector=b"\x01" * 512)
    said_by_model(article, 2)
    [row] = training_examples()
    assert row == Example(title="題", text="文" * 600, score=2, language="ja", vector=b"\x01" * 512, weight=1.0)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        pytest.param([("llm", 4, "high")], {4: 1.0}, id="model-sure"),
        pytest.param([("llm", 4, "medium")], {4: 0.7}, id="model-fairly-sure"),
        pytest.param([("llm", 4, "low")], {4: 0.4}, id="model-unsure"),
        pytest.param([("person", 4, "high")], {4: 3.0}, id="person"),
        pytest.param([("llm", 4, "low"), ("person", 4, "high")], {4: 3.4}, id="agreed"),
        pytest.param([("llm", 4, "high"), ("person", 1, "high")], {1: 3.0, 4: 1.0}, id="person-against-model"),
        pytest.param(
            [("person", 1, "high"), ("person", 5, "high"), ("person", 5, "high")], {1: 3.0, 5: 6.0}, id="people-differ"
        ),
    ],
)
def test_all_labels_count_by_weight(said: Sequence[tuple[str, int, str]], expected: dict[int, float]) -> None:
    article = make.article()
    for who, score, confidence in said:
        if who == "person":
            set_override(make.user(), article.pk, score, now=make.NOW)
        else:
            said_by_model(article, score, confidence)
    assert {row.score: row.weight for row in training_examples()} == expected


def test_labels_by_users_come_before_those_by_the_model(reader: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reader.scoring.sensitivity_train.MAX_LABELS", 3)
    for number in range(4):
        said_by_model(make.article(title=f"model {number}"), 2, made_at=make.NOW + timedelta(hours=number))
    set_override(reader, make.article(title="person").pk, 3, now=make.NOW - timedelta(days=900))
    assert sorted(row.title for row in training_examples()) == ["model 2", "model 3", "person"]
    assert MAX_LABELS == 4000


def test_needs_fifty_labels() -> None:
    label_columns(16)
    said_by_model(make.article(title="the 49th"), 4)
    assert train_sensitivity(now=LATER) is None
    assert not SensitivityTraining.objects.exists()
    assert current_weights() is SHIPPED


@pytest.mark.slow
def test_learns_wording_of_a_publisher(reader: User, monkeypatch: pytest.MonkeyPatch) -> None:
    some = shipped_examples()[::10]  # takes a tenth of the time
    monkeypatch.setattr("reader.scoring.sensitivity_train.shipped_examples", lambda: some)
    label_columns(20, person=reader)
    training = train_sensitivity(now=LATER)
    assert training is not None
    assert (training.trained_at, training.n_labels) == (LATER, 60)
    assert training.macro_f1 > training.shipped_macro_f1
    assert training.mean_absolute_error < training.shipped_mean_absolute_error
    weights = current_weights()
    assert weights is current_weights()
    for score, column in COLUMNS.items():
        unseen = classify(f"{column} windmill", f"News of the {column}.", weights=weights)
        assert unseen.score == score, column


@dataclass
class Learner:
    """Replaces the training itself; records its input and returns a fixed result."""

    outcome: TrainingResult
    given: list[Sequence[Example]] = field(default_factory=list)

    def __call__(self, labels: Sequence[Example], **_: object) -> TrainingResult:
        self.given.append(labels)
        return self.outcome


BETTER = TrainingResult(replace(SHIPPED, sharpness=2.5), 0.8, 0.3, 0.6, 0.5, 50)
NO_BETTER = TrainingResult(None, 0.6, 0.5, 0.7, 0.4, 51)


@pytest.fixture
def learner(monkeypatch: pytest.MonkeyPatch) -> Learner:
    """Every training returns a better classifier. There are fifty labels."""
    for _ in range(50):
        said_by_model(make.article(), 3)
    learner = Learner(BETTER)
    monkeypatch.setattr("reader.scoring.sensitivity_train.retrain", learner)
    return learner


def test_stores_figures_and_weights(learner: Learner) -> None:
    training = train_sensitivity(now=LATER)
    assert training == SensitivityTraining.objects.get()
    assert (training.n_labels, training.macro_f1, training.mean_absolute_error) == (50, 0.8, 0.3)
    assert (training.shipped_macro_f1, training.shipped_mean_absolute_error) == (0.6, 0.5)
    assert current_weights().sharpness == 2.5
    assert [len(labels) for labels in learner.given] == [50]


def test_does_not_train_without_new_labels(learner: Learner, reader: User) -> None:
    train_sensitivity(now=LATER)
    assert train_sensitivity(now=LATER + timedelta(days=1)) is None
    set_override(reader, Article.objects.earliest("pk").pk, 4, now=LATER + timedelta(hours=1))
    assert train_sensitivity(now=LATER + timedelta(days=1)) is not None
    assert [len(labels) for labels in learner.given] == [50, 51]


def test_records_but_does_not_use_worse_training(learner: Learner, reader: User) -> None:
    train_sensitivity(now=LATER)
    set_override(reader, make.article().pk, 4, now=LATER + timedelta(hours=1))
    learner.outcome = NO_BETTER
    training = train_sensitivity(now=LATER + timedelta(days=1))
    assert training is not None
    assert (training.macro_f1, training.shipped_macro_f1, bytes(training.weights)) == (0.6, 0.7, b"")
    assert SensitivityTraining.objects.count() == 2
    assert current_weights() is SHIPPED


def test_only_the_newest_training_keeps_weights(learner: Learner, reader: User) -> None:
    train_sensitivity(now=LATER)
    set_override(reader, make.article().pk, 4, now=LATER + timedelta(hours=1))
    train_sensitivity(now=LATER + timedelta(days=1))
    assert [bool(weights) for weights in SensitivityTraining.objects.values_list("weights", flat=True)] == [True, False]


@pytest.mark.parametrize(
    "stored",
    [
        pytest.param(b"rubbish", id="damaged"),
        pytest.param(replace(SHIPPED, bias=(0.0,)).as_bytes(), id="another-shape"),
    ],
)
def test_ignores_unreadable_weights(stored: bytes, caplog: pytest.LogCaptureFixture) -> None:
    SensitivityTraining.objects.create(
        trained_at=make.NOW,
        n_labels=50,
        macro_f1=0.9,
        mean_absolute_error=0.1,
        shipped_macro_f1=0.5,
        shipped_mean_absolute_error=0.5,
        weights=stored,
    )
    with caplog.at_level(logging.WARNING):
        assert current_weights() is SHIPPED
    assert "can't be read" in caplog.text
