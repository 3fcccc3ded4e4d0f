"""Everybody's relevance model, learned from what they opened and skipped within a year. Workers only: scikit-learn.

The figures of every training are kept; the numbers of the newest only. Whether the model or the profile says what is
relevant is decided by articles that neither was shown (`reader.learning.held_out`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db import transaction

from reader.backgrounds import background
from reader.interests import forget_faded
from reader.labels import Label, labels_of
from reader.learning.held_out import LEAST_OF_A_CLASS, Rows, Scores, Training, trained_and_held_out
from reader.learning.matrices import Stored
from reader.learning.profile_arrays import idf_array, learned, relevance_of_many
from reader.learning.rebuilding import rebuild_if_due
from reader.models import Engagement, Features, InterestProfile, RelevanceModel
from reader.waiting import to_train

YEAR = timedelta(days=365)  # of labels that count; feedoscope-article.md, Pulling the training data
LEAST_WEIGHT = (
    1.0  # of a label: opened, skipped and said on purpose; to be passed over is a guess, for the profile alone
)
MOST_LABELS = 20_000  # the newest; a training of so many takes about a minute
_CHUNK = 1000  # articles whose features one query reads


@dataclass(frozen=True, slots=True)
class Trained:
    """What came of looking at one person: `row` if a model was trained, else how many of each class there are."""

    n_positive: int
    n_negative: int
    row: RelevanceModel | None = None

    @property
    def n_missing(self) -> int:
        """How many labels of the rarer class are missing for a training."""
        return max(0, LEAST_OF_A_CLASS - min(self.n_positive, self.n_negative))


def recount(*, now: datetime) -> bool:
    """Count anew how rare terms are, if that was a week ago. Everybody's relevance follows from it, and is outdated."""
    if not rebuild_if_due(now=now):
        return False
    InterestProfile.objects.filter(changed_at__isnull=False).update(changed_at=now)
    return True


def train_waiting(night: datetime, *, now: datetime, on_user: Callable[[User, Trained], None] | None = None) -> int:
    """Learn from everybody who was not looked at since `night`; returns how many models were trained.

    Who did nothing since the last training keeps it. Each is noted as looked at before the training begins: what
    another worker took is passed over, and a crash costs one person one night and not everybody all.
    """
    n_trained = 0
    for profile in list(to_train(night).select_related("user").order_by("pk")):
        last_at = profile.trained_at
        free = InterestProfile.objects.filter(pk=profile.pk, trained_at=last_at)
        if not free.update(trained_at=now, changed_at=now):  # changed, for what faded shows
            continue
        forget_faded(profile.user, now)
        if last_at is None or Engagement.objects.filter(user=profile.user, happened_at__gt=last_at).exists():
            found = train_user(profile.user, now=now)
            n_trained += found.row is not None
            if on_user is not None:
                on_user(profile.user, found)
    return n_trained


def train_user(user: User, *, now: datetime) -> Trained:
    """Train the model of one person, and use it if it is at least as good as their profile."""
    chosen = [each for each in labels_of(user, since=_since(user, now)) if each.weight >= LEAST_WEIGHT]
    labels, stored = _with_features(chosen[-MOST_LABELS:])
    truth = [each.is_positive for each in labels]
    n_positive = sum(truth)
    if min(n_positive, len(truth) - n_positive) < LEAST_OF_A_CLASS:
        return Trained(n_positive, len(truth) - n_positive)
    idf = idf_array(background())

    def profile_scores(shown: Rows, held_out: Rows) -> Scores:
        profile = learned(stored.chosen(shown), [truth[row] for row in shown.tolist()], idf)
        return relevance_of_many(profile, stored.chosen(held_out), idf)

    found = trained_and_held_out(stored, truth, idf=idf, profile_scores=profile_scores)
    return Trained(found.n_positive, found.n_negative, _keep(user, found, now))


def _since(user: User, now: datetime) -> datetime:
    """From when on choices count: a year back, or since the person had everything forgotten."""
    forgotten_at = InterestProfile.objects.filter(user=user).values_list("forgotten_at", flat=True).first()
    return max(now - YEAR, forgotten_at) if forgotten_at else now - YEAR


def _with_features(labels: Sequence[Label]) -> tuple[list[Label], Stored]:
    """The labels whose articles have features, and these."""
    kept: dict[int, tuple[bytes, bytes, bytes]] = {}
    for start in range(0, len(labels), _CHUNK):
        ids = [each.article_id for each in labels[start : start + _CHUNK]]
        rows = Features.objects.filter(article__in=ids).values_list("article_id", "terms", "marks", "vector")
        kept.update((pk, (bytes(terms), bytes(marks), bytes(vector))) for pk, terms, marks, vector in rows)
    usable = [each for each in labels if each.article_id in kept]
    columns = list(zip(*(kept[each.article_id] for each in usable), strict=True)) or [(), (), ()]
    return usable, Stored(*columns)


def _keep(user: User, found: Training, now: datetime) -> RelevanceModel | None:
    model = found.model
    if model is None:
        return None
    row = RelevanceModel(
        user=user,
        trained_at=now,
        n_positive=found.n_positive,
        n_negative=found.n_negative,
        n_held_out=found.n_held_out,
        precision=found.precision,
        recall=found.recall,
        f1=found.f1,
        auc=found.auc,
        average_precision=found.average_precision,
        profile_auc=found.profile_auc,
        profile_average_precision=found.profile_average_precision,
        is_used=found.is_better,
        seconds=found.seconds,
        intercept=model.intercept,
        indices=model.indices,
        weights=model.weights,
        meaning=model.meaning,
    )
    with transaction.atomic():
        older = RelevanceModel.objects.filter(user=user).exclude(indices=b"")
        older.update(indices=b"", weights=b"", meaning=b"")
        row.save()
        InterestProfile.objects.filter(user=user).update(changed_at=now)
    return row
