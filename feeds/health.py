"""How well a feed does, from counts of its polls. Pure.

Sources: SPEC §2; best-practices.md, Adaptive Polling and Error Handling.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from feeds.scheduling import SILENCE_ASK
from feeds.wording import ngettext

SCORE_WINDOW = timedelta(days=30)
FAILING_WINDOW = timedelta(days=7)
PARSE_FAILURES_TO_UNHEALTHY = 3
FAILURES_TO_UNHEALTHY = 3
TIMEOUTS_TO_SLOW = 3
LEAST_POLLS_FOR_SHARE = 4  # "more than half failed" means nothing for one or two polls
RELIABILITY_WEIGHTS = (0.5, 0.25, 0.25)  # uptime, valid documents, certain dates


@dataclass(frozen=True, slots=True)
class PollCounts:
    """Counts over a window. `n_read`: polls whose document was parsed; `n_valid` of them were well-formed;
    `n_entries` were seen in them, `n_uncertain` of these without a certain date."""

    n_polls: int = 0
    n_successful: int = 0
    n_read: int = 0
    n_valid: int = 0
    n_entries: int = 0
    n_uncertain: int = 0


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """A condition (`well`, `slow`, `unhealthy`, `silent`) and its reason, empty when well."""

    condition: str
    reason: str = ""


def health_score(counts: PollCounts) -> float:
    """Successful polls / polls, in [0, 1]; 1 before the first poll."""
    return counts.n_successful / counts.n_polls if counts.n_polls else 1.0


def reliability_score(counts: PollCounts) -> float:
    """Uptime, share of well-formed documents and share of entries with certain dates, weighted 2 : 1 : 1, in [0, 1]."""
    parts = (
        health_score(counts),
        counts.n_valid / counts.n_read if counts.n_read else 1.0,
        1 - counts.n_uncertain / counts.n_entries if counts.n_entries else 1.0,
    )
    return sum(weight * part for weight, part in zip(RELIABILITY_WEIGHTS, parts, strict=True))


def diagnose(
    *,
    last_succeeded: bool,
    failures_running: int,
    parse_failures_running: int,
    timeouts_running: int,
    week: PollCounts,
    silent_since: datetime | None,
    now: datetime,
) -> Diagnosis:
    """What is wrong, the gravest first; `week` counts the polls of the last 7 days. A success heals a feed at once."""
    if last_succeeded:
        if silent_since is not None and now - silent_since >= SILENCE_ASK:
            n = (now - silent_since).days
            told = ngettext("nothing new for %(n)s day; keep it?", "nothing new for %(n)s days; keep it?", n)
            return Diagnosis("silent", told % {"n": n})
        return Diagnosis("well")
    if parse_failures_running >= PARSE_FAILURES_TO_UNHEALTHY:
        told = ngettext(
            "its last answer could not be read as a feed",
            "its last %(n)s answers could not be read as a feed",
            parse_failures_running,
        )
        return Diagnosis("unhealthy", told % {"n": parse_failures_running})
    if timeouts_running >= TIMEOUTS_TO_SLOW:
        told = ngettext("it did not answer in time", "it did not answer in time %(n)s times in a row", timeouts_running)
        return Diagnosis("slow", told % {"n": timeouts_running})
    if failures_running >= FAILURES_TO_UNHEALTHY:
        told = ngettext("its last poll failed", "its last %(n)s polls failed", failures_running)
        return Diagnosis("unhealthy", told % {"n": failures_running})
    n_failed = week.n_polls - week.n_successful
    if week.n_polls >= LEAST_POLLS_FOR_SHARE and n_failed * 2 > week.n_polls:
        told = ngettext(
            "%(n)s of %(all)s poll failed within 7 days", "%(n)s of %(all)s polls failed within 7 days", week.n_polls
        )
        return Diagnosis("unhealthy", told % {"n": n_failed, "all": week.n_polls})
    return Diagnosis("well")
