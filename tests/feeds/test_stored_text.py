"""What a worker stored in English is shown in the user's language."""

from datetime import UTC, datetime, timedelta

from django.utils import translation

from feeds.polling.health import PollCounts, diagnose
from feeds.polling.schedule import PollHistory, next_interval
from feeds.stored_text import evidence_text, reason_text

LANGUAGE = "de"
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
NOW = datetime(2026, 3, 4, tzinfo=UTC)
HEALTHY = {
    "last_succeeded": False,
    "consecutive_failures": 0,
    "consecutive_parse_failures": 0,
    "consecutive_timeouts": 0,
    "week": PollCounts(),
    "silent_since": None,
}
HISTORIES = (
    PollHistory("breaking", publisher_minimum=HOUR),
    PollHistory("blog", interval=HOUR, consecutive_unchanged=5),
    PollHistory("blog", interval=HOUR, consecutive_new=3, average_new=2),
    PollHistory("blog", interval=HOUR, average_new=1.2),
    PollHistory("blog", interval=HOUR, silence=30 * DAY),
    PollHistory("blog", interval=HOUR, silence=2844 * DAY),
    PollHistory("blog", interval=HOUR, limited=True),
    PollHistory("blog", interval=HOUR, consecutive_failures=1),
    PollHistory("blog", interval=HOUR, consecutive_failures=1, is_transient=True),
    PollHistory("blog", interval=HOUR, consecutive_failures=3),
)
DIAGNOSES = (
    {"last_succeeded": True, "silent_since": NOW - 400 * DAY},
    {"last_succeeded": True, "silent_since": NOW - 800 * DAY},
    {"consecutive_parse_failures": 3},
    {"consecutive_timeouts": 4},
    {"consecutive_failures": 5},
    {"week": PollCounts(10, 4)},
    {"withheld_from": "b.paper.example"},
)


def _reasons(language: str) -> list[str]:
    with translation.override(language):
        reasons = [next_interval(history).reason for history in HISTORIES]
        return reasons + [diagnose(**{**HEALTHY, **state}, now=NOW).reason for state in DIAGNOSES]  # type: ignore[arg-type]


def test_reasons() -> None:
    """They read as if the worker had used the user's language."""
    stored = _reasons("en")
    assert all(stored)
    with translation.override("en"):
        assert [reason_text(reason) for reason in stored] == stored
    with translation.override(LANGUAGE):
        assert [reason_text(reason) for reason in stored] == _reasons(LANGUAGE)
        assert reason_text("seit Mai") == "seit Mai"


def test_stored_evidence_is_translated() -> None:
    stored = (
        "both name Norvik, Oslo; terms 56 % alike; headlines mean much the same (45 %)",
        "titles 92% the same, same publisher, texts overlap",
        "same canonical URL, other wording",
        "an older version's words",
    )
    with translation.override("de"):
        assert [evidence_text(text) for text in stored] == [
            "beide nennen Norvik und Oslo; Begriffe zu 56 % gleich; Überschriften bedeuten fast dasselbe (45 %)",
            "Titel zu 92 % gleich; selber Herausgeber; Texte überschneiden sich",
            "dieselbe kanonische URL; anderer Wortlaut",
            "an older version's words",
        ]
