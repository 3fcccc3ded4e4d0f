"""Why a feed's next poll is when it is, in sentences; follows `feeds.polling.schedule`. No queries."""

from datetime import datetime, timedelta

from django.utils.dates import WEEKDAYS
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from feeds.models import Feed, FeedStatus
from feeds.polling.schedule import BASE_INTERVALS, LONGEST, SHORTEST, WITH_HUB, format_duration
from feeds.stored_text import reason_text
from feeds.wording import comma, format_number

_HOURS_OF_DAY, _DAYS_OF_WEEK = 24, 7


def explain_next_poll(feed: Feed, *, now: datetime, has_hub: bool = False) -> list[str]:
    """The reasons, the decisive one first. Empty for a feed that isn't polled any more. `has_hub`: a hub announces its
    new articles, so it's polled less."""
    if feed.status != FeedStatus.ACTIVE or feed.next_poll_at is None:
        return []
    if feed.last_polled_at is None:
        return [_("Never polled before, so it's polled now.")]
    if has_hub:
        return [*_decided(feed, now), *_without_hub(feed)]
    return [*_decided(feed, now), *_measured(feed), *_asked_for(feed)]


def _decided(feed: Feed, now: datetime) -> list[str]:
    found = []
    resting = feed.source.rate_limited_until
    if resting is not None and resting > now:
        found.append(
            _("%(domain)s asked us to wait another %(span)s before polling its feeds (Retry-After).")
            % {"domain": feed.source.domain, "span": format_duration(resting - now)}
        )
    if feed.interval_reason:
        found.append(_("Rule: %(reason)s.") % {"reason": reason_text(feed.interval_reason.rstrip("."))})
    if feed.consecutive_failures:
        found.append(
            _("While it fails, the interval doubles each time, up to %(most)s, until the next success.")
            % {"most": format_duration(LONGEST)}
        )
    return found


def _measured(feed: Feed) -> list[str]:
    found = []
    if feed.interval_seconds and not feed.consecutive_failures:
        found.append(
            _("Measured: about %(rate)s new articles a poll, at one poll every %(interval)s.")
            % {
                "rate": format_number(feed.average_new, 1),
                "interval": format_duration(timedelta(seconds=feed.interval_seconds)),
            }
        )
    if feed.consecutive_unchanged > 1:
        found.append(
            ngettext(
                "Nothing new in the last poll.",
                "Nothing new in the last %(n)s polls.",
                feed.consecutive_unchanged,
            )
            % {"n": feed.consecutive_unchanged}
        )
    elif feed.consecutive_new > 1:
        text = ngettext(
            "The last poll had new articles.", "Each of the last %(n)s polls had new articles.", feed.consecutive_new
        )
        found.append(text % {"n": feed.consecutive_new})
    text = _("Classified as “%(kind)s” by its rate, which starts at one poll every %(base)s.")
    if feed.kind_is_fixed:
        text = _("Classified as “%(kind)s” by an administrator, which starts at one poll every %(base)s.")
    found.append(text % {"kind": feed.get_kind_display(), "base": format_duration(BASE_INTERVALS[feed.kind])})
    return found


def _without_hub(feed: Feed) -> list[str]:
    interval = timedelta(seconds=feed.interval_seconds or 0)
    if not timedelta(0) < interval < WITH_HUB:
        return []
    text = _("Without its hub, it would be polled every %(interval)s. Polls remain in case the hub misses something.")
    return [text % {"interval": format_duration(interval)}]


def _asked_for(feed: Feed) -> list[str]:
    found = []
    least = timedelta(seconds=feed.publisher_minimum_seconds)
    if least >= SHORTEST:
        text = _("Its publisher asks for at most one poll in %(least)s; we never poll more often.")
        if feed.publisher_minimum_by:
            text = _("Its publisher asks for at most one poll in %(least)s (%(by)s); we never poll more often.")
        found.append(text % {"least": format_duration(least), "by": feed.publisher_minimum_by})
    else:
        found.append(
            _("Its publisher sets no minimum interval; ours is %(least)s.") % {"least": format_duration(SHORTEST)}
        )
    if hours := _spans([hour for hour in range(_HOURS_OF_DAY) if feed.skip_hours >> hour & 1]):
        found.append(_("Its publisher asks not to be polled at %(hours)s o'clock UTC (skipHours).") % {"hours": hours})
    if days := [str(WEEKDAYS[day]) for day in range(_DAYS_OF_WEEK) if feed.skip_days >> day & 1]:
        found.append(_("Its publisher asks not to be polled on %(days)s (skipDays).") % {"days": comma().join(days)})
    return found


def _spans(hours: list[int]) -> str:
    """`0–5, 22`: hours in a row as one."""
    spans: list[list[int]] = []
    for hour in hours:
        if spans and spans[-1][-1] == hour - 1:
            spans[-1].append(hour)
        else:
            spans.append([hour])
    return ", ".join(f"{span[0]}–{span[-1]}" if len(span) > 1 else str(span[0]) for span in spans)
