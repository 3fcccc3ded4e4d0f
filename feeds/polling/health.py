"""Assesses the health of a feed from counts of its polls. Pure.

Sources: SPEC §2; best-practices.md, Adaptive Polling and Error Handling.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from feeds.polling.schedule import LONG_SILENCE, SOON_TRIES, silent_for
from feeds.wording import gettext as _
from feeds.wording import ngettext

SCORE_WINDOW = timedelta(days=30)
FAILING_WINDOW = timedelta(days=7)
PARSE_FAILURES_TO_UNHEALTHY = 3
FAILURES_TO_UNHEALTHY = 3
TIMEOUTS_TO_SLOW = 3
MIN_POLLS_FOR_SHARE = 4  # "more than half failed" means little for one or two polls
RELIABILITY_WEIGHTS = (0.5, 0.25, 0.25)  # uptime, valid documents, certain dates


@dataclass(frozen=True, slots=True)
class PollCounts:
    """Counts over a window. `n_documents` polls returned a document, `n_valid` of them a well-formed one. `n_read`
    entries were new or changed and so were read, `n_uncertain` of them without a certain date."""

    n_polls: int = 0
    n_successful: int = 0
    n_documents: int = 0
    n_valid: int = 0
    n_read: int = 0
    n_uncertain: int = 0


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """A condition (`well`, `unhealthy`, `silent`) and its reason, "" if well."""

    condition: str
    reason: str = ""


def health_score(counts: PollCounts) -> float:
    """Return successful polls / polls, in [0, 1]; 1 before the first poll."""
    return counts.n_successful / counts.n_polls if counts.n_polls else 1.0


def reliability_score(counts: PollCounts) -> float:
    """Return the mean of uptime, share of well-formed documents and share of certain dates, weighted 2 : 1 : 1."""
    parts = (
        health_score(counts),
        counts.n_valid / counts.n_documents if counts.n_documents else 1.0,
        1 - counts.n_uncertain / counts.n_read if counts.n_read else 1.0,
    )
    return sum(weight * part for weight, part in zip(RELIABILITY_WEIGHTS, parts, strict=True))


def diagnose(
    *,
    last_succeeded: bool,
    consecutive_failures: int,
    consecutive_parse_failures: int,
    consecutive_timeouts: int,
    week: PollCounts,
    silent_since: datetime | None,
    is_passing: bool = False,
    is_challenged: bool = False,
    withheld_from: str = "",
    now: datetime,
) -> Diagnosis:
    """Return the most serious problem; `week` counts the polls of the last 7 days. One success heals a feed, except
    from a redirect to a host, `withheld_from`, to which only its users may send its password. `is_passing`: it failed
    as servers do for a few hours; then it's unhealthy only if it fails longer, or often (`PollHistory`).
    `is_challenged`: it got a page for humans instead. A feed that was silent before a few failures stays so."""
    if withheld_from:
        reason = _("it redirects to %(host)s, and we don't send its password there")
        return Diagnosis("unhealthy", reason % {"host": withheld_from})
    if not last_succeeded:
        counted = 0 if is_passing and consecutive_failures <= SOON_TRIES else consecutive_failures
        reason = _unhealthy_reason(counted, consecutive_parse_failures, consecutive_timeouts, week)
        if reason and is_challenged:
            reason = _("its site blocks feed readers with a bot check")
        if reason:
            return Diagnosis("unhealthy", reason)
    if silent_since is not None and now - silent_since >= LONG_SILENCE:
        return Diagnosis("silent", _("%(silence)s; keep it?") % {"silence": silent_for(now - silent_since)})
    return Diagnosis("well")


def _unhealthy_reason(
    consecutive_failures: int, consecutive_parse_failures: int, consecutive_timeouts: int, week: PollCounts
) -> str:
    """Why a feed whose last poll failed is unhealthy, "" if it isn't."""
    if consecutive_parse_failures >= PARSE_FAILURES_TO_UNHEALTHY:
        reason = ngettext(
            "its last response was not a valid feed",
            "its last %(n)s responses were not valid feeds",
            consecutive_parse_failures,
        )
        return reason % {"n": consecutive_parse_failures}
    if consecutive_timeouts >= TIMEOUTS_TO_SLOW:
        reason = ngettext("its last poll timed out", "its last %(n)s polls timed out", consecutive_timeouts)
        return reason % {"n": consecutive_timeouts}
    if consecutive_failures >= FAILURES_TO_UNHEALTHY:
        reason = ngettext("its last poll failed", "its last %(n)s polls failed", consecutive_failures)
        return reason % {"n": consecutive_failures}
    n_failed = week.n_polls - week.n_successful
    if week.n_polls >= MIN_POLLS_FOR_SHARE and n_failed * 2 > week.n_polls:
        reason = ngettext(
            "%(n)s of %(all)s poll failed within 7 days", "%(n)s of %(all)s polls failed within 7 days", week.n_polls
        )
        return reason % {"n": n_failed, "all": week.n_polls}
    return ""
