"""What predicts a user's relevance: the model learned from their actions, or else their interest profile, and the scale
of their own articles that puts its scores between 0 and 100.

The model is used only while it is at least as good as the profile on articles held out from both (SPEC §10), and while
learning is on. A profile decays with time; it is evaluated as of its last change, so that relevance only depends on
stored data. `reader.tasks.learning` updates it daily.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime

from django.contrib.auth.models import User

from reader.interests.learning.inference import NO_SCALE, LinearModel, Scale
from reader.interests.learning.profile import EMPTY_PROFILE, Profile
from reader.interests.terms import load_profile
from reader.models import InterestProfile, RelevanceModel

CACHE_SIZE = 500  # users; a profile takes about 200 kB, a model about 300 kB


@dataclass(frozen=True, slots=True, eq=False)
class Predictor:
    """`model` if it is in use, else `profile`; `changed_at` of the profile, None for a user without one.

    `scale` was fitted when the user's articles were last rated, at `rated_at`.
    """

    profile: Profile = EMPTY_PROFILE
    model: LinearModel | None = None
    changed_at: datetime | None = None
    rated_at: datetime | None = None
    scale: Scale = NO_SCALE

    @property
    def is_empty(self) -> bool:
        """Whether nothing is known about the user's interests."""
        return self.model is None and not self.profile.certainty

    def relevance(self, score: float) -> float:
        """The relevance of an article with this logit of the model or cosine of the profile, 0 to 100."""
        return self.scale.relevance(score, 1.0 if self.model else self.profile.certainty)


class PredictorCache:
    """Predictors by user, for the batches of one rating run in a worker.

    A batch holds some articles and everyone who got them; reading fifty profiles of thousands of terms for each batch
    would take ten times as long as rating. Every change to a predictor moves `InterestProfile.changed_at` in the same
    transaction, and every change to its scale moves `rated_at`, so one query per batch finds the outdated ones.
    """

    def __init__(self) -> None:
        self._by_user: dict[int, Predictor] = {}

    def get_many(self, user_ids: Collection[int]) -> dict[int, Predictor]:
        """The current predictors by user id, without deleted users and without the terms that only explain scores."""
        if len(self._by_user.keys() | set(user_ids)) > CACHE_SIZE:
            self._by_user.clear()
        cached = self._by_user
        cached_ids = [pk for pk in user_ids if pk in cached]
        profiles = InterestProfile.objects.filter(user__in=cached_ids)
        times = {pk: (changed, rated) for pk, changed, rated in profiles.values_list("pk", "changed_at", "rated_at")}
        outdated = [
            pk
            for pk in user_ids
            if pk not in cached or (cached[pk].changed_at, cached[pk].rated_at) != times.get(pk, (None, None))
        ]
        for user in User.objects.filter(pk__in=outdated):
            predictor = load_predictor(user)
            cached[user.pk] = replace(predictor, profile=replace(predictor.profile, terms=()))
        return {pk: cached[pk] for pk in user_ids if pk in cached}


def load_predictor(user: User) -> Predictor:
    """The user's predictor; at most four queries."""
    profile = InterestProfile.objects.filter(user=user).first()
    if profile is None or profile.changed_at is None:
        return Predictor()
    trainings = RelevanceModel.objects.filter(user=user).order_by("-trained_at", "-pk")
    newest = trainings.first() if profile.is_learning else None
    known = Predictor(
        changed_at=profile.changed_at, rated_at=profile.rated_at, scale=Scale(profile.middle, profile.spread)
    )
    if newest is not None and newest.is_used:
        return replace(known, model=model_from(newest))
    return replace(known, profile=load_profile(user, profile.changed_at))


def model_from(row: RelevanceModel) -> LinearModel:
    """The stored model."""
    return LinearModel(row.intercept, bytes(row.indices), bytes(row.weights), bytes(row.embedding))
