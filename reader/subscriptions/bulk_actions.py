"""Actions on several feeds of a user at once, in a fixed number of statements."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from math import ceil

from django.contrib.auth.models import User
from django.db.models import Q
from django.utils import dateformat
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext

from feeds.models import Feed, FeedStatus
from feeds.polling.leases import make_due
from feeds.polling.schedule import format_duration
from feeds.tasks.enqueue import call_worker
from reader.models import Folder, Subscription
from reader.subscriptions.follow import move, set_full_text
from reader.subscriptions.make_folders import folder_named
from reader.subscriptions.noise_limits import set_digest_only
from reader.subscriptions.unfollow import undo_unfollow, unfollow

MAX_AT_ONCE = 5000  # feeds
MIN_PAUSE = timedelta(seconds=60)  # between polls that users request
_POLLED_TOGETHER = 200  # feeds in one task
_NONE_FOLLOWED = gettext_lazy("You no longer follow any of these feeds.")


class Act(StrEnum):
    MOVE = "move"
    POLL = "poll"
    FULL_TEXT = "full_text"
    NO_FULL_TEXT = "no_full_text"
    DIGEST_ONLY = "digest_only"
    ALL_LISTS = "all_lists"
    QUIET = "quiet"
    KEEP = "keep"
    HUSH = "hush"
    UNFOLLOW = "unfollow"


@dataclass(frozen=True, slots=True)
class Done:
    """What happened, in a sentence; after unfollowing, a subscription to undo it with."""

    sentence: str
    unfollowed: Subscription | None = None


def perform(
    act: Act, user: User, ids: Collection[int], *, now: datetime, folder: str = "", until: date | None = None
) -> Done:
    """Apply an action to the user's subscriptions; `folder` for MOVE, `until` for QUIET (None ends it)."""
    mine = Subscription.objects.filter(user=user, pk__in=ids)
    ids = list(mine.values_list("pk", flat=True)[:MAX_AT_ONCE])
    n = len(ids)
    if not n:
        return Done(str(_NONE_FOLLOWED))
    if act == Act.UNFOLLOW:
        return _unfollow(user, ids, now)
    if act == Act.POLL:
        return Done(_poll(ids, now))
    if act == Act.MOVE:
        found = folder_named(user, folder)
        move(user, ids, found)
        return Done(_moved(n, found))
    if act in (Act.FULL_TEXT, Act.NO_FULL_TEXT):
        set_full_text(user, ids, is_wanted=act == Act.FULL_TEXT)
    elif act in (Act.DIGEST_ONLY, Act.ALL_LISTS):
        set_digest_only(user, ids, is_wanted=act == Act.DIGEST_ONLY)
    elif act == Act.QUIET:
        mine.update(quiet_until=until)
    elif act == Act.HUSH:
        mine.update(tells_of_trouble=False)
    else:
        mine.update(is_kept=True)
    return Done(_sentence(act, n, until))


def _moved(n: int, folder: Folder | None) -> str:
    if folder is None:
        return ngettext("%(n)s feed moved out of their folders.", "%(n)s feeds moved out of their folders.", n) % {
            "n": n
        }
    text = ngettext("%(n)s feed moved to “%(folder)s”.", "%(n)s feeds moved to “%(folder)s”.", n)
    return text % {"n": n, "folder": folder.name}


def _sentence(act: Act, n: int, until: date | None) -> str:
    feeds = ngettext("%(n)s feed", "%(n)s feeds", n) % {"n": n}
    if act == Act.QUIET and until is not None:
        return _("%(feeds)s: quiet until %(day)s. New articles appear only in the feed's own list.") % {
            "feeds": feeds,
            "day": dateformat.format(until, pgettext("date format", "j F Y")),
        }
    results = {
        Act.FULL_TEXT: _("full text of new articles is fetched from now on."),
        Act.NO_FULL_TEXT: _("full text is no longer fetched."),
        Act.DIGEST_ONLY: _("only in digests and the feed's own list."),
        Act.ALL_LISTS: _("in all lists again."),
        Act.QUIET: _("no longer quiet."),
        Act.KEEP: _("kept. We won't ask again."),
        Act.HUSH: _("no more notifications about problems."),
    }
    return _("%(feeds)s: %(result)s") % {"feeds": feeds, "result": results[act]}


def _unfollow(user: User, ids: Collection[int], now: datetime) -> Done:
    found = unfollow(user, ids, now=now)
    if not found:
        return Done(str(_NONE_FOLLOWED))
    text = _("Unfollowed %(feeds)s. Starred articles stay.")
    return Done(text % {"feeds": _names(found)}, unfollowed=found[0])


def undo(user: User, subscription: Subscription, *, now: datetime) -> str | None:
    """Restore what one action unfollowed; returns a sentence, None if it can no longer be undone."""
    found = undo_unfollow(user, subscription, now=now)
    return _("You follow %(feeds)s again.") % {"feeds": _names(found)} if found else None


def _names(subscriptions: Sequence[Subscription]) -> str:
    if len(subscriptions) == 1:
        return subscriptions[0].shown_title
    return ngettext("%(n)s feed", "%(n)s feeds", len(subscriptions)) % {"n": len(subscriptions)}


def _poll(ids: Collection[int], now: datetime) -> str:
    n_polled = request_polls(ids, now=now)
    text = ngettext("%(n)s feed is being polled.", "%(n)s feeds are being polled.", n_polled) % {"n": n_polled}
    left = len(ids) - n_polled
    if left:
        text += " " + ngettext(
            "%(n)s isn't: it's gone, paused, rate limited, or was polled within the last minute.",
            "%(n)s aren't: they're gone, paused, rate limited, or were polled within the last minute.",
            left,
        ) % {"n": left}
    return text


def request_polls(ids: Collection[int], *, now: datetime) -> int:
    """Poll the feeds of these subscriptions as soon as workers are free; returns how many, without those that can't be
    polled now."""
    feeds = Feed.objects.filter(subscriptions__in=ids)
    free = Q(source__rate_limited_until=None) | Q(source__rate_limited_until__lte=now)
    rested = Q(last_polled_at=None) | Q(last_polled_at__lte=now - MIN_PAUSE)
    ready = list(feeds.filter(free, rested, status=FeedStatus.ACTIVE).values_list("pk", flat=True))
    make_due(Feed.objects.filter(pk__in=ready), now)
    for start in range(0, len(ready), _POLLED_TOGETHER):
        call_worker("feeds.tasks.polling.poll_feeds", ready[start : start + _POLLED_TOGETHER])
    return len(ready)


def pause_before_poll(feed: Feed, now: datetime) -> int:
    """Seconds until a user can have the feed polled; 0 if they could now, or can't at all."""
    rested_at = feed.last_polled_at + MIN_PAUSE if feed.last_polled_at else now
    free_at = max(rested_at, feed.source.rate_limited_until or now)
    return max(0, ceil((free_at - now).total_seconds())) if feed.status == FeedStatus.ACTIVE else 0


def request_poll(feed: Feed, *, now: datetime) -> str:
    """Poll a feed as soon as a worker is free; returns "", or a sentence that says why it can't be polled."""
    if feed.status == FeedStatus.DEAD:
        return _("This feed is gone for good. An administrator can revive it.")
    if feed.status == FeedStatus.SAMPLE:
        return _("This is a sample feed that came with the app.")
    if feed.status == FeedStatus.SAVED:
        return _("Saved pages aren't polled.")
    if feed.status != FeedStatus.ACTIVE:
        return _("This feed is paused. An administrator can resume it.")
    limited_until = feed.source.rate_limited_until
    if limited_until is not None and limited_until > now:
        return _("Its publisher asked us to wait. We can try again in %(span)s.") % {
            "span": format_duration(limited_until - now)
        }
    if feed.last_polled_at is not None and now - feed.last_polled_at < MIN_PAUSE:
        return _("It was polled less than a minute ago.")
    make_due(Feed.objects.filter(pk=feed.pk), now)
    call_worker("feeds.tasks.polling.poll_feeds", [feed.pk])
    return ""
