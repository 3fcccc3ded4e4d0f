"""Leaving feeds, so that one can come back to them as if nothing had been.

The feeds are gone at once, from every list and count, however many they are: their subscriptions are marked as left,
and nothing else in the program sees those (`reader.models.subscription`). They wait for a week, with the rules about
them and what these took out. What stood in their lists is packed afterwards, in steps (`reader.going_on`). Starred
articles never leave. The way back is `reader.returning`.
"""

from collections.abc import Collection
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F, OuterRef, Q, QuerySet, Subquery

from reader.emptied_folders import take_folders
from reader.going_on import go_on, is_small
from reader.models import UNDER_WAY, Course, Delivery, Parting, Subscription

KEPT_FOR = timedelta(days=7)
MOST_KEPT = 20  # partings a person; the oldest go


def leave(
    user: User, subscription_ids: Collection[int], *, now: datetime, with_folders: bool = False
) -> Parting | None:
    """Unfollow these feeds of the user's, with a record to come back by; None if none of them is followed.

    Where much stands in their lists the record is under way then, and `go_on` is a worker's. `with_folders`: the
    folders go, too, in which nothing else stands and of which no rule is.
    """
    with transaction.atomic():
        held = Subscription.objects.select_for_update(of=("self",)).filter(user=user, pk__in=subscription_ids)
        leaving = list(held.select_related("feed").order_by("pk"))
        if not leaving:
            return None
        ids = [each.pk for each in leaving]
        made = Parting.objects.create(
            user=user,
            course=Course.LEAVING,
            made_at=now,
            moved_at=now,
            names=[each.shown_title for each in leaving],
            n_articles=Delivery.objects.filter(subscription__in=ids).count(),
        )
        Subscription.objects.filter(pk__in=ids).update(parting=made, is_being_emptied=True)
        if with_folders:
            take_folders(made)
    if is_small(made):
        go_on(user, now=now)
        made.refresh_from_db()
    return made


def lately_left(user: User, *, now: datetime) -> QuerySet[Parting]:
    """What can be come back to, the last first."""
    free = Parting.objects.filter(user=user, undone_at=None, made_at__gte=now - KEPT_FOR)
    return free.order_by("-pk")[:MOST_KEPT]


def forget_old(*, now: datetime) -> None:
    """Forget partings that are too old, or too many of one person, with the subscriptions that waited; none that is
    under way."""
    newer = Parting.objects.filter(user=OuterRef("user")).order_by("-pk").values("pk")
    done = Parting.objects.exclude(course__in=UNDER_WAY).annotate(oldest=Subquery(newer[MOST_KEPT - 1 : MOST_KEPT]))
    done.filter(Q(made_at__lt=now - KEPT_FOR) | Q(pk__lt=F("oldest"))).delete()
