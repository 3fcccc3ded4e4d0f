"""Coming back to feeds that were left, as if nothing had been.

The feeds are there at once, with their folders, settings and rules. What stood in their lists comes back in steps
(`reader.going_on`), exactly these rows; what the feeds brought meanwhile follows as it does for everybody. Leaving may
still be going on: what it has not packed yet is there at once.
"""

from collections.abc import Sequence
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet, Sum

from reader.emptied_folders import bring_folders
from reader.going_on import go_on, is_small
from reader.leaving import KEPT_FOR
from reader.marking import recount
from reader.models import Course, Muted, Parting, Rule, Subscription
from reader.unjoining import move_back, take_apart


def come_back(user: User, parting: Parting, *, now: datetime) -> list[str] | None:
    """Follow again what was left, with all that stood there; returns the names of the feeds.

    None if that was done already, or is too long ago. A feed that is followed again already gets back what stood in
    the list of the other time. Where there is much, the parting is under way then, and `go_on` is a worker's.
    """
    with transaction.atomic():
        held = Parting.objects.select_for_update().filter(
            pk=parting.pk, user=user, undone_at=None, made_at__gte=now - KEPT_FOR
        )
        found = held.first()
        if found is None:
            return None
        bring_folders(found)
        names = _follow_again(found)
        found.undone_at = found.moved_at = now
        found.course, found.n_moved = Course.RETURNING, 0
        found.n_articles = found.bundles.aggregate(n=Sum("n_articles"))["n"] or 0
        found.save()
    if found.kind == Parting.Kind.JOINED:
        move_back(found)
    if is_small(found):
        go_on(user, now=now)
    return names


def returning(user: User) -> QuerySet[Parting]:
    """What is on its way back, the first first."""
    return Parting.objects.filter(user=user, course=Course.RETURNING).order_by("pk")


def _follow_again(parting: Parting) -> list[str]:
    """What is followed anew already keeps waiting, until its list is packed and put into the new one."""
    left = Subscription.everything.filter(parting=parting)
    waiting = list(left.select_related("feed").order_by("pk"))
    mine = Subscription.objects.filter(user=parting.user_id, feed__in=[each.feed_id for each in waiting])
    known = {each.feed_id: each for each in mine.select_related("feed")}
    free = [each.pk for each in waiting if each.feed_id not in known]
    Subscription.everything.filter(pk__in=free).update(parting=None, is_being_emptied=False)
    if parting.course == Course.LEAVING:
        recount(free)
    if parting.kind == Parting.Kind.JOINED:
        for each in waiting:
            take_apart(parting, each)
    _hand_over([(each, known[each.feed_id]) for each in waiting if each.feed_id in known])
    return [known.get(each.feed_id, each).shown_title for each in waiting]


def _hand_over(doubled: Sequence[tuple[Subscription, Subscription]]) -> None:
    """The rules about one, and what they took out, are about the other from now on."""
    for one, other in doubled:
        Rule.everything.filter(subscription=one).update(subscription=other)
        there = Muted.everything.filter(subscription=other).values("article")
        Muted.everything.filter(subscription=one).exclude(article__in=there).update(subscription=other)
