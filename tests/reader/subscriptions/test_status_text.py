"""A feed's status in sentences."""

from datetime import timedelta
from typing import Any

import pytest

from feeds.models import Condition, Feed, FeedStatus, Poll, PollOutcome, Source
from feeds.models.feed import SUCCESSES
from reader.subscriptions.status_text import OVERRUN_SHOWN, feed_sentence, overrun_sentence, state_of
from tests.make import NOW  # a Wednesday, noon

TUESDAY = NOW - timedelta(days=8)


def feed(**values: Any) -> Feed:
    of_source = {name: values.pop(name) for name in ("rate_limited_until", "down_since") if name in values}
    source = Source(domain="paper.example", **of_source)
    return Feed(source=source, **{"next_poll_at": NOW + timedelta(hours=4), **values})


def poll(outcome: str, **values: Any) -> Poll:
    return Poll(outcome=outcome, **{"started_at": NOW - timedelta(minutes=5), **values})


FAILING = {"consecutive_failures": 12, "last_success_at": NOW - timedelta(days=2)}


@pytest.mark.parametrize(
    ("values", "last", "sentence"),
    [
        pytest.param({}, None, "Not polled yet; next poll in 4 h.", id="never polled"),
        pytest.param({}, poll(PollOutcome.NEW), "Last response 5 min ago. Next poll in 4 h.", id="well"),
        pytest.param(
            {"next_poll_at": NOW},
            poll(PollOutcome.NEW),
            "Last response 5 min ago. Next poll within a minute.",
            id="due",
        ),
        pytest.param(
            FAILING,
            poll(PollOutcome.TIMEOUT),
            "This feed hasn't responded since Monday (timeout, 12 times). We try again in 4 h.",
            id="timeouts",
        ),
        pytest.param(
            {"consecutive_failures": 1, "last_success_at": NOW - timedelta(hours=1)},
            poll(PollOutcome.HTTP_ERROR, status=503),
            "This feed has returned an error since 11:00 (HTTP 503). We try again in 4 h.",
            id="one error",
        ),
        pytest.param(
            {"consecutive_failures": 3},
            poll(PollOutcome.PARSE_ERROR),
            "This feed has never been readable (unreadable, 3 times). We try again in 4 h.",
            id="never well",
        ),
        pytest.param(
            {"rate_limited_until": NOW + timedelta(days=2)},
            poll(PollOutcome.LIMITED),
            "It has asked us to slow down. Next poll in 2 days, as the publisher asked.",
            id="limited",
        ),
        pytest.param(
            {"rate_limited_until": NOW + timedelta(hours=4), **FAILING},
            poll(PollOutcome.LIMITED, status=503),
            "This feed has asked us to slow down since Monday (limited, 12 times). "
            "We try again in 4 h, as the publisher asked.",
            id="503 with a time",
        ),
        pytest.param(
            {},
            poll(PollOutcome.LIMITED, status=403),
            "It refused our last request (HTTP 403), though it usually answers. Next poll in 4 h.",
            id="refused once",
        ),
        pytest.param(
            {"consecutive_failures": 3, "consecutive_timeouts": 3, "last_success_at": TUESDAY},
            poll(PollOutcome.TIMEOUT),
            "This feed is slow: its last 3 polls timed out. We try again in 4 h.",
            id="slow",
        ),
        pytest.param(
            {"last_success_at": NOW - timedelta(hours=1), "down_since": NOW},
            poll(PollOutcome.OUTAGE, status=404),
            "This feed and most others on its host have failed since 11:00 (HTTP 404). Next poll in 4 h.",
            id="host down",
        ),
        pytest.param(
            {"consecutive_failures": 1},
            poll(PollOutcome.CHALLENGE, status=403),
            "This site blocks feed readers with a bot check (HTTP 403). Ask the publisher to allow feed readers, or "
            "follow another of its feeds. We try again in 4 h.",
            id="challenge",
        ),
        pytest.param(
            {"condition": Condition.SILENT, "condition_reason": "nothing new for 95 days; keep it?"},
            poll(PollOutcome.UNCHANGED),
            "Nothing new for 95 days; keep it? Next poll in 4 h.",
            id="silent",
        ),
        pytest.param(
            {**FAILING, "condition_reason": "it redirects to b.example, and we don't send its password there"},
            poll(PollOutcome.HTTP_ERROR, status=401, moved_to="https://b.example/f"),
            "It redirects to b.example, and we don't send its password there. We try again in 4 h.",
            id="redirected without its password",
        ),
        pytest.param(
            {"status": FeedStatus.DEAD, "next_poll_at": None, "condition_changed_at": TUESDAY},
            poll(PollOutcome.GONE, status=410),
            "Its publisher removed it for good (24 Feb). Its articles stay, and we stopped polling it.",
            id="gone",
        ),
        pytest.param(
            {"status": FeedStatus.PAUSED},
            poll(PollOutcome.NEW),
            "An administrator paused this feed.",
            id="paused",
        ),
        pytest.param(
            {"status": FeedStatus.MERGED, "next_poll_at": None},
            poll(PollOutcome.NEW),
            "It moved to another feed, which you now follow. This one keeps its earlier articles.",
            id="merged",
        ),
    ],
)
def test_describes_last_and_next_poll(values: dict[str, Any], last: Poll | None, sentence: str) -> None:
    assert feed_sentence(feed(**values), last, NOW) == sentence


# Feeds that are gone count as dead, which has its own sentence.
@pytest.mark.parametrize("outcome", sorted(set(PollOutcome) - {*SUCCESSES, PollOutcome.GONE}))
def test_describes_every_failure(outcome: str) -> None:
    assert "We try again in 4 h." in feed_sentence(feed(**FAILING), poll(outcome), NOW)


@pytest.mark.parametrize(
    ("values", "name"),
    [
        ({}, "Healthy"),
        ({"consecutive_failures": 1}, "Failing"),
        ({"consecutive_failures": 3, "consecutive_timeouts": 2}, "Failing"),
        ({"consecutive_failures": 3, "consecutive_timeouts": 3}, "Slow"),
        ({"last_polled_at": NOW + timedelta(hours=1), "down_since": NOW}, "Host down"),
        ({"last_polled_at": NOW, "down_since": NOW}, "Healthy"),
    ],
)
def test_names_the_state(values: dict[str, Any], name: str) -> None:
    assert state_of(feed(last_success_at=NOW, **values)).name == name


def test_mentions_unmatched_entries() -> None:
    crowded = feed(overrun_at=NOW, overrun_articles=1480, overrun_compared=500)
    assert overrun_sentence(crowded, NOW + OVERRUN_SHOWN) == (
        "This feed published 1,480 entries in a day. We compare the first 500 with other feeds; "
        "the rest appear in lists but aren't grouped into stories."
    )
    assert overrun_sentence(crowded, NOW + OVERRUN_SHOWN + timedelta(minutes=1)) == ""
    assert overrun_sentence(feed(), NOW) == ""
