"""Clears a user's reading history and what was learned from it. Read, starred and tagged states stay."""

from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet

from reader.interests.learning.embedding_profile import EmbeddingProfile
from reader.interests.term_store import lock_profile, save_learned
from reader.models import (
    BulkRead,
    Delivery,
    Engagement,
    InterestProfile,
    InterestTerm,
    PendingState,
    RelevanceModel,
    TermOrigin,
)

CHUNK = 2000  # rows in one transaction


def clear_history(user: User, now: datetime) -> int:
    """Delete the log and everything derived from it; returns the number of rows. Can be repeated.

    Topics that the user added, and terms they pinned or muted, stay.
    """
    with transaction.atomic():
        profile = lock_profile(user)
        learned = InterestTerm.objects.filter(user=user, origin=TermOrigin.READING, is_pinned=False, is_muted=False)
        learned.delete()
        RelevanceModel.objects.filter(user=user).delete()
        save_learned(profile, EmbeddingProfile(), 0.0, now=now)
        InterestProfile.objects.filter(user=user).update(forgotten_at=now)
    BulkRead.objects.filter(user=user).delete()
    Delivery.objects.filter(user=user, is_seen=True).update(is_seen=False)
    _forget_waiting(user)
    mine = Engagement.objects.filter(user=user)
    return _delete(mine.filter(undoes__isnull=False)) + _delete(mine)


def _delete(rows: QuerySet[Engagement]) -> int:
    n_deleted = 0
    while ids := list(rows.order_by().values_list("pk", flat=True)[:CHUNK]):
        Engagement.objects.filter(pk__in=ids).delete()
        n_deleted += len(ids)
    return n_deleted


def _forget_waiting(user: User) -> None:
    """Remove engagement from imported states whose articles haven't arrived."""
    last = 0
    while rows := list(PendingState.objects.filter(user=user, pk__gt=last).order_by("pk")[:CHUNK]):
        last = rows[-1].pk
        acted = [row for row in rows if row.data.pop("acts", None) or row.data.pop("seen", None)]
        PendingState.objects.bulk_update(acted, ["data"], batch_size=100)
