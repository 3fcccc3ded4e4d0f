"""Forget what a person opened, skipped and liked, and what was learned of it. Read, starred and tagged stay so."""

from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet

from reader.learning.meaning import Meaning
from reader.models import (
    Delivery,
    Engagement,
    InterestProfile,
    InterestTerm,
    KeptState,
    RelevanceModel,
    Sweep,
    TermOrigin,
)
from reader.profile_rows import hold, keep

CHUNK = 2000  # rows in one transaction


def forget_history(user: User, now: datetime) -> int:
    """Delete the log and everything derived from it; returns how many lines it had.

    Topics that the person named, and terms they pinned or muted, are their own words and stay. Safe to repeat.
    """
    with transaction.atomic():
        profile = hold(user)
        learned = InterestTerm.objects.filter(user=user, origin=TermOrigin.READING, is_pinned=False, is_muted=False)
        learned.delete()
        RelevanceModel.objects.filter(user=user).delete()
        keep(profile, Meaning(), 0.0, now=now)
        InterestProfile.objects.filter(user=user).update(forgotten_at=now)
    Sweep.objects.filter(user=user).delete()
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
    """What was brought along of acts with articles that are not here yet."""
    last = 0
    while rows := list(KeptState.objects.filter(user=user, pk__gt=last).order_by("pk")[:CHUNK]):
        last = rows[-1].pk
        acted = [row for row in rows if row.data.pop("acts", None) or row.data.pop("seen", None)]
        KeptState.objects.bulk_update(acted, ["data"], batch_size=100)
