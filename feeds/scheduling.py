"""When to poll a feed next, and why. Pure.

Theory. A poll costs the publisher something and brings nothing when nothing is new, so the interval should be near the
time in which one new entry is expected. What is known, in order of authority:

1. the publisher's hints (`ttl`, `sy:*`, `Cache-Control`, `Expires`) set a minimum that no rule goes below;
2. failures double the interval, after one quick second try;
3. long silence makes a feed daily, then weekly, whatever its kind;
4. five polls without change double, three polls running with something new halve the interval;
5. otherwise the interval moves toward the one at which one new entry is expected, never by more than a factor of
   sqrt(2) a poll, so that a single burst does not throw it.

Sources: best-practices.md, Feed Collection & Polling, 1 and 2; SPEC §3.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil, sqrt

from feeds.wording import gettext as _
from feeds.wording import ngettext

BASE_INTERVALS = {  # best-practices.md, default polling schedule
    "breaking": timedelta(minutes=15),
    "major": timedelta(minutes=30),
    "blog": timedelta(hours=3),
    "newsletter": timedelta(hours=18),
    "dormant": timedelta(hours=24),
}
SHORTEST = timedelta(minutes=5)
LONGEST = timedelta(hours=24)  # for adaptation and errors; silence and publishers may ask for more
WEEKLY = timedelta(days=7)
SECOND_TRY = timedelta(seconds=60)  # after the first failed poll
UNCHANGED_POLLS_TO_DOUBLE = 5
NEW_POLLS_TO_HALVE = 3
SILENCE_DAILY = timedelta(days=14)
SILENCE_WEEKLY = timedelta(days=30)
SILENCE_ASK = timedelta(days=90)
JITTER = 0.1  # share of the interval
MOST_HINTED = WEEKLY  # a hint above it is taken for a mistake and cut

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
    """What is known of a feed after a poll.

    `interval`: the one in force, None before the first. `average_new`: new entries per poll, moving average.
    `silence`: since the last new entry, None when there never was one. `limited`: the publisher asked to slow down
    (429). Counters named `…_running` count the latest polls in a row.
    """

    kind: str
    interval: timedelta | None = None
    publisher_minimum: timedelta = timedelta(0)
    failures_running: int = 0
    unchanged_running: int = 0
    new_running: int = 0
    average_new: float = 0.0
    silence: timedelta | None = None
    limited: bool = False


@dataclass(frozen=True, slots=True)
class NextInterval:
    """`interval` until the next poll; `kept`, the interval to remember (a second try is no new habit); `reason` in
    words."""

    interval: timedelta
    kept: timedelta
    reason: str


def next_interval(history: PollHistory) -> NextInterval:
    """The interval until the next poll with its reason, from `SECOND_TRY` after a first failure to 7 days.

    Without failures never under 5 minutes nor under the publisher's minimum; never shorter with more failures running
    once the second try is spent.
    """
    minimum = max(SHORTEST, min(history.publisher_minimum, MOST_HINTED))
    current = max(history.interval or BASE_INTERVALS[history.kind], minimum)
    if history.limited:
        interval = _capped(current * 2, minimum)
        return NextInterval(
            interval, interval, _("%(interval)s: the publisher asked us to slow down") % {"interval": every(interval)}
        )
    if history.failures_running:
        return _after_failure(history.failures_running, current)
    interval, reason = _adapted(history, current)
    if interval <= minimum and history.publisher_minimum >= SHORTEST:
        reason = _("the publisher asks for at most one poll in %(span)s") % {"span": spell(minimum)}
    interval = max(interval, minimum)
    return NextInterval(
        interval, interval, _("%(interval)s: %(reason)s") % {"interval": every(interval), "reason": reason}
    )


def _after_failure(failures: int, current: timedelta) -> NextInterval:
    if failures == 1:
        return NextInterval(SECOND_TRY, current, _("once more in 60 s: the last poll failed"))
    ceiling = max(current, LONGEST)
    doublings = min(failures - 1, 12)  # 5 min doubled 12 times is over any ceiling
    interval = min(current * 2**doublings, ceiling)
    told = ngettext("in %(span)s: %(n)s polls failed in a row", "in %(span)s: %(n)s polls failed in a row", failures)
    return NextInterval(interval, current, told % {"span": spell(interval), "n": failures})


def _adapted(history: PollHistory, current: timedelta) -> tuple[timedelta, str]:
    silence = history.silence or timedelta(0)
    if silence >= SILENCE_WEEKLY:
        return max(current, WEEKLY), _silent_for(silence)
    if silence >= SILENCE_DAILY:
        return max(min(current, LONGEST), LONGEST), _silent_for(silence)
    current = min(current, max(LONGEST, history.publisher_minimum))  # it was weekly and has woken
    if history.interval is None:
        return current, _("usual for this kind of feed (%(kind)s)") % {"kind": history.kind}
    if history.unchanged_running and history.unchanged_running % UNCHANGED_POLLS_TO_DOUBLE == 0:
        return min(current * 2, LONGEST), _unchanged_in(history.unchanged_running)
    if history.new_running >= NEW_POLLS_TO_HALVE:
        return current / 2, _new_in_each_of(history.new_running)
    return _steered(history.average_new, current)


def _steered(average_new: float, current: timedelta) -> tuple[timedelta, str]:
    factor = sqrt(min(2.0, max(0.5, 1 / average_new))) if average_new > 0 else sqrt(2.0)
    reason = _("about %(n)s new entries a poll") % {"n": f"{average_new:.1f}"}
    return min(max(current * factor, SHORTEST), max(current, LONGEST)), reason


def _capped(interval: timedelta, minimum: timedelta) -> timedelta:
    return max(minimum, min(interval, max(LONGEST, minimum)))


@dataclass(frozen=True, slots=True)
class Hint:
    """What a publisher asks for: at most one poll in `interval`. `name` is that of the hint, as publishers write it."""

    interval: timedelta
    name: str


NO_HINT = Hint(timedelta(0), "")


def http_hint(minimum: timedelta | None) -> Hint:
    """The hint of an answer's headers, which ask for `minimum`."""
    return Hint(min(minimum, MOST_HINTED), _("Cache-Control or Expires")) if minimum else NO_HINT


def publisher_hint(
    *,
    ttl_minutes: int | None = None,
    update_period: str = "",
    update_frequency: int | None = None,
    http_minimum: timedelta | None = None,
) -> Hint:
    """The longest of the publisher's hints, at most 7 days; `NO_HINT` without any.

    `update_period` without a frequency means once a period; a frequency without a period means so often a day (RSS 1.0
    syndication module).
    """
    hints = [NO_HINT, http_hint(http_minimum)]
    if ttl_minutes and ttl_minutes > 0:
        hints.append(Hint(timedelta(minutes=min(ttl_minutes, 10_080)), "ttl"))
    if update_period in _PERIODS or update_frequency:
        period = _PERIODS.get(update_period, timedelta(days=1))
        hints.append(Hint(period / max(1, update_frequency or 1), "sy:updatePeriod"))
    longest = max(hints, key=lambda each: each.interval)
    return Hint(min(longest.interval, MOST_HINTED), longest.name)


def publisher_minimum(
    *,
    ttl_minutes: int | None = None,
    update_period: str = "",
    update_frequency: int | None = None,
    http_minimum: timedelta | None = None,
) -> timedelta:
    """The interval of `publisher_hint`, zero without any."""
    return publisher_hint(
        ttl_minutes=ttl_minutes,
        update_period=update_period,
        update_frequency=update_frequency,
        http_minimum=http_minimum,
    ).interval


def poll_at(now: datetime, following: NextInterval, *, jitter: float, minimum: timedelta = timedelta(0)) -> datetime:
    """When to poll: the interval from `now`, moved by `jitter` in [-1, 1] times 10 %, not before `minimum`."""
    return now + max(following.interval * (1 + JITTER * jitter), minimum)


def outside_skipped(when: datetime, *, skip_hours: int, skip_days: int) -> datetime:
    """`when`, or the first full hour after it that is neither in a skipped hour nor on a skipped day (bit masks, UTC).

    A mask that skips everything is ignored.
    """
    all_hours, all_days = (1 << 24) - 1, (1 << 7) - 1
    if skip_hours & all_hours == all_hours or skip_days & all_days == all_days:
        return when
    for _hour in range(24 * 8):
        if not (skip_hours >> when.hour & 1 or skip_days >> when.weekday() & 1):
            return when
        when = when.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)
    return when


def classify(published: list[datetime], *, now: datetime) -> str:
    """The kind of feed by its observed rate, from the publication times of the entries in one document.

    One document shows a window: from its oldest entry of the last 30 days to now. No entry at all: `blog`, until more
    is known; none in the last 30 days: `dormant`.
    """
    recent = sorted(moment for moment in published if now - SILENCE_WEEKLY <= moment <= now)
    if not published:
        return "blog"
    if not recent:
        return "dormant"
    days = max((now - recent[0]) / timedelta(days=1), 1 / 24)
    if len(recent) == 1:
        days = max(days, 7.0)
    rate = len(recent) / days
    return next((kind for least, kind in _RATES if rate >= least), "dormant")


def spell(span: timedelta) -> str:
    """A duration as people say it: `45 min`, `3 h`, `2 days`."""
    minutes = span / timedelta(minutes=1)
    if minutes < 1.5:
        return _("%(n)s s") % {"n": round(minutes * 60)}
    if minutes < 100:
        return _("%(n)s min") % {"n": round(minutes)}
    if minutes < 60 * 36:
        return _("%(n)s h") % {"n": f"{round(minutes / 60, 1):g}"}
    days = round(minutes / 1440, 1)
    return ngettext("%(n)s day", "%(n)s days", ceil(days)) % {"n": f"{days:g}"}


def every(span: timedelta) -> str:
    return _("every %(span)s") % {"span": spell(span)}


def _silent_for(silence: timedelta) -> str:
    return ngettext("nothing new for %(n)s days", "nothing new for %(n)s days", silence.days) % {"n": silence.days}


def _unchanged_in(n: int) -> str:
    return ngettext("unchanged in %(n)s polls", "unchanged in %(n)s polls", n) % {"n": n}


def _new_in_each_of(n: int) -> str:
    told = ngettext("something new in each of the last %(n)s polls", "something new in each of the last %(n)s polls", n)
    return told % {"n": n}
