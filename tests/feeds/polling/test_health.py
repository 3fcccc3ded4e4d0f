"""Scores and diagnoses from counts."""

from datetime import UTC, datetime, timedelta

import pytest

from feeds.polling.health import Diagnosis, PollCounts, diagnose, health_score, reliability_score

NOW = datetime(2026, 3, 4, tzinfo=UTC)


@pytest.mark.parametrize(
    ("counts", "health", "reliability"),
    [
        pytest.param(PollCounts(), 1.0, 1.0, id="never-polled"),
        pytest.param(PollCounts(4, 4, 4, 4, 80, 0), 1.0, 1.0, id="faultless"),
        pytest.param(PollCounts(4, 1), 0.25, 0.625, id="mostly-down"),
        pytest.param(PollCounts(4, 4, 4, 0, 80, 0), 1.0, 0.75, id="never-valid"),
        pytest.param(PollCounts(4, 4, 4, 4, 80, 80), 1.0, 0.75, id="no-certain-date"),
        pytest.param(PollCounts(4, 0, 0, 0, 0, 0), 0.0, 0.5, id="always-down"),
    ],
)
def test_scores(counts: PollCounts, health: float, reliability: float) -> None:
    assert (health_score(counts), reliability_score(counts)) == (health, reliability)


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        pytest.param({"last_succeeded": True}, Diagnosis("well"), id="well"),
        pytest.param({"last_succeeded": True, "week": PollCounts(10, 1)}, Diagnosis("well"), id="a-success-heals"),
        pytest.param({"consecutive_failures": 2}, Diagnosis("well"), id="two-failures"),
        pytest.param(
            {"consecutive_failures": 3}, Diagnosis("unhealthy", "its last 3 polls failed"), id="three-failures"
        ),
        pytest.param(
            {"consecutive_failures": 3, "consecutive_parse_failures": 3},
            Diagnosis("unhealthy", "its last 3 responses were not valid feeds"),
            id="three-parse-failures",
        ),
        pytest.param(
            {"consecutive_failures": 3, "consecutive_timeouts": 3},
            Diagnosis("unhealthy", "its last 3 polls timed out"),
            id="three-timeouts",
        ),
        pytest.param(
            {"consecutive_failures": 1, "week": PollCounts(4, 1)},
            Diagnosis("unhealthy", "3 of 4 polls failed within 7 days"),
            id="more-than-half",
        ),
        pytest.param({"consecutive_failures": 1, "week": PollCounts(4, 2)}, Diagnosis("well"), id="just-half"),
        pytest.param({"consecutive_failures": 1, "week": PollCounts(2, 0)}, Diagnosis("well"), id="too-few-to-tell"),
        pytest.param(
            {"last_succeeded": True, "silent_since": NOW - timedelta(days=90)},
            Diagnosis("silent", "nothing new for 90 days; keep it?"),
            id="silent",
        ),
        pytest.param({"last_succeeded": True, "silent_since": NOW - timedelta(days=89)}, Diagnosis("well"), id="quiet"),
        pytest.param(
            {"consecutive_failures": 1, "silent_since": NOW - timedelta(days=90)},
            Diagnosis("silent", "nothing new for 90 days; keep it?"),
            id="silent-though-one-poll-failed",
        ),
        pytest.param({"consecutive_failures": 12, "is_passing": True}, Diagnosis("well"), id="passing"),
        pytest.param(
            {"consecutive_failures": 13, "is_passing": True},
            Diagnosis("unhealthy", "its last 13 polls failed"),
            id="passing-too-long",
        ),
    ],
)
def test_diagnosis(state: dict[str, object], expected: Diagnosis) -> None:
    defaults: dict[str, object] = {
        "last_succeeded": False,
        "consecutive_failures": 0,
        "consecutive_parse_failures": 0,
        "consecutive_timeouts": 0,
        "week": PollCounts(),
        "silent_since": None,
        "now": NOW,
    }
    assert diagnose(**(defaults | state)) == expected  # type: ignore[arg-type]
