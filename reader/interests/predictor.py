"""What predicts a user's relevance: the model learned from their actions, or else their interest profile.

The model is used only while it is at least as good as the profile on articles held out from both (SPEC §10), and while
learning is on. A profile decays with time; it is evaluated as of its last change, so that relevance only depends on
stored data. `reader.tasks.learning` updates it daily.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime

from django.contrib.auth.models import User

from reader.interests.learning.inference import LinearModel
from reader.interests.learning.profile import EMPTY_PROFILE, Profile
from reader.interests.terms import load_profile
from reader.models import InterestProfile, RelevanceModel

CACHE_SIZE = 500  # users; a profile takes about 200 kB, a model about 300 kB


@dataclass(frozen=True, slots=True, eq=False)
class Predictor:
    """`model` if it is in use, else `profile`; `changed_at` of the profile, None for a user without one."""

    profile: Profile = EMPTY_PROFILE
    model: LinearModel | None = None
    changed_at: datetime | None = None


class PredictorCache:
    """Predictors by user, for the batches of one rating run in a worker.

    A batch holds some articles and everyone who got them; reading fifty profiles of thousands of terms for each batch
    would take ten times as long as rating. Every change to a predictor moves `InterestProfile.changed_at` in the same
    transaction, so one query per batch finds the outdated ones.
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
        changed_at = dict(profiles.values_list("pk", "changed_at")) if cached_ids else {}
        outdated = [pk for pk in user_ids if pk not in cached or cached[pk].changed_at != changed_at.get(pk)]
        for user in User.objects.filter(pk__in=outdated):
            predictor = load_predictor(user)
            cached[user.pk] = replace(predictor, profile=replace(predictor.profile, terms=()))
        return {pk: cached[pk] for pk in user_ids if pk in cached}


def load_predictor(user: User) -> Predictor:
    """The user's predictor; at most four queries."""
    profile = InterestProfile.objects.filter(user=user).only("is_learning", "changed_at").first()
    if profile is None or profile.changed_at is None:
        return Predictor()
    trainings = RelevanceModel.objects.filter(user=user).order_by("-trained_at", "-pk")
    newest = trainings.first() if profile.is_learning else None
    if newest is not None and newest.is_used:
        return Predictor(model=model_from(newest), changed_at=profile.changed_at)
    return Predictor(profile=load_profile(user, profile.changed_at), changed_at=profile.changed_at)


def model_from(row: RelevanceModel) -> LinearModel:
    """The stored model."""
    return LinearModel(row.intercept, bytes(row.indices), bytes(row.weights), bytes(row.embedding))
