"""The built-in judge of time sensitivity learns from what people and the language model said. For the worker.

A person's label is of an article they read and a score they took the trouble to change, so it weighs several times a
model's, and a model's own doubt weighs less than its certainty. Whoever agrees about an article adds up; whoever
differs stands beside, and all count. One row an article and score, so that what two say alike is never both learned
and examined.
"""

from collections import defaultdict
from datetime import datetime

from django.db import transaction
from django.db.models.functions import Left

from feeds.models import Article
from reader.learning.judge_examples import shipped_examples
from reader.learning.sensitivity_retraining import LEAST_LABELS, Retrained, retrain
from reader.learning.sensitivity_training import Example
from reader.models import Confidence, Features, JudgeTraining, SensitivityLabel
from reader.scoring.sensitivity.reading import READ_CHARACTERS

MOST_LABELS = 4000  # people's first, then the newest; more would train for minutes and hardly learn more
PERSON_WEIGHT = 3.0
MODEL_WEIGHTS = {Confidence.HIGH: 1.0, Confidence.MEDIUM: 0.7, Confidence.LOW: 0.4}
SEED = 11  # of how labels are held out; always the same, so that trainings can be compared

_CHUNK = 500  # articles in one query


def train_judge(*, now: datetime) -> JudgeTraining | None:
    """Train with all labels and keep how well it did; None without enough labels, or new ones since the last time."""
    last_at = JudgeTraining.objects.values_list("trained_at", flat=True).first()
    labels = SensitivityLabel.objects.all()
    if last_at is not None and not labels.filter(made_at__gt=last_at).exists():
        return None
    rows = labels_for_training()
    if len(rows) < LEAST_LABELS:
        return None
    return _keep(retrain(rows, shipped_examples=shipped_examples(), seed=SEED), now=now)


def labels_for_training() -> list[Example]:
    """What people and the model said, one row an article and score, with the weight of all who said so."""
    weights = _weights()
    examples: list[Example] = []
    ids = sorted(weights)
    for start in range(0, len(ids), _CHUNK):
        examples += _examples(ids[start : start + _CHUNK], weights)
    return examples


def _weights() -> dict[int, dict[int, float]]:
    """For each labelled article the weight of each score it was given."""
    found: dict[int, dict[int, float]] = defaultdict(lambda: defaultdict(float))
    rows = SensitivityLabel.objects.order_by("-made_at", "-pk").values_list("article", "score")
    people = list(rows.filter(user__isnull=False)[:MOST_LABELS])
    model = rows.filter(user=None).values_list("article", "score", "confidence")[: MOST_LABELS - len(people)]
    for article_id, score in people:
        found[article_id][score] += PERSON_WEIGHT
    for article_id, score, confidence in model:
        found[article_id][score] += MODEL_WEIGHTS[Confidence(confidence)]
    return found


def _examples(ids: list[int], weights: dict[int, dict[int, float]]) -> list[Example]:
    vectors = dict(Features.objects.filter(article__in=ids).values_list("article", "vector"))
    articles = Article.objects.filter(pk__in=ids).order_by("pk")
    return [
        Example(
            title=title,
            text=text,
            language=language,
            score=score,
            vector=bytes(vectors.get(pk, b"")),
            weight=weight,
        )
        for pk, title, text, language in articles.values_list("pk", "title", Left("text", READ_CHARACTERS), "language")
        for score, weight in sorted(weights[pk].items())
    ]


def _keep(trained: Retrained, *, now: datetime) -> JudgeTraining:
    """Store the figures for good and the numbers until the next training, if they are better than the shipped ones."""
    with transaction.atomic():
        JudgeTraining.objects.exclude(numbers=b"").update(numbers=b"")
        return JudgeTraining.objects.create(
            trained_at=now,
            n_labels=trained.n_labels,
            macro_f1=trained.macro_f1,
            mean_absolute_error=trained.mean_absolute_error,
            shipped_macro_f1=trained.shipped_macro_f1,
            shipped_mean_absolute_error=trained.shipped_mean_absolute_error,
            numbers=b"" if trained.numbers is None else trained.numbers.as_bytes(),
        )
