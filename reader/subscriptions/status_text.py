"""The state of a feed in sentences: what happened, since when, what is next. No queries."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils.functional import Promise
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext_lazy

from feeds.models import Condition, Feed, FeedStatus, Poll, PollOutcome
from feeds.polling.schedule import format_duration
from feeds.stored_text import reason_text
from feeds.wording import format_number, sentence
from reader.preferences.relative_time import ago, day, since

OVERRUN_SHOWN = timedelta(days=7)
_FORBIDDEN = 403

_FAILED = {  # after earlier successes; if it never worked; the short name
    PollOutcome.TIMEOUT: (
        gettext_lazy("This feed hasn't responded since %(moment)s (%(what)s)."),
        gettext_lazy("This feed has never responded (%(what)s)."),
        gettext_lazy("timeout"),
    ),
    PollOutcome.UNREACHABLE: (
        gettext_lazy("This feed has been unreachable since %(moment)s (%(what)s)."),
        gettext_lazy("This feed has never been reachable (%(what)s)."),
        gettext_lazy("no connection"),
    ),
    PollOutcome.REFUSED: (
        gettext_lazy("Blocked by this server's fetch settings since %(moment)s (%(what)s)."),
        gettext_lazy("Blocked by this server's fetch settings (%(what)s)."),
        gettext_lazy("blocked"),
    ),
    PollOutcome.HTTP_ERROR: (
        gettext_lazy("This feed has returned an error since %(moment)s (%(what)s)."),
        gettext_lazy("This feed has always returned an error (%(what)s)."),
        gettext_lazy("error"),
    ),
    PollOutcome.OUTAGE: (
        gettext_lazy("This feed and most others on its host have failed since %(moment)s (%(what)s)."),
        gettext_lazy("This feed and most others on its host can't be loaded (%(what)s)."),
        gettext_lazy("no response"),
    ),
    PollOutcome.CHALLENGE: (
        gettext_lazy(
            "This site has blocked feed readers with a bot check since %(moment)s (%(what)s). "
            "Ask the publisher to allow feed readers, or follow another of its feeds."
        ),
        gettext_lazy(
            "This site blocks feed readers with a bot check (%(what)s). "
            "Ask the publisher to allow feed readers, or follow another of its feeds."
        ),
        gettext_lazy("bot check"),
    ),
    PollOutcome.PARSE_ERROR: (
        gettext_lazy("This feed hasn't been readable since %(moment)s (%(what)s)."),
        gettext_lazy("This feed has never been readable (%(what)s)."),
        gettext_lazy("unreadable"),
    ),
    PollOutcome.LIMITED: (
        gettext_lazy("This feed has asked us to slow down since %(moment)s (%(what)s)."),
        gettext_lazy("This feed has always asked us to slow down (%(what)s)."),
        gettext_lazy("limited"),
    ),
    PollOutcome.INTERNAL: (
        gettext_lazy("An internal error has kept this feed from loading since %(moment)s (%(what)s)."),
        gettext_lazy("This feed has never loaded because of an internal error (%(what)s)."),
        gettext_lazy("internal error"),
    ),
}
_COMING = {  # by (never polled, failing): as the publisher asked, now, later
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


@dataclass(frozen=True, slots=True)
class FeedState:
    """A feed's state in a word; `kind`, for its colour: good, warn, bad or idle."""

    kind: str
    name: str | Promise


_STATES = {
    FeedStatus.DEAD: FeedState("bad", gettext_lazy("Gone")),
    FeedStatus.PAUSED: FeedState("idle", gettext_lazy("Paused")),
    FeedStatus.SAMPLE: FeedState("good", gettext_lazy("Sample")),
    FeedStatus.SAVED: FeedState("good", gettext_lazy("Saved pages")),
    FeedStatus.MERGED: FeedState("idle", pgettext_lazy("a feed, to another address", "Moved")),
}
_FAILING = FeedState("warn", gettext_lazy("Failing"))
_UNHEALTHY = FeedState("warn", gettext_lazy("Unhealthy"))
_SLOW = FeedState("warn", pgettext_lazy("state of a feed", "Slow"))
_HOST_DOWN = FeedState("idle", pgettext_lazy("state of a feed", "Host down"))
_QUIET = FeedState("idle", pgettext_lazy("state of a feed", "Quiet"))
_NEW = FeedState("idle", pgettext_lazy("state of a feed", "New"))
_WELL = FeedState("good", pgettext_lazy("state of a feed", "Healthy"))


def state_of(feed: Feed) -> FeedState:
    """The feed's state in a word. Loads its source."""
    if (state := _STATES.get(FeedStatus(feed.status))) is not None:
        return state
    if feed.is_marked_slow:
        return _SLOW
    if feed.consecutive_failures:
        return _FAILING
    if feed.waits_for_host:
        return _HOST_DOWN
    if feed.condition == Condition.UNHEALTHY:
        return _UNHEALTHY
    if feed.condition == Condition.SILENT:
        return _QUIET
    return _WELL if feed.last_success_at else _NEW


def feed_sentence(feed: Feed, last: Poll | None, now: datetime) -> str:
    """One or two sentences on the feed's state. `last` is its latest poll; `now` is in the user's time zone."""
    if feed.status == FeedStatus.DEAD:
        if feed.condition_changed_at is None:
            return _("Its publisher removed it for good. Its articles stay, and we stopped polling it.")
        return _("Its publisher removed it for good (%(day)s). Its articles stay, and we stopped polling it.") % {
            "day": day(_in_zone(feed.condition_changed_at, now), now)
        }
    if feed.status == FeedStatus.PAUSED:
        return _("An administrator paused this feed.")
    if feed.status == FeedStatus.SAMPLE:
        return _("A sample feed that came with the app. It's never polled.")
    if feed.status == FeedStatus.SAVED:
        return _("Pages that you saved. Only you see them here, and they're kept until you remove them.")
    if feed.status == FeedStatus.MERGED:
        return _("It moved to another feed, which you now follow. This one keeps its earlier articles.")
    if last is None:
        return _coming(feed, now, is_first=True)
    if not last.succeeded and not last.moved_to:
        return f"{_failure(feed, last, now)} {_coming(feed, now)}"
    if feed.condition_reason:
        reason = capfirst(reason_text(feed.condition_reason).rstrip(".;"))
        return f"{reason if reason.endswith('?') else sentence(reason)} {_coming(feed, now)}"
    answered = _("Last response %(moment)s.") % {"moment": ago(_in_zone(last.started_at, now), now)}
    return f"{answered} {_coming(feed, now)}"


def overrun_sentence(feed: Feed, now: datetime) -> str:
    """A sentence on a feed that recently published more in a day than we compare with other feeds, else ""."""
    if feed.overrun_at is None or now - feed.overrun_at > OVERRUN_SHOWN:
        return ""
    sentence = _(
        "This feed published %(n)s entries in a day. We compare the first %(compared)s with other feeds; "
        "the rest appear in lists but aren't grouped into stories."
    )
    n, compared = (format_number(count) for count in (feed.overrun_articles, feed.overrun_compared))
    return sentence % {"n": n, "compared": compared}


def _failure(feed: Feed, last: Poll, now: datetime) -> str:
    times = feed.consecutive_failures
    if last.outcome == PollOutcome.LIMITED and not times:
        if last.status == _FORBIDDEN:
            return _("It refused our last request (HTTP 403), though it usually answers.")
        return _("It has asked us to slow down.")
    if feed.is_marked_slow:
        text = ngettext(
            "This feed is slow: its last poll timed out.",
            "This feed is slow: its last %(n)s polls timed out.",
            feed.consecutive_timeouts,
        )
        return text % {"n": feed.consecutive_timeouts}
    since_then, never, name = _FAILED[PollOutcome(last.outcome)]
    what = str(name)
    if last.status and last.outcome in (PollOutcome.HTTP_ERROR, PollOutcome.OUTAGE, PollOutcome.CHALLENGE):
        what = f"HTTP {last.status}"
    if times > 1:
        what = ngettext("%(what)s, %(n)s time", "%(what)s, %(n)s times", times) % {"what": what, "n": times}
    if not feed.last_success_at:
        return str(never) % {"what": what}
    return str(since_then) % {"what": what, "moment": since(_in_zone(feed.last_success_at, now), now)}


def _coming(feed: Feed, now: datetime, *, is_first: bool = False) -> str:
    as_asked, at_once, later = _COMING[is_first, bool(feed.consecutive_failures)]
    resting = feed.source.rate_limited_until
    due = feed.next_poll_at
    if due is None:
        return _("Not polled yet; no poll is scheduled.") if is_first else _("No further polls scheduled.")
    if resting is not None and resting > now and resting >= due:
        return str(as_asked) % {"span": format_duration(resting - now)}
    if due <= now:
        return str(at_once)
    return str(later) % {"span": format_duration(due - now)}


def _in_zone(moment: datetime, now: datetime) -> datetime:
    return moment.astimezone(now.tzinfo)
