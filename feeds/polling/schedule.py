"""Decides when to poll a feed next, and why. Pure.

A poll costs the publisher something and is useless if nothing is new, so the interval should be near the time in which
one new entry is expected. The rules, in order of priority:

1. the publisher's hints (`ttl`, `sy:*`, `Cache-Control`, `Expires`) set a minimum for all other rules;
2. failures double the interval; the first is retried after a minute if it may pass (connection error, timeout, 5xx);
   those that usually pass within hours (`is_passing`) are retried within the hour first;
3. a hub that announces new entries makes polls rare, and polls after its announcements change no interval;
4. after long silence, a feed is polled daily, then weekly, whatever its kind;
5. five unchanged polls in a row double the interval, three in a row with new entries halve it;
6. otherwise the interval moves toward the one at which one new entry is expected, by at most a factor of sqrt(2) per
   poll, so that a single burst has little effect.

Sources: best-practices.md, Feed Collection & Polling, 1 and 2; SPEC §3.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from math import ceil, sqrt

from feeds.wording import format_number, ngettext
from feeds.wording import gettext as _

BASE_INTERVALS = {  # best-practices.md, default polling schedule
    "breaking": timedelta(minutes=15),
    "major": timedelta(minutes=30),
    "blog": timedelta(hours=3),
    "newsletter": timedelta(hours=18),
    "dormant": timedelta(hours=24),
}
SHORTEST = timedelta(minutes=5)
LONGEST = timedelta(hours=24)  # for adaptation and errors; silence and publishers may make it longer
WEEKLY = timedelta(days=7)
WITH_HUB = timedelta(hours=6)  # in case the hub misses an entry; see `feeds.push`
SECOND_TRY = timedelta(seconds=60)  # after the first failed poll; SPEC §2
SOON = timedelta(minutes=50)  # within the hour, whatever the jitter
SOON_TRIES = 12  # such polls in a row, which take at most half a day
UNCHANGED_POLLS_TO_DOUBLE = 5
NEW_POLLS_TO_HALVE = 3
SILENCE_DAILY = timedelta(days=14)
SILENCE_WEEKLY = timedelta(days=30)
LONG_SILENCE = timedelta(days=90)
LONG_AGO = timedelta(days=2 * 365)  # told in years
JITTER = 0.1  # share of the interval
FULL_EVERY = timedelta(days=7)  # SPEC §2
_MONDAY = datetime(2024, 1, 1, tzinfo=UTC)
MAX_HINT = WEEKLY  # a longer hint is probably a mistake

_PERIODS = {
    "hourly": timedelta(hours=1),
    "daily": timedelta(days=1),
    "weekly": timedelta(days=7),
    "monthly": timedelta(days=30),
    "yearly": timedelta(days=365),
}
_RATES = (  # entries a day from which a feed is of a kind
    (24.0, "breaking"),
    (4.0, "major"),
    (0.2, "blog"),
    (1 / 31, "newsletter"),
)


@dataclass(frozen=True, slots=True)
class PollHistory:
    """The state of a feed after a poll.

    `interval`: the current one, None before the first. `average_new`: new entries per poll, moving average. `silence`:
    since the last new entry, None without one. `limited`: the publisher asked us to slow down (429). `is_transient`:
    the last poll failed with a connection error, a timeout or a 5xx. `is_passing`: it failed as servers fail for a few
    hours (403, 404, 5xx), and the feed worked before. Counters named `consecutive_…` count the latest polls. `has_hub`:
    a hub announces new entries. `is_extra`: the poll was due to an announcement.
    """

    kind: str
    interval: timedelta | None = None
    publisher_minimum: timedelta = timedelta(0)
    consecutive_failures: int = 0
    consecutive_unchanged: int = 0
    consecutive_new: int = 0
    average_new: float = 0.0
    silence: timedelta | None = None
    limited: bool = False
    is_transient: bool = False
    is_passing: bool = False
    has_hub: bool = False
    is_extra: bool = False


@dataclass(frozen=True, slots=True)
class NextInterval:
    """`interval` until the next poll; `base`, the regular interval to store, which retries and hubs don't change;
    `reason` for the user, "" if it stays the same."""

    interval: timedelta
    base: timedelta
    reason: str


def next_interval(history: PollHistory) -> NextInterval:
    """Return the interval until the next poll with its reason, from `SECOND_TRY` after a first failure to 7 days.

    Without failures it is at least 5 minutes and the publisher's minimum. After the retry, it only grows with further
    failures.
    """
    minimum = max(SHORTEST, min(history.publisher_minimum, MAX_HINT))
    current = max(history.interval or BASE_INTERVALS[history.kind], minimum)
    if history.limited:
        interval = _capped(current * 2, minimum)
        return NextInterval(
            interval,
            interval,
            _("%(interval)s: the publisher asked us to slow down") % {"interval": format_interval(interval)},
        )
    if history.consecutive_failures:
        return _after_failure(history, current)
    if (history.has_hub or history.is_extra) and (history.silence or timedelta(0)) < SILENCE_DAILY:
        return _announced(min(current, max(LONGEST, minimum)), has_hub=history.has_hub)
    interval, reason = _adapted(history, current)
    if interval <= minimum and history.publisher_minimum >= SHORTEST:
        reason = _("the publisher asks for at most one poll in %(span)s") % {"span": format_duration(minimum)}
    interval = max(interval, minimum)
    return NextInterval(
        interval, interval, _("%(interval)s: %(reason)s") % {"interval": format_interval(interval), "reason": reason}
    )


def _announced(current: timedelta, *, has_hub: bool) -> NextInterval:
    if not has_hub:
        return NextInterval(current, current, "")
    interval = max(current, WITH_HUB)
    text = {"interval": format_interval(interval), "reason": _("its hub announces new entries")}
    return NextInterval(interval, current, _("%(interval)s: %(reason)s") % text)


def _after_failure(history: PollHistory, current: timedelta) -> NextInterval:
    failures, is_transient = history.consecutive_failures, history.is_transient
    if is_transient and failures == 1:
        return NextInterval(SECOND_TRY, current, _("again in 60 s: the last poll failed"))
    doublings = max(0, failures - is_transient)
    if history.is_passing and failures > SOON_TRIES:
        doublings -= SOON_TRIES
    ceiling = max(current, LONGEST)
    interval = min(current * 2 ** min(doublings, 12), ceiling)  # 5 min doubled 12 times is over any ceiling
    if history.is_passing:
        interval = min(interval, SOON) if failures <= SOON_TRIES else max(interval, SOON)
    reason = ngettext("in %(span)s: the last poll failed", "in %(span)s: %(n)s polls failed in a row", failures)
    return NextInterval(interval, current, reason % {"span": format_duration(interval), "n": failures})


def _adapted(history: PollHistory, current: timedelta) -> tuple[timedelta, str]:
    silence = history.silence or timedelta(0)
    if silence >= SILENCE_WEEKLY:
        return max(current, WEEKLY), silent_for(silence)
    if silence >= SILENCE_DAILY:
        return max(min(current, LONGEST), LONGEST), silent_for(silence)
    current = min(current, max(LONGEST, history.publisher_minimum))  # no longer weekly after new entries
    if history.interval is None:
        return current, _("default for this kind of feed")
    if history.consecutive_unchanged and history.consecutive_unchanged % UNCHANGED_POLLS_TO_DOUBLE == 0:
        n = history.consecutive_unchanged
        reason = ngettext("unchanged in %(n)s polls", "unchanged in %(n)s polls", n) % {"n": n}
        return min(current * 2, LONGEST), reason
    if history.consecutive_new >= NEW_POLLS_TO_HALVE:
        n = history.consecutive_new
        reason = ngettext("new entries in the last %(n)s polls", "new entries in the last %(n)s polls", n) % {"n": n}
        return current / 2, reason
    return _steer(history.average_new, current)


def _steer(average_new: float, current: timedelta) -> tuple[timedelta, str]:
    factor = sqrt(min(2.0, max(0.5, 1 / average_new))) if average_new > 0 else sqrt(2.0)
    reason = _("about %(n)s new entries per poll") % {"n": format_number(average_new, 1)}
    return min(max(current * factor, SHORTEST), max(current, LONGEST)), reason


def _capped(interval: timedelta, minimum: timedelta) -> timedelta:
    return max(minimum, min(interval, max(LONGEST, minimum)))


@dataclass(frozen=True, slots=True)
class Hint:
    """A publisher's request for at most one poll per `interval`. `name` is the hint's name in the feed or headers."""

    interval: timedelta
    name: str


NO_HINT = Hint(timedelta(0), "")


def http_hint(minimum: timedelta | None) -> Hint:
    """Return the hint for a minimum interval from HTTP headers."""
    return Hint(min(minimum, MAX_HINT), _("Cache-Control or Expires")) if minimum else NO_HINT


def publisher_hint(
    *,
    ttl_minutes: int | None = None,
    update_period: str = "",
    update_frequency: int | None = None,
    http_minimum: timedelta | None = None,
) -> Hint:
    """Return the longest of the publisher's hints, at most 7 days; `NO_HINT` without any.

    `update_period` without a frequency is once per period; a frequency without a period is per day (RSS 1.0 syndication
    module).
    """
    hints = [NO_HINT, http_hint(http_minimum)]
    if ttl_minutes and ttl_minutes > 0:
        hints.append(Hint(timedelta(minutes=min(ttl_minutes, 10_080)), "ttl"))
    if update_period in _PERIODS or update_frequency:
        period = _PERIODS.get(update_period, timedelta(days=1))
        hints.append(Hint(period / max(1, update_frequency or 1), "sy:updatePeriod"))
    longest = max(hints, key=lambda hint: hint.interval)
    return Hint(min(longest.interval, MAX_HINT), longest.name)


def poll_at(now: datetime, following: NextInterval, *, jitter: float, minimum: timedelta = timedelta(0)) -> datetime:
    """Return when to poll: after the interval, varied by `jitter` in [-1, 1] times 10 %, and at least `minimum`."""
    return now + max(following.interval * (1 + JITTER * jitter), minimum)


def avoid_skipped(when: datetime, *, skip_hours: int, skip_days: int) -> datetime:
    """Return `when`, or the first full hour after it that is not skipped by the bit masks (UTC).

    Masks that skip everything are ignored.
    """
    all_hours, all_days = (1 << 24) - 1, (1 << 7) - 1
    if skip_hours & all_hours == all_hours or skip_days & all_days == all_days:
        return when
    for _hour in range(24 * 8):
        if not (skip_hours >> when.hour & 1 or skip_days >> when.weekday() & 1):
            return when
        when = when.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)
    return when


def is_asked_in_full(feed_id: int, last_success_at: datetime | None, now: datetime) -> bool:
    """Whether to ask for the document even if it should be unchanged: with the first success in each week, because some
    servers never notice changes. Feeds have different weeks."""
    if last_success_at is None:
        return True
    shift = timedelta(seconds=feed_id * 7919)  # a prime, which spreads them
    week, last_week = ((at - _MONDAY + shift) // FULL_EVERY for at in (now, last_success_at))
    return week != last_week


def classify(published: list[datetime], *, now: datetime) -> str:
    """Return the kind of a feed, from its rate of entries in the last 30 days.

    `blog` without any entry, `dormant` without one in the last 30 days.
    """
    recent = sorted(timestamp for timestamp in published if now - SILENCE_WEEKLY <= timestamp <= now)
    if not published:
        return "blog"
    if not recent:
        return "dormant"
    days = max((now - recent[0]) / timedelta(days=1), 1 / 24)
    if len(recent) == 1:
        days = max(days, 7.0)
    rate = len(recent) / days
    return next((kind for least, kind in _RATES if rate >= least), "dormant")


def format_duration(span: timedelta) -> str:
    """Return a duration for display: `45 min`, `3 h`, `2 days`."""
    minutes = span / timedelta(minutes=1)
    if minutes < 1.5:
        return _("%(n)s s") % {"n": round(minutes * 60)}
    if minutes < 100:
        return _("%(n)s min") % {"n": round(minutes)}
    if minutes < 60 * 36:
        hours = minutes / 60
        return _("%(n)s h") % {"n": format_number(round(hours, 1 if hours < 10 else 0))}
    days = round(minutes / 1440, 1)
    return ngettext("%(n)s day", "%(n)s days", ceil(days)) % {"n": format_number(days)}


def format_interval(span: timedelta) -> str:
    return _("every %(span)s") % {"span": format_duration(span)}


def silent_for(silence: timedelta) -> str:
    """Say how long a feed has been silent: in days, from two years on in years."""
    if silence >= LONG_AGO:
        years = silence.days // 365
        return ngettext("nothing new for %(n)s year", "nothing new for %(n)s years", years) % {"n": years}
    return ngettext("nothing new for %(n)s day", "nothing new for %(n)s days", silence.days) % {"n": silence.days}
