"""Trains users' relevance models on a year of opened and skipped articles. Workers only: scikit-learn.

The metrics of every training are kept, the weights only of the newest. Held-out articles decide whether the model or
the profile is used (`reader.interests.learning.holdout`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction

from reader.interests.backlog import profiles_to_train
from reader.interests.idf import idf_weights
from reader.interests.learning.feature_matrices import StoredFeatures
from reader.interests.learning.holdout import MIN_PER_CLASS, Rows, Scores, TrainedModel, train_and_evaluate
from reader.interests.learning.idf_rebuild import rebuild_if_due
from reader.interests.learning.profile_arrays import cosines_of_many, idf_array, profile_from_labels
from reader.interests.terms import delete_faded
from reader.interests.training_labels import Label, load_training_labels
from reader.models import ArticleFeatures, Engagement, InterestProfile, RelevanceModel

_CHUNK = 1000  # articles per query


@dataclass(frozen=True, slots=True)
class UserTraining:
    """The result for one user: `row` if a model was trained, else how many labels of each class there are."""

    n_positive: int
    n_negative: int
    row: RelevanceModel | None = None

    @property
    def n_missing(self) -> int:
        """How many labels of the rarer class are missing."""
        return max(0, MIN_PER_CLASS - min(self.n_positive, self.n_negative))


def refresh_idf(*, now: datetime) -> bool:
    """Rebuild the IDF table if it is a week old; then everyone's relevance is outdated."""
    if not rebuild_if_due(now=now):
        return False
    InterestProfile.objects.filter(changed_at__isnull=False).update(changed_at=now)
    return True


def train_due(
    night: datetime,
    *,
    now: datetime,
    on_user: Callable[[User, UserTraining], None] | None = None,
    is_time_left: Callable[[], bool] = lambda: True,
) -> int:
    """Train the users not processed since `night`, as long as there is time; returns how many models were trained.

    Users without new actions keep their model. Each user is claimed before training: other workers skip them, and a
    crash costs one user one night.
    """
    n_trained = 0
    for profile in list(profiles_to_train(night).select_related("user").order_by("pk")):
        if not is_time_left():
            break
        last_at = profile.trained_at
        claim = InterestProfile.objects.filter(pk=profile.pk, trained_at=last_at)
        if not claim.update(trained_at=now, changed_at=now):  # changed, because decay affects relevance
            continue
        delete_faded(profile.user, now)
        if last_at is None or Engagement.objects.filter(user=profile.user, happened_at__gt=last_at).exists():
            training = train_user(profile.user, now=now)
            n_trained += training.row is not None
            if on_user is not None:
                on_user(profile.user, training)
    return n_trained


def train_user(user: User, *, now: datetime) -> UserTraining:
    """Train one user's model, and use it if it is at least as good as their profile."""
    labels, stored = _load_features(load_training_labels(user, now=now))
    truth = [label.is_positive for label in labels]
    n_positive = sum(truth)
    if min(n_positive, len(truth) - n_positive) < MIN_PER_CLASS:
        return UserTraining(n_positive, len(truth) - n_positive)
    idf = idf_array(idf_weights())

    def profile_scores(learned: Rows, held_out: Rows) -> Scores:
        profile = profile_from_labels(stored.select(learned), [truth[row] for row in learned.tolist()], idf)
        return cosines_of_many(profile, stored.select(held_out), idf)

    trained = train_and_evaluate(stored, truth, idf=idf, profile_scores=profile_scores)
    return UserTraining(trained.n_positive, trained.n_negative, _store(user, trained, now))


def _load_features(labels: Sequence[Label]) -> tuple[list[Label], StoredFeatures]:
    """The labels of articles with features, and the features."""
    features: dict[int, tuple[bytes, bytes, bytes]] = {}
    for start in range(0, len(labels), _CHUNK):
        ids = [label.article_id for label in labels[start : start + _CHUNK]]
        rows = ArticleFeatures.objects.filter(article__in=ids).values_list(
            "article_id", "terms", "attributes", "vector"
        )
        features.update(
            (pk, (bytes(terms), bytes(attributes), bytes(vector))) for pk, terms, attributes, vector in rows
        )
    usable = [label for label in labels if label.article_id in features]
    columns = list(zip(*(features[label.article_id] for label in usable), strict=True)) or [(), (), ()]
    return usable, StoredFeatures(*columns)


def _store(user: User, trained: TrainedModel, now: datetime) -> RelevanceModel | None:
    model = trained.model
    if model is None:
        return None
    row = RelevanceModel(
        user=user,
        trained_at=now,
        n_positive=trained.n_positive,
        n_negative=trained.n_negative,
        n_held_out=trained.n_held_out,
        precision=trained.precision,
        recall=trained.recall,
        f1=trained.f1,
        auc=trained.auc,
        average_precision=trained.average_precision,
        profile_auc=trained.profile_auc,
        profile_average_precision=trained.profile_average_precision,
        is_used=trained.is_better,
        seconds=trained.seconds,
        intercept=model.intercept,
        indices=model.indices,
        weights=model.weights,
        embedding=model.embedding,
    )
    with transaction.atomic():
        older = RelevanceModel.objects.filter(user=user).exclude(indices=b"")
        older.update(indices=b"", weights=b"", embedding=b"")
        row.save()
        InterestProfile.objects.filter(user=user).update(changed_at=now)
    return row
