"""What an HTTP answer means for a feed: SPEC §2's table as a pure function."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from feeds.fetching.result import FetchResult
from feeds.fetching.retry_after import parse_retry_after
from feeds.wording import gettext as _

COMES_AND_GOES = timedelta(days=7)  # a 403 this soon after a success is a limit, not a ban


@dataclass(frozen=True, slots=True)
class Verdict:
    """`outcome`: a `PollOutcome`, or "read" when there is a body to parse. `rest`: how long the whole registrable
    domain is to be left alone (None: not asked). `slows_down`: the interval doubles. `message`: for the poll's
    record."""

    outcome: str
    message: str = ""
    rest: timedelta | None = None
    slows_down: bool = False


def judge(result: FetchResult, *, now: datetime, last_success_at: datetime | None) -> Verdict:
    """The verdict on an answer of any status."""
    status = result.status
    if status == 200:
        return Verdict("read")
    if status == 304:
        return Verdict("not_modified")
    if status == 410:
        return Verdict("gone", _("the publisher says this feed is gone for good (410)"))
    rest = parse_retry_after(result.headers.get("retry-after", ""), now=now)
    if status == 429:
        return Verdict("limited", _limit_message(status, rest), rest, slows_down=True)
    if status == 503 and rest is not None:
        return Verdict("limited", _limit_message(status, rest), rest)
    if status == 403 and last_success_at is not None and now - last_success_at <= COMES_AND_GOES:
        told = _("refused (403) though it answered lately; taken as a limit")
        return Verdict("limited", told, rest, slows_down=True)
    return Verdict("http_error", _("the server answered %(status)s") % {"status": status})


def _limit_message(status: int, rest: timedelta | None) -> str:
    if rest is None:
        return _("the server asks us to slow down (%(status)s)") % {"status": status}
    told = _("the server asks us to slow down (%(status)s, try again after %(seconds)s s)")
    return told % {"status": status, "seconds": round(rest.total_seconds())}
