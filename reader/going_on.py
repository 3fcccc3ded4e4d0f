"""What is left of leaving feeds and of coming back to them, step by step: each a short transaction, safe to interrupt.

A step holds its parting, so that two workers wait for each other and a person who changes their mind in between finds
things whole: what is packed comes out of its bundle, what is not packed yet stands where it stood. A person's returning
comes before their leaving: what returns may belong to a feed that is being left again, and must be there to be packed.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db import transaction

from reader.folding import settle
from reader.models import UNDER_WAY, Course, Parting, Subscription
from reader.packing import pack_some, unpack_next

AT_ONCE = 2000  # articles that a request moves itself
LEFT_ALONE_AFTER = timedelta(minutes=1)  # without a step, after which the schedule takes it up


def go_on(user: User, *, now: datetime) -> None:
    """Do all that is left to do."""
    for _ in steps(user, now=now):
        pass


def steps(user: User, *, now: datetime) -> Iterator[None]:
    """All that is left to do of the user's partings, a step at a time."""
    mine = Parting.objects.filter(user=user).order_by("pk").values_list("pk", flat=True)
    while pk := mine.filter(course=Course.RETURNING).first() or mine.filter(course=Course.LEAVING).first():
        _step(pk, now)
        yield


def unfinished(*, now: datetime) -> list[int]:
    """The people whose partings no worker is at."""
    waiting = Parting.objects.filter(course__in=UNDER_WAY, moved_at__lt=now - LEFT_ALONE_AFTER)
    return list(waiting.order_by().values_list("user", flat=True).distinct())


def is_small(parting: Parting) -> bool:
    """Whether a request may do it all: few articles, and nothing before it."""
    before = Parting.objects.filter(user=parting.user, course__in=UNDER_WAY).exclude(pk=parting.pk)
    return parting.n_articles <= AT_ONCE and not before.exists()


def _step(pk: int, now: datetime) -> None:
    with transaction.atomic():
        held = Parting.objects.select_for_update(of=("self",)).select_related("user")
        parting = held.filter(pk=pk, course__in=UNDER_WAY).first()
        if parting is None:
            return
        Parting.objects.filter(pk=pk).update(moved_at=now)
        changes = _leave_some(parting) if parting.course == Course.LEAVING else _return_some(parting)
    settle(changes, user=parting.user)


def _leave_some(parting: Parting) -> list[int]:
    left = Subscription.everything.filter(parting=parting)
    changes = pack_some(parting, list(left.values_list("pk", flat=True)))
    if changes is None and not Parting.objects.filter(user=parting.user, course=Course.RETURNING).exists():
        left.update(is_being_emptied=False, unread_count=0)
        Parting.objects.filter(pk=parting.pk).update(course=Course.LEFT)
    return changes or []


def _return_some(parting: Parting) -> list[int]:
    """The list of a feed that was followed anew meanwhile is packed to the end first, to be put into the new one."""
    doubled = Subscription.everything.filter(parting=parting)
    if full := list(doubled.filter(is_being_emptied=True).values_list("pk", flat=True)):
        changes = pack_some(parting, full)
        if changes is None:
            doubled.update(is_being_emptied=False)
        return changes or []
    changes = unpack_next(parting)
    if changes is None:
        doubled.delete()
        Parting.objects.filter(pk=parting.pk).update(course=Course.BACK)
    return changes or []
