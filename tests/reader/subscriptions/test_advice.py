"""Advice about feeds that are unread, silent or gone, and reading figures in words."""

from dataclasses import replace
from datetime import timedelta

import pytest

from reader.subscriptions.advice import Facts, advice, figures
from tests.make import NOW

READ = Facts(followed_at=NOW - timedelta(days=100), n_articles=214, n_opened=3, last_at=NOW)
NEVER = replace(READ, n_opened=0)


@pytest.mark.parametrize(
    ("facts", "said", "acts"),
    [
        (NEVER, "You opened none of its 214 articles in 90 days.", ("unfollow", "digest_only", "keep")),
        (
            replace(READ, last_at=NOW - timedelta(days=90)),
            "No new article for 90 days. You can keep it in case it comes back.",
            ("unfollow", "keep"),
        ),
        (
            replace(READ, failing_since=NOW - timedelta(days=31)),
            "This feed has failed for 31 days. It may be gone.",
            ("unfollow", "poll", "keep"),
        ),
        (replace(NEVER, is_gone=True), "This feed is gone for good.", ("unfollow", "keep")),
    ],
    ids=["never read", "silent", "failing", "gone"],
)
def test_gives_advice(facts: Facts, said: str, acts: tuple[str, ...]) -> None:
    suggestion = advice(facts, now=NOW)
    assert suggestion is not None
    assert (suggestion.sentence, suggestion.acts) == (said, acts)


@pytest.mark.parametrize(
    "facts",
    [
        READ,
        replace(NEVER, followed_at=NOW - timedelta(days=29)),
        replace(NEVER, n_articles=4),
        replace(NEVER, is_digest_only=True),
        replace(NEVER, is_kept=True),
        replace(NEVER, is_gone=True, is_kept=True),
        replace(READ, last_at=None),
        replace(READ, failing_since=NOW - timedelta(days=29)),
        replace(READ, last_at=NOW - timedelta(days=89)),
    ],
    ids=["read", "too early", "too few", "digests", "kept", "kept though gone", "no article yet", "failing", "quiet"],
)
def test_gives_no_advice(facts: Facts) -> None:
    assert advice(facts, now=NOW) is None


@pytest.mark.parametrize(
    ("month", "quarter", "opened", "words"),
    [
        (0, 0, 0, "no article in 90 days"),
        (0, 4, 0, "no article in 4 weeks, none opened"),
        (3, 8, 8, "3 articles in 4 weeks, 100% opened"),
        (4, 12, 3, "1 article a week, 25% opened"),
        (401, 1000, 1, "100 articles a week, 1% opened"),
        (1, 1, 3, "1 article in 4 weeks, 100% opened"),
    ],
)
def test_describes_figures(month: int, quarter: int, opened: int, words: str) -> None:
    old = NOW - timedelta(days=90)
    assert figures(n_month=month, n_quarter=quarter, n_opened=opened, added_at=old, last_at=old, now=NOW) == words


@pytest.mark.parametrize(
    ("added", "last", "words"),
    [
        (0, None, "no article yet"),
        (89, None, "no article yet"),
        (90, None, "no article in 90 days"),
        (0, 0, ""),
        (0, 400, "no article in 90 days"),
    ],
)
def test_new_feed_is_not_called_quiet(added: int, last: int | None, words: str) -> None:
    last_at = None if last is None else NOW - timedelta(days=last)
    added_at = NOW - timedelta(days=added)
    assert figures(n_month=0, n_quarter=0, n_opened=0, added_at=added_at, last_at=last_at, now=NOW) == words
