"""Retention rules and recognizing purged entries, without a database."""

from datetime import timedelta

import pytest

from feeds.dedup.exact_policy import guid_for_reuse
from feeds.normalizing.draft import Draft
from feeds.storage.retention import (
    Burial,
    RetentionRule,
    guid_value,
    minute_of,
    page_value,
    retention_for,
    tombstone_values,
    was_purged,
)
from tests.make_draft import HARBOUR, LIBRARY, NOW, draft

WEEK = RetentionRule(days=7, n_items=100)


@pytest.mark.parametrize(
    ("days", "n_items", "expected"),
    [
        pytest.param(None, None, WEEK, id="as everywhere"),
        pytest.param(30, None, RetentionRule(30, 100), id="its own days"),
        pytest.param(None, 5, RetentionRule(7, 5), id="its own number"),
        pytest.param(0, None, RetentionRule(None, 100), id="days without limit"),
        pytest.param(0, 0, RetentionRule(None, None), id="all for good"),
    ],
)
def test_a_feeds_own_rule_wins(days: int | None, n_items: int | None, expected: RetentionRule) -> None:
    assert retention_for(days, n_items, default=WEEK) == expected


def test_only_a_rule_with_a_limit_is_limited() -> None:
    assert [rule.is_limited for rule in (RetentionRule(), RetentionRule(days=7), RetentionRule(n_items=5))] == [
        False,
        True,
        True,
    ]
    assert (RetentionRule().cutoff(NOW), RetentionRule(days=7).cutoff(NOW)) == (None, NOW - timedelta(days=7))


OLD = draft("g1", url="https://paper.example/a", text=HARBOUR, published_at=NOW)
GRAVE = Burial(OLD.content_hash, minute_of(NOW))


@pytest.mark.parametrize(
    ("comes", "is_old"),
    [
        pytest.param(OLD, True, id="the very same"),
        pytest.param(draft("g2", url="https://paper.example/a", text=HARBOUR), True, id="another guid, same content"),
        pytest.param(draft("g1", url="https://paper.example/b", text=HARBOUR), True, id="another page, same content"),
        pytest.param(draft("g1", text=LIBRARY, published_at=NOW), True, id="corrected, dated as it was"),
        pytest.param(
            draft("g1", text=LIBRARY, published_at=NOW + timedelta(hours=1)), False, id="one guid for all, dated later"
        ),
        pytest.param(
            draft("g1", text=LIBRARY, published_at=NOW, date_uncertain=True), False, id="changed, date not certain"
        ),
        pytest.param(
            draft("g2", url="https://paper.example/a", text=LIBRARY, published_at=NOW), False, id="one page for all"
        ),
        pytest.param(draft("g2", url="https://paper.example/b", text=HARBOUR), False, id="a copy elsewhere"),
    ],
)
def test_knows_what_was_purged_and_loses_nothing_new(comes: Draft, is_old: bool) -> None:
    graves = {guid_value("g1"): GRAVE, page_value(OLD.url_key): GRAVE}
    assert was_purged(comes, graves) is is_old


def test_knows_what_was_stored_under_a_reused_guid() -> None:
    reused = draft("g1", text=LIBRARY)
    stored_as = guid_for_reuse("g1", reused.content_hash)
    assert not was_purged(reused, {guid_value(stored_as): Burial(OLD.content_hash, 0)})
    assert was_purged(reused, {guid_value(stored_as): Burial(reused.content_hash, 0)})


def test_guids_and_pages_do_not_meet() -> None:
    values = tombstone_values(OLD)
    assert len(set(values)) == 3
    assert all(-(2**63) <= value < 2**63 for value in values)
    assert not was_purged(OLD, {})
