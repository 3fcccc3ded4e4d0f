"""How a feed does, in sentences: what happened, since when, what comes next. Asks the database nothing."""

from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from feeds.models import Feed, FeedStatus, Poll, PollOutcome
from feeds.scheduling import spell
from reader.moments import ago, day, since

_FAILED = {  # what to say where it did well before, where it never did, and what it is called in short
    PollOutcome.TIMEOUT: (
        gettext_lazy("This feed has not answered since %(moment)s (%(what)s)."),
        gettext_lazy("This feed has not answered, never yet well (%(what)s)."),
        gettext_lazy("timeout"),
    ),
    PollOutcome.UNREACHABLE: (
        gettext_lazy("This feed could not be reached since %(moment)s (%(what)s)."),
        gettext_lazy("This feed could not be reached, never yet well (%(what)s)."),
        gettext_lazy("no connection"),
    ),
    PollOutcome.REFUSED: (
        gettext_lazy("This feed is at an address we do not ask since %(moment)s (%(what)s)."),
        gettext_lazy("This feed is at an address we do not ask, never yet well (%(what)s)."),
        gettext_lazy("refused by us"),
    ),
    PollOutcome.HTTP_ERROR: (
        gettext_lazy("This feed has answered with an error since %(moment)s (%(what)s)."),
        gettext_lazy("This feed has answered with an error, never yet well (%(what)s)."),
        gettext_lazy("error"),
    ),
    PollOutcome.PARSE_ERROR: (
        gettext_lazy("This feed has sent something that is not a readable feed since %(moment)s (%(what)s)."),
        gettext_lazy("This feed has sent something that is not a readable feed, never yet well (%(what)s)."),
        gettext_lazy("unreadable"),
    ),
    PollOutcome.LIMITED: (
        gettext_lazy("This feed has asked us to slow down since %(moment)s (%(what)s)."),
        gettext_lazy("This feed has asked us to slow down, never yet well (%(what)s)."),
        gettext_lazy("limited"),
    ),
    PollOutcome.INTERNAL: (
        gettext_lazy("This feed could not be taken in, by a fault of ours since %(moment)s (%(what)s)."),
        gettext_lazy("This feed could not be taken in, by a fault of ours, never yet well (%(what)s)."),
        gettext_lazy("fault"),
    ),
}
_COMING = {  # by whether it was never polled, and whether it fails: as the publisher asked, at once, later
    (False, False): (
        gettext_lazy("Next poll in %(span)s, as the publisher asked."),
        gettext_lazy("Next poll within a minute."),
        gettext_lazy("Next poll in %(span)s."),
    ),
    (False, True): (
        gettext_lazy("We try again in %(span)s, as the publisher asked."),
        gettext_lazy("We try again within a minute."),
        gettext_lazy("We try again in %(span)s."),
    ),
    (True, False): (
        gettext_lazy("Not polled yet; next poll in %(span)s, as the publisher asked."),
        gettext_lazy("Not polled yet; next poll within a minute."),
        gettext_lazy("Not polled yet; next poll in %(span)s."),
    ),
    (True, True): (
        gettext_lazy("Not polled yet; we try again in %(span)s, as the publisher asked."),
        gettext_lazy("Not polled yet; we try again within a minute."),
        gettext_lazy("Not polled yet; we try again in %(span)s."),
    ),
}


def feed_sentence(feed: Feed, last: Poll | None, now: datetime) -> str:
    """One or two sentences on the feed's present state. `last` is its latest poll; `now` is in the reader's zone."""
    if feed.status == FeedStatus.DEAD:
        if feed.condition_changed_at is None:
            return _("Its publisher said that it is gone for good. Its articles stay; it is not polled any more.")
        return _(
            "Its publisher said %(day)s that it is gone for good. Its articles stay; it is not polled any more."
        ) % {"day": day(_in_zone(feed.condition_changed_at, now), now)}
    if feed.status == FeedStatus.PAUSED:
        return _("Polling was paused by the administrator of this reader.")
    if feed.status == FeedStatus.SAMPLE:
        return _("A sample that came with this reader; it is never polled.")
    if feed.status == FeedStatus.MERGED:
        return _("It has moved to another feed, which you will follow from now on.")
    if last is None:
        return _coming(feed, now, is_first=True)
    if not last.succeeded:
        return f"{_failure(feed, last, now)} {_coming(feed, now)}"
    if feed.condition_reason:
        reason = f"{feed.condition_reason[0].upper()}{feed.condition_reason[1:].rstrip('.;')}"
        return f"{reason}{'' if reason.endswith('?') else '.'} {_coming(feed, now)}"
    answered = _("Answered %(moment)s.") % {"moment": ago(_in_zone(last.started_at, now), now)}
    return f"{answered} {_coming(feed, now)}"


def _failure(feed: Feed, last: Poll, now: datetime) -> str:
    times = feed.failures_running
    if last.outcome == PollOutcome.LIMITED and not times:
        return _("It has asked us to slow down.")
    since_then, never, name = _FAILED[PollOutcome(last.outcome)]
    what = str(name)
    if last.status and last.outcome == PollOutcome.HTTP_ERROR:
        what = f"HTTP {last.status}"
    if times > 1:
        what = ngettext("%(what)s, %(n)s time", "%(what)s, %(n)s times", times) % {"what": what, "n": times}
    if not feed.last_success_at:
        return str(never) % {"what": what}
    return str(since_then) % {"what": what, "moment": since(_in_zone(feed.last_success_at, now), now)}


def _coming(feed: Feed, now: datetime, *, is_first: bool = False) -> str:
    as_asked, at_once, later = _COMING[is_first, bool(feed.failures_running)]
    resting = feed.source.resting_until
    due = feed.next_poll_at
    if due is None:
        return _("Not polled yet; no further poll is planned.") if is_first else _("No further poll is planned.")
    if resting is not None and resting > max(due, now):
        return str(as_asked) % {"span": spell(resting - now)}
    if due <= now:
        return str(at_once)
    return str(later) % {"span": spell(due - now)}


def _in_zone(moment: datetime, now: datetime) -> datetime:
    return moment.astimezone(now.tzinfo)
