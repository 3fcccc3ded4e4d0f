"""When a feed is asked next and why then, in sentences: the rules of `feeds.scheduling` as they stand with this feed.

Asks the database nothing. Whoever reads this learns what we measured, what the publisher asked for and what failed, the
part that decided first.
"""

from datetime import datetime, timedelta

from django.utils.dates import WEEKDAYS
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from feeds.models import Feed, FeedStatus
from feeds.scheduling import BASE_INTERVALS, LONGEST, SHORTEST, spell

_HOURS_OF_DAY, _DAYS_OF_WEEK = 24, 7


def why_then(feed: Feed, *, now: datetime) -> list[str]:
    """The reasons, the one that decided first. Empty for a feed that is not polled any more."""
    if feed.status != FeedStatus.ACTIVE or feed.next_poll_at is None:
        return []
    if feed.last_polled_at is None:
        return [_("It was never asked before, so it is asked at once.")]
    return [*_decided(feed, now), *_measured(feed), *_asked_for(feed)]


def _decided(feed: Feed, now: datetime) -> list[str]:
    found = []
    resting = feed.source.resting_until
    if resting is not None and resting > now:
        found.append(
            _("%(domain)s asked us to leave all its feeds alone for another %(span)s (Retry-After).")
            % {"domain": feed.source.domain, "span": spell(resting - now)}
        )
    if feed.interval_reason:
        found.append(_("The rule that decided: %(reason)s.") % {"reason": feed.interval_reason.rstrip(".")})
    if feed.failures_running > 1:
        found.append(
            _("While it fails, the wait doubles each time, up to %(most)s; one success ends that.")
            % {"most": spell(LONGEST)}
        )
    elif feed.failures_running == 1:
        found.append(_("After a first failure it is asked once more at once; after the next we wait longer."))
    return found


def _measured(feed: Feed) -> list[str]:
    found = []
    if feed.interval_seconds and not feed.failures_running:
        found.append(
            _("Measured: about %(rate)s new articles a poll, at one poll every %(interval)s.")
            % {"rate": f"{feed.average_new:.1f}", "interval": spell(timedelta(seconds=feed.interval_seconds))}
        )
    if feed.unchanged_running > 1:
        found.append(
            ngettext(
                "Nothing was new in the last poll.", "Nothing was new in the last %(n)s polls.", feed.unchanged_running
            )
            % {"n": feed.unchanged_running}
        )
    elif feed.new_running > 1:
        told = ngettext(
            "The last poll brought something.", "Each of the last %(n)s polls brought something.", feed.new_running
        )
        found.append(told % {"n": feed.new_running})
    told = _("By its rate it counts as “%(kind)s”, which begins at one poll every %(base)s.")
    if feed.kind_is_fixed:
        told = _(
            "By its rate it counts as “%(kind)s”, which begins at one poll every %(base)s (set by an administrator)."
        )
    found.append(told % {"kind": feed.get_kind_display(), "base": spell(BASE_INTERVALS[feed.kind])})
    return found


def _asked_for(feed: Feed) -> list[str]:
    found = []
    least = timedelta(seconds=feed.publisher_minimum_seconds)
    if least >= SHORTEST:
        told = _("Its publisher asks for at most one poll in %(least)s; we never ask more often.")
        if feed.publisher_minimum_by:
            told = _("Its publisher asks for at most one poll in %(least)s (%(by)s); we never ask more often.")
        found.append(told % {"least": spell(least), "by": feed.publisher_minimum_by})
    else:
        found.append(
            _("Its publisher asks for no pause between polls; we wait at least %(least)s.") % {"least": spell(SHORTEST)}
        )
    if hours := _spans([hour for hour in range(_HOURS_OF_DAY) if feed.skip_hours >> hour & 1]):
        found.append(_("Its publisher asks not to be polled at %(hours)s o'clock UTC (skipHours).") % {"hours": hours})
    if days := [str(WEEKDAYS[day]) for day in range(_DAYS_OF_WEEK) if feed.skip_days >> day & 1]:
        comma = pgettext("between the names of a list", ", ")
        found.append(_("Its publisher asks not to be polled on %(days)s (skipDays).") % {"days": comma.join(days)})
    return found


def _spans(hours: list[int]) -> str:
    """`0–5, 22`: hours in a row as one."""
    spans: list[list[int]] = []
    for hour in hours:
        if spans and spans[-1][-1] == hour - 1:
            spans[-1].append(hour)
        else:
            spans.append([hour])
    return ", ".join(f"{each[0]}–{each[-1]}" if len(each) > 1 else str(each[0]) for each in spans)
