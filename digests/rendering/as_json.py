"""A digest as JSON for other programs. Pure.

Keys don't change within a `version`. Times are ISO 8601 in UTC, `day` is in the user's time zone. Numbers are cut to a
tenth, so that an importance never exceeds its section. Unknown values are null, missing ones "" or [].

    version, kind, title, day, time_zone, begins_at, ends_at, made_at, n_articles, n_feeds, n_duplicates
    topics[]        section, label, trend, importance, category, summary, summary_from, summary_by, moved,
                    lead (an article), related (articles), sources (names), n_more (articles besides the lead)
    article         id, title, url, source, tier, published_at, is_date_uncertain, importance (null for a copy),
                    language, story_id, is_copy
    left_out        n_too_many, n_unchanged (topics)
    feed_health     n_polled (feeds), n_polls, n_successes, n_errors, success_percent, unhealthy[] (name, reason),
                    movements[] (label, trend, n_articles, n_articles_before)
    checks[]        check, is_good, was_repaired, text
"""

from datetime import UTC, datetime
from decimal import ROUND_FLOOR, Decimal
from typing import Any

from digests.edition.document import Edition, Entry, FeedReport, Topic
from digests.rendering.clean_text import tidy

VERSION = 2
_TENTH = Decimal("0.1")


def as_json(edition: Edition) -> dict[str, Any]:
    """The digest with the keys above."""
    edition = tidy(edition)
    return {
        "version": VERSION,
        "kind": edition.kind.value,
        "title": edition.title,
        "day": edition.day.isoformat(),
        "time_zone": edition.time_zone,
        "begins_at": _moment(edition.begins_at),
        "ends_at": _moment(edition.ends_at),
        "made_at": _moment(edition.made_at),
        "n_articles": edition.n_articles,
        "n_feeds": edition.n_feeds,
        "n_duplicates": edition.n_duplicates,
        "topics": [_topic(topic) for topic in edition.topics],
        "left_out": {"n_too_many": edition.left_out.too_many, "n_unchanged": edition.left_out.unchanged},
        "feed_health": _feed_health(edition.report),
        "checks": [
            {
                "check": finding.check,
                "is_good": finding.is_good,
                "was_repaired": finding.was_repaired,
                "text": finding.text,
            }
            for finding in edition.findings
        ],
    }


def _topic(topic: Topic) -> dict[str, Any]:
    return {
        "section": topic.section.value,
        "label": topic.label,
        "trend": topic.trend.value if topic.trend else None,
        "importance": _cut(topic.importance),
        "category": topic.category,
        "summary": topic.summary,
        "summary_from": topic.summary_from,
        "summary_by": topic.summary_by.value if topic.summary_by else None,
        "moved": topic.moved,
        "is_unchanged": topic.is_unchanged,
        "lead": _article(topic.lead),
        "related": [_article(entry) for entry in topic.related],
        "sources": list(topic.sources),
        "n_more": topic.n_more,
    }


def _article(entry: Entry) -> dict[str, Any]:
    return {
        "id": entry.article_id,
        "title": entry.title,
        "url": entry.url or None,
        "source": entry.source,
        "tier": entry.tier,
        "published_at": _moment(entry.published_at),
        "is_date_uncertain": entry.date_uncertain,
        "importance": None if entry.is_copy else _cut(entry.importance),
        "language": entry.language,
        "story_id": entry.story_id,
        "is_copy": entry.is_copy,
    }


def _feed_health(report: FeedReport) -> dict[str, Any]:
    rate = report.success_rate
    return {
        "n_polled": report.n_polled,
        "n_polls": report.n_polls,
        "n_successes": report.n_successes,
        "n_errors": report.n_errors,
        "success_percent": None if rate is None else _cut(Decimal(100 * report.n_successes) / report.n_polls),
        "unhealthy": [{"name": feed.name, "reason": feed.reason} for feed in report.unhealthy],
        "movements": [
            {
                "label": movement.label,
                "trend": movement.trend.value,
                "n_articles": movement.n_now,
                "n_articles_before": movement.n_before,
            }
            for movement in report.movements
        ],
    }


def _moment(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="seconds")


def _cut(number: float | Decimal) -> float:
    """A number cut to a tenth in decimal, so that 84.6 stays 84.6."""
    exact = number if isinstance(number, Decimal) else Decimal(repr(number))
    return float(exact.quantize(_TENTH, rounding=ROUND_FLOOR))
