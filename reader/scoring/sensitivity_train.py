"""Trains the built-in classifier of time sensitivity on labels by users and the language model. For workers.

A user's label weighs several times a model's, since the user read the article and went out of their way to correct it;
a model's label weighs less if its confidence is low. Equal labels for an article add up in one row, so that the same
label is never in both the training and the test set; different labels all count.
"""

from collections import defaultdict
from datetime import datetime

from django.db import transaction
from django.db.models.functions import Left

from feeds.models import Article
from reader.models import ArticleFeatures, Confidence, SensitivityLabel, SensitivityTraining
from reader.scoring.sensitivity.examples import shipped_examples
from reader.scoring.sensitivity.features import READ_CHARACTERS
from reader.scoring.sensitivity.training import MIN_LABELS, Example, TrainingResult, retrain

MAX_LABELS = 4000  # users' first, then the newest; more would train for minutes and hardly help
USER_WEIGHT = 3.0
MODEL_WEIGHTS = {Confidence.HIGH: 1.0, Confidence.MEDIUM: 0.7, Confidence.LOW: 0.4}
SEED = 11  # for holding out labels; fixed, so that trainings can be compared

_CHUNK = 500  # articles in one query


def train_sensitivity(*, now: datetime) -> SensitivityTraining | None:
    """Train on all labels and store the result; None if there are too few labels or no new ones."""
    last_at = SensitivityTraining.objects.values_list("trained_at", flat=True).first()
    labels = SensitivityLabel.objects.all()
    if last_at is not None and not labels.filter(made_at__gt=last_at).exists():
        return None
    examples = training_examples()
    if len(examples) < MIN_LABELS:
        return None
    return _store(retrain(examples, shipped_examples=shipped_examples(), seed=SEED), now=now)


def training_examples() -> list[Example]:
    """The labels of users and the model, one row per article and score, with their total weight."""
    weights = _label_weights()
    examples: list[Example] = []
    ids = sorted(weights)
    for start in range(0, len(ids), _CHUNK):
        examples += _examples(ids[start : start + _CHUNK], weights)
    return examples


def _label_weights() -> dict[int, dict[int, float]]:
    """For each labelled article, the weight of each score."""
    weights: dict[int, dict[int, float]] = defaultdict(lambda: defaultdict(float))
    rows = SensitivityLabel.objects.order_by("-made_at", "-pk").values_list("article", "score")
    by_users = list(rows.filter(user__isnull=False)[:MAX_LABELS])
    by_model = rows.filter(user=None).values_list("article", "score", "confidence")[: MAX_LABELS - len(by_users)]
    for article_id, score in by_users:
        weights[article_id][score] += USER_WEIGHT
    for article_id, score, confidence in by_model:
        weights[article_id][score] += MODEL_WEIGHTS[Confidence(confidence)]
    return weights


def _examples(ids: list[int], weights: dict[int, dict[int, float]]) -> list[Example]:
    vectors = dict(ArticleFeatures.objects.filter(article__in=ids).values_list("article", "vector"))
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


def _store(result: TrainingResult, *, now: datetime) -> SensitivityTraining:
    """Store the metrics, and the weights if they beat the shipped ones; older weights are deleted."""
    with transaction.atomic():
        SensitivityTraining.objects.exclude(weights=b"").update(weights=b"")
        return SensitivityTraining.objects.create(
            trained_at=now,
            n_labels=result.n_labels,
            macro_f1=result.macro_f1,
            mean_absolute_error=result.mean_absolute_error,
            shipped_macro_f1=result.shipped_macro_f1,
            shipped_mean_absolute_error=result.shipped_mean_absolute_error,
            weights=b"" if result.weights is None else result.weights.as_bytes(),
        )
