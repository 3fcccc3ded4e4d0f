"""How a feed does, in sentences: what happened, since when, what comes next. Asks the database nothing."""

from datetime import datetime

from feeds.models import Feed, FeedStatus, Poll, PollOutcome
from feeds.scheduling import spell
from reader.moments import ago, day, since

_FAILED = {  # what to say between "This feed" and "since Tuesday"
    PollOutcome.TIMEOUT: ("has not answered", "timeout"),
    PollOutcome.UNREACHABLE: ("could not be reached", "no connection"),
    PollOutcome.REFUSED: ("is at an address we do not ask", "refused by us"),
    PollOutcome.HTTP_ERROR: ("has answered with an error", "error"),
    PollOutcome.PARSE_ERROR: ("has sent something that is not a readable feed", "unreadable"),
    PollOutcome.LIMITED: ("has asked us to slow down", "limited"),
    PollOutcome.INTERNAL: ("could not be taken in, by a fault of ours", "fault"),
}


def feed_sentence(feed: Feed, last: Poll | None, now: datetime) -> str:
    """One or two sentences on the feed's present state. `last` is its latest poll; `now` is in the reader's zone."""
    if feed.status == FeedStatus.DEAD:
        when = f" {day(_in_zone(feed.condition_changed_at, now), now)}" if feed.condition_changed_at else ""
        return f"Its publisher said{when} that it is gone for good. Its articles stay; it is not polled any more."
    if feed.status == FeedStatus.PAUSED:
        return "Polling was paused by the administrator of this reader."
    if feed.status == FeedStatus.MERGED:
        return "It has moved to another feed, which you will follow from now on."
    if last is None:
        return f"Not polled yet; {_coming(feed, now).lower()}"
    if not last.succeeded:
        return f"{_failure(feed, last, now)} {_coming(feed, now)}"
    if feed.condition_reason:
        reason = f"{feed.condition_reason[0].upper()}{feed.condition_reason[1:].rstrip('.;')}"
        return f"{reason}{'' if reason.endswith('?') else '.'} {_coming(feed, now)}"
    return f"Answered {ago(_in_zone(last.started_at, now), now)}. {_coming(feed, now)}"


def _failure(feed: Feed, last: Poll, now: datetime) -> str:
    verb, noun = _FAILED[PollOutcome(last.outcome)]
    if last.status and last.outcome == PollOutcome.HTTP_ERROR:
        noun = f"HTTP {last.status}"
    times = feed.failures_running
    count = f", {times} times" if times > 1 else ""
    if last.outcome == PollOutcome.LIMITED and not times:
        return "It has asked us to slow down."
    began = f" since {since(_in_zone(feed.last_success_at, now), now)}" if feed.last_success_at else ", never yet well"
    return f"This feed {verb}{began} ({noun}{count})."


def _coming(feed: Feed, now: datetime) -> str:
    again = "We try again" if feed.failures_running else "Next poll"
    resting = feed.source.resting_until
    due = feed.next_poll_at
    if due is None:
        return "No further poll is planned."
    if resting is not None and resting > max(due, now):
        return f"{again} in {spell(resting - now)}, as the publisher asked."
    if due <= now:
        return f"{again} within a minute."
    return f"{again} in {spell(due - now)}."


def _in_zone(moment: datetime, now: datetime) -> datetime:
    return moment.astimezone(now.tzinfo)
