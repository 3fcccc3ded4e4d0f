"""The filters and orders of the feeds page."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Case, Count, F, IntegerField, Q, QuerySet, Value, When
from django.db.models.functions import Coalesce, Lower, NullIf
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from feeds.models import Condition, FeedStatus
from feeds.polling.schedule import LONG_SILENCE
from reader.lists.sidebar import NEEDS_ATTENTION
from reader.models import Subscription
from reader.models.subscription import ICON_COLUMN
from reader.subscriptions.duplicates import duplicates_of

FOLLOWED_LEAST = timedelta(days=30)  # before "never read" applies
MIN_UNREAD = 5  # articles in 90 days, for the same
DEAD_AFTER = timedelta(days=30)  # of failures
NO_FOLDER = 0  # as a folder's id
_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)
_LAST = Coalesce("feed__newest_entry_at", "feed__last_new_at", Value(_LONG_AGO))


class Which(StrEnum):
    ALL = "all"
    ATTENTION = "attention"
    NEVER = "never"
    QUIET = "quiet"
    DEAD = "dead"


class Order(StrEnum):
    ATTENTION = "attention"
    NAME = "name"
    FOLDER = "folder"
    RATE = "rate"
    READ = "read"
    LAST = "last"


WHICH_NAMES: dict[Which, Promise] = {
    Which.ALL: _("All"),
    Which.ATTENTION: _("Need attention"),
    Which.NEVER: _("Never read"),
    Which.QUIET: _("Quiet"),
    Which.DEAD: _("Dead"),
}
WHICH_MEANS: dict[Which, Promise] = {
    Which.ALL: _("Everything you follow."),
    Which.ATTENTION: _("Failing, paused or gone."),
    Which.NEVER: _("Followed for at least 30 days, with at least 5 articles in 90 days, of which you opened none."),
    Which.QUIET: _("No article in 90 days."),
    Which.DEAD: _("Gone for good, or failing for at least 30 days."),
}
ORDER_NAMES: dict[Order, Promise] = {
    Order.ATTENTION: _("attention first"),
    Order.NAME: _("name"),
    Order.FOLDER: _("folder"),
    Order.RATE: _("most articles"),
    Order.READ: _("least read"),
    Order.LAST: _("longest quiet"),
}


@dataclass(frozen=True, slots=True)
class Choice:
    """A filter with its count. `key` is its name in URLs."""

    key: str
    name: Promise
    n: int


def condition(which: Which, now: datetime) -> Q:
    """The filter as a condition on subscriptions."""
    if which == Which.ATTENTION:
        return NEEDS_ATTENTION
    if which == Which.NEVER:
        return Q(n_quarter__gte=MIN_UNREAD, n_opened=0, is_kept=False, added_at__lte=now - FOLLOWED_LEAST)
    if which == Which.QUIET:
        return _quiet(now - LONG_SILENCE) & ~Q(feed__status=FeedStatus.DEAD)
    if which == Which.DEAD:
        since = now - DEAD_AFTER
        failing = Q(feed__last_success_at__lt=since) | Q(feed__last_success_at=None, feed__added_at__lt=since)
        return Q(feed__status=FeedStatus.DEAD) | Q(feed__consecutive_failures__gt=0) & failing
    return Q()


def _quiet(since: datetime) -> Q:
    before = [Q(**{f"feed__{name}__lt": since}) | Q(**{f"feed__{name}": None}) for name in _SIGNS]
    never = Q(feed__newest_entry_at=None, feed__last_new_at=None)
    return before[0] & before[1] & (~never | Q(feed__added_at__lt=since))


_SIGNS = ("newest_entry_at", "last_new_at")


def choices(user: User, *, now: datetime) -> tuple[tuple[Choice, ...], int]:
    """The filters with their counts, and the number of possible duplicates; two queries."""
    counts = {which.value: Count("pk", filter=condition(which, now)) for which in Which if which != Which.ALL}
    found = _feeds_of(user).aggregate(all=Count("pk"), **counts)
    named = tuple(Choice(which.value, WHICH_NAMES[which], found[which.value]) for which in Which)
    return named, duplicates_of(user).count()


def chosen(user: User, which: Which, words: str, *, now: datetime, folder: int | None = None) -> QuerySet[Subscription]:
    """The user's feeds of a filter, with `words` in their name or domain; of one folder, or none (`NO_FOLDER`)."""
    feeds = _feeds_of(user).filter(condition(which, now))
    if folder is not None:
        feeds = feeds.filter(folder=None) if folder == NO_FOLDER else feeds.filter(folder=folder)
    if words:
        feeds = feeds.filter(
            Q(title__icontains=words) | Q(feed__title__icontains=words) | Q(feed__source__domain__icontains=words)
        )
    return feeds


def _feeds_of(user: User) -> QuerySet[Subscription]:
    return Subscription.objects.filter(user=user).exclude(feed__status=FeedStatus.SAVED)


def ordered(
    subscriptions: QuerySet[Subscription], order: Order = Order.ATTENTION, *, is_reversed: bool = False
) -> QuerySet[Any]:
    """Subscriptions by `rank` and `name` (never a URL, which can hold credentials), with `is_ailing` and `icon`."""
    ailing = Case(When(NEEDS_ATTENTION, then=Value(1)), default=Value(0), output_field=IntegerField())
    name = Lower(Coalesce(NullIf("title", Value("")), NullIf("feed__title", Value("")), "feed__source__domain"))
    ranks: dict[Order, Any] = {
        Order.ATTENTION: Case(
            When(is_ailing=1, then=Value(0)),
            When(feed__condition=Condition.SILENT, then=Value(2)),
            default=Value(1),
            output_field=IntegerField(),
        ),
        Order.NAME: F("name"),
        Order.FOLDER: Lower("folder__name"),
        Order.RATE: -1 * F("n_month"),
        Order.READ: Coalesce(F("n_opened") * 1000 / NullIf("n_quarter", Value(0)), Value(1001)),
        Order.LAST: _LAST,
    }
    return (
        subscriptions.annotate(is_ailing=ailing, name=name, icon=F(ICON_COLUMN))
        .annotate(rank=Coalesce(ranks[order], Value("")) if order == Order.FOLDER else ranks[order])
        .order_by("-rank" if is_reversed else "rank", "name", "pk")
    )


def following(
    feeds: QuerySet[Any], order: Order, user: User, after: int, *, is_reversed: bool = False
) -> QuerySet[Any]:
    """The feeds after one of the user's subscriptions; all if it isn't theirs."""
    last = ordered(Subscription.objects.filter(user=user, pk=after), order).values_list("rank", "name").first()
    if last is None:
        return feeds
    rank, name = last
    beyond = Q(rank__lt=rank) if is_reversed else Q(rank__gt=rank)
    return feeds.filter(beyond | Q(rank=rank, name__gt=name) | Q(rank=rank, name=name, pk__gt=after))
