"""What is done with several feeds of a person at once. A fixed number of statements each, whatever their number."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum

from django.contrib.auth.models import User
from django.db.models import Q
from django.utils import dateformat
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from feeds.calling import call_worker
from feeds.claiming import make_due
from feeds.models import Feed, FeedStatus
from reader.asking import ASK_AGAIN_AFTER
from reader.leaving import leave
from reader.models import Folder, Parting, Subscription
from reader.quieting import keep_to_digests
from reader.returning import come_back, returning
from reader.subscriptions import fetch_full_texts, folder_named, move

MOST_AT_ONCE = 5000  # feeds; a list for SQLite's statements
_POLLED_TOGETHER = 200  # feeds in one task


class Act(StrEnum):
    MOVE = "move"
    POLL = "poll"
    FULL_TEXT = "full_text"
    NO_FULL_TEXT = "no_full_text"
    DIGEST_ONLY = "digest_only"
    ALL_LISTS = "all_lists"
    QUIET = "quiet"
    KEEP = "keep"
    UNFOLLOW = "unfollow"


@dataclass(frozen=True, slots=True)
class Done:
    """What happened, in a sentence; and the record to take it back by, where there is one."""

    sentence: str
    parting: Parting | None = None


def perform(
    act: Act, user: User, ids: Collection[int], *, now: datetime, folder: str = "", until: date | None = None
) -> Done:
    """Do it with the user's own of these subscriptions; `folder` for moving, `until` for quiet (None ends it)."""
    mine = Subscription.objects.filter(user=user, pk__in=ids)
    ids = list(mine.values_list("pk", flat=True)[:MOST_AT_ONCE])
    n = len(ids)
    if not n:
        return Done(_("None of these feeds is followed any more."))
    if act == Act.UNFOLLOW:
        return _unfollow(user, ids, now)
    if act == Act.POLL:
        return Done(_poll(ids, now))
    if act == Act.MOVE:
        found = folder_named(user, folder)
        move(user, ids, found)
        return Done(_moved(n, found))
    if act in (Act.FULL_TEXT, Act.NO_FULL_TEXT):
        fetch_full_texts(user, ids, is_wanted=act == Act.FULL_TEXT)
    elif act in (Act.DIGEST_ONLY, Act.ALL_LISTS):
        keep_to_digests(user, ids, is_wanted=act == Act.DIGEST_ONLY)
    elif act == Act.QUIET:
        mine.update(quiet_until=until)
    else:
        mine.update(is_kept=True)
    return Done(_sentence(act, n, until))


def _moved(n: int, folder: Folder | None) -> str:
    if folder is None:
        return ngettext("%(n)s feed moved out of their folders.", "%(n)s feeds moved out of their folders.", n) % {
            "n": n
        }
    told = ngettext("%(n)s feed moved to “%(folder)s”.", "%(n)s feeds moved to “%(folder)s”.", n)
    return told % {"n": n, "folder": folder.name}


def _sentence(act: Act, n: int, until: date | None) -> str:
    feeds = ngettext("%(n)s feed", "%(n)s feeds", n) % {"n": n}
    if act == Act.QUIET and until is not None:
        return _("%(feeds)s: quiet until %(day)s. What comes stands in the feed's own list only.") % {
            "feeds": feeds,
            "day": dateformat.format(until, pgettext("date format", "j F Y")),
        }
    said = {
        Act.FULL_TEXT: _("the full text of new articles is fetched from now on."),
        Act.NO_FULL_TEXT: _("full text is not fetched any more."),
        Act.DIGEST_ONLY: _("in digests and in the feed's own list only."),
        Act.ALL_LISTS: _("in all lists again."),
        Act.QUIET: _("not quiet any more."),
        Act.KEEP: _("kept. You are not asked again."),
    }
    return _("%(feeds)s: %(said)s") % {"feeds": feeds, "said": said[act]}


def _unfollow(user: User, ids: Collection[int], now: datetime) -> Done:
    parting = leave(user, ids, now=now)
    if parting is not None and parting.is_under_way:
        call_worker("reader.tasks.go_on_with_partings", user.pk)
    names = parting.names if parting else []
    if len(names) == 1:
        return Done(_("You do not follow %(name)s any more. Starred articles stay.") % {"name": names[0]}, parting)
    told = ngettext(
        "You do not follow %(n)s feed any more. Starred articles stay.",
        "You do not follow %(n)s feeds any more. Starred articles stay.",
        len(names),
    )
    return Done(told % {"n": len(names)}, parting)


def follow_again(user: User, parting: Parting, *, now: datetime) -> str | None:
    """Take back what a press left; says what happened, None if that cannot be taken back any more."""
    names = come_back(user, parting, now=now)
    if names is None:
        return None
    if parting.kind == Parting.Kind.JOINED:
        told = _("%(one)s and %(other)s are two again.") % {"one": parting.names[0], "other": parting.names[1]}
    elif len(names) == 1:
        told = _("You follow %(name)s again.") % {"name": names[0]}
    else:
        told = ngettext("You follow %(n)s feed again.", "You follow %(n)s feeds again.", len(names))
        told %= {"n": len(names)}
    if returning(user).exists():
        call_worker("reader.tasks.go_on_with_partings", user.pk)
        told += " " + _("Their articles are coming back.")
    return told


def _poll(ids: Collection[int], now: datetime) -> str:
    feeds = Feed.objects.filter(subscriptions__in=ids)
    free = Q(source__resting_until=None) | Q(source__resting_until__lte=now)
    rested = Q(last_polled_at=None) | Q(last_polled_at__lte=now - ASK_AGAIN_AFTER)
    ready = list(feeds.filter(free, rested, status=FeedStatus.ACTIVE).values_list("pk", flat=True))
    make_due(Feed.objects.filter(pk__in=ready), now)
    for start in range(0, len(ready), _POLLED_TOGETHER):
        call_worker("feeds.tasks.poll_feeds", ready[start : start + _POLLED_TOGETHER])
    said = ngettext("%(n)s feed is being polled.", "%(n)s feeds are being polled.", len(ready)) % {"n": len(ready)}
    left = len(ids) - len(ready)
    if left:
        said += " " + ngettext(
            "%(n)s is not: it is gone, paused, asked us to wait, or was polled within the last minute.",
            "%(n)s are not: they are gone, paused, asked us to wait, or were polled within the last minute.",
            left,
        ) % {"n": left}
    return said
