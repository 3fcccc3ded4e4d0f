"""Interprets an HTTP response for a feed: SPEC §2's table as a pure function."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from feeds.fetching.challenges import challenge_message, challenge_of
from feeds.fetching.headers import parse_retry_after
from feeds.fetching.result import READABLE, FetchResult
from feeds.polling.schedule import format_duration
from feeds.wording import gettext as _

RECENT_SUCCESS = timedelta(days=7)  # a 403 this soon after a success is no ban


@dataclass(frozen=True, slots=True)
class Verdict:
    """`outcome`: a `PollOutcome`, or "read" when there is a body to parse. `retry_after`: the pause requested for the
    whole registrable domain, None for none. `slows_down`: the interval doubles. `message`: for the poll's record."""

    outcome: str
    message: str = ""
    retry_after: timedelta | None = None
    slows_down: bool = False


def interpret(
    response: FetchResult,
    *,
    now: datetime,
    last_success_at: datetime | None,
    refused_at: Callable[[], Collection[datetime]] = tuple,
) -> Verdict:
    """Decide what to do after a response of any status. `refused_at`: when the feed was forbidden (403) lately."""
    status = response.status
    if status in READABLE:
        return Verdict("read")
    if status == 304:
        return Verdict("not_modified")
    if status == 410:
        return Verdict("gone", _("the publisher says this feed is gone for good (410)"))
    if guard := challenge_of(response):
        return Verdict("challenge", challenge_message(guard))
    retry_after = parse_retry_after(response.headers.get("retry-after", ""), now=now)
    if status == 429:
        return Verdict("limited", _limit_message(status, retry_after), retry_after, slows_down=True)
    if status == 503 and retry_after is not None:
        return Verdict("limited", _limit_message(status, retry_after), retry_after)
    if status == 403 and last_success_at is not None and now - last_success_at <= RECENT_SUCCESS:
        earlier = refused_at()
        if any(at < last_success_at for at in earlier):
            message = _("sometimes forbidden (403); treated as a rate limit")
            return Verdict("limited", message, retry_after, slows_down=True)
        if not earlier:
            return Verdict("limited", _("forbidden (403), though it worked recently"), retry_after)
    return Verdict("http_error", _("the server responded with status %(status)s") % {"status": status})


def _limit_message(status: int, retry_after: timedelta | None) -> str:
    if retry_after is None:
        return _("the server asks us to slow down (%(status)s)") % {"status": status}
    message = _("the server asks us to slow down and try again in %(span)s (%(status)s)")
    return message % {"status": status, "span": format_duration(retry_after)}
