"""What a person's relevance is worked out by: the model learned from their choices, or else their interest profile.

The model replaces the profile only while it was at least as good on articles held out from both (SPEC §10), and while
the person lets the reader learn. A profile fades with time; it is taken as of its last change, so that a relevance
follows from what is stored and not from when it was asked for. `reader.learning_tasks` brings it up to date daily.
"""

from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User

from reader.interests import profile_of
from reader.learning.linear import LinearModel
from reader.learning.profile import NOBODY, Profile
from reader.models import InterestProfile, RelevanceModel


@dataclass(frozen=True, slots=True, eq=False)
class Taste:
    """`model` where it is used, else `profile`; `changed_at` of the profile, None for a person without one."""

    profile: Profile = NOBODY
    model: LinearModel | None = None
    changed_at: datetime | None = None


def taste_of(user: User) -> Taste:
    """What relevance follows from for `user`; at most four queries."""
    kept = InterestProfile.objects.filter(user=user).only("is_learning", "changed_at").first()
    if kept is None or kept.changed_at is None:
        return Taste()
    newest = (
        RelevanceModel.objects.filter(user=user).order_by("-trained_at", "-pk").first() if kept.is_learning else None
    )
    if newest is not None and newest.is_used:
        return Taste(model=model_from(newest), changed_at=kept.changed_at)
    return Taste(profile=profile_of(user, kept.changed_at), changed_at=kept.changed_at)


def model_from(row: RelevanceModel) -> LinearModel:
    """The model that a row keeps."""
    return LinearModel(row.intercept, bytes(row.indices), bytes(row.weights), bytes(row.meaning))
