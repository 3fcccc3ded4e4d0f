"""Digests as data for other programs."""

import json
from datetime import UTC, datetime

import pytest

from digests.edition.document import FeedReport, SectionName
from digests.edition.kinds import Kind
from digests.rendering.as_json import as_json
from tests.digests.editions import SUMMARY, edition, entry, full_edition, topic
from tests.digests.rendering.test_text import SMALL

LEAD = {
    "id": 1,
    "title": "Iran and US end second round",
    "url": "https://paper.example/1",
    "source": "BBC News",
    "tier": 2,
    "published_at": "2026-11-21T05:50:00+00:00",
    "is_date_uncertain": False,
    "importance": 84.6,
    "language": "en",
    "story_id": None,
    "is_copy": False,
}


def test_a_small_digest() -> None:
    found = as_json(SMALL)
    second, third = found["topics"][1:]
    assert found == {
        "version": 2,
        "kind": "morning",
        "title": "Morning brief",
        "day": "2026-11-21",
        "time_zone": "Europe/Berlin",
        "begins_at": "2026-11-20T06:00:00+00:00",
        "ends_at": "2026-11-21T06:00:00+00:00",
        "made_at": "2026-11-21T06:00:00+00:00",
        "n_articles": 5,
        "n_feeds": 14,
        "n_duplicates": 9,
        "topics": [
            {
                "section": "top",
                "label": "Geneva: talks, second round",
                "trend": "emerging",
                "importance": 84.6,
                "category": "",
                "summary": SUMMARY,
                "summary_from": "",
                "summary_by": "extract",
                "moved": "Changed since the evening recap: now also covered by DW.",
                "is_unchanged": False,
                "lead": LEAD,
                "related": [
                    {**LEAD, "id": 2, "title": "Article 2", "url": "https://paper.example/2", "source": "Paper"}
                    | {"published_at": "2026-11-21T05:40:00+00:00"},
                    {**LEAD, "id": 3, "title": "Article 3", "url": "https://paper.example/3", "source": "Paper"}
                    | {"published_at": "2026-11-21T05:30:00+00:00"},
                ],
                "sources": ["Reuters", "DW"],
                "n_more": 2,
            },
            second,
            third,
        ],
        "left_out": {"n_too_many": 6, "n_unchanged": 3},
        "feed_health": {
            "n_polled": 14,
            "n_polls": 96,
            "n_successes": 94,
            "n_errors": 2,
            "success_percent": 97.9,
            "unhealthy": [{"name": "Morgenpost", "reason": "It has not answered since Tuesday."}],
            "movements": [{"label": "Geneva", "trend": "emerging", "n_articles": 3, "n_articles_before": 0}],
        },
        "checks": [
            {"check": "Labels", "is_good": True, "was_repaired": True, "text": "Repaired: one."},
            {"check": "Sizes", "is_good": True, "was_repaired": False, "text": "Good."},
        ],
    }
    assert (second["section"], second["category"], second["trend"]) == ("noteworthy", "Science", "fading")
    assert (third["section"], third["summary"], third["summary_by"], third["trend"]) == ("also", "", None, None)
    assert third["lead"]["url"] is None


def test_a_whole_digest_survives_the_way_through_text() -> None:
    found = as_json(full_edition(Kind.WEEKLY))
    assert json.loads(json.dumps(found)) == found
    assert len(found["topics"]) == 60


def test_an_empty_digest_of_feeds_that_were_not_polled() -> None:
    found = as_json(edition(report=FeedReport()))
    assert found["topics"] == []
    assert found["feed_health"]["success_percent"] is None


@pytest.mark.parametrize(
    ("importance", "expected"),
    [(84.6, 84.6), (69.99, 69.9), (70.0, 70.0), (39.951, 39.9), (100.0, 100.0), (1e-9, 0.0), (64.1, 64.1)],
)
def test_numbers_are_cut_to_a_tenth(importance: float, expected: float) -> None:
    found = as_json(edition(topic(1, importance=importance, lead=entry(1, importance=importance))))
    assert found["topics"][0]["importance"] == expected
    assert found["topics"][0]["lead"]["importance"] == expected


def test_a_share_is_not_rounded_up_to_all() -> None:
    assert as_json(edition(report=FeedReport(9, 20_000, 19_999)))["feed_health"]["success_percent"] == 99.9


def test_timestamps_are_in_utc() -> None:
    at = datetime(2026, 11, 21, 5, 50, 0, 123456, tzinfo=UTC)
    found = as_json(edition(topic(1, SectionName.ALSO, lead=entry(1, published_at=at))))
    assert found["topics"][0]["lead"]["published_at"] == "2026-11-21T05:50:00+00:00"


def test_articles_that_are_not_listed_are_counted() -> None:
    found = as_json(edition(topic(1, related=(entry(2),), n_unlisted=4)))
    assert found["topics"][0]["n_more"] == 5


def test_a_copy_has_no_importance_of_its_own() -> None:
    [found] = as_json(edition(topic(1, related=(entry(2, is_copy=True), entry(3)))))["topics"]
    assert [article["importance"] for article in found["related"]] == [None, 84.6]
