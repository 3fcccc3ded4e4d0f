"""Editions to rows and back. A digest is stored once; only the front page is made anew in place.

What is stored says all that is shown, so that a digest stays whole when its articles are purged.
"""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.contrib.auth.models import User
from django.db.models import Prefetch, QuerySet

from digests.edition import (
    Edition,
    Entry,
    FeedReport,
    Finding,
    LeftOut,
    Movement,
    SectionName,
    SummaryBy,
    Topic,
    Trend,
    UnwellFeed,
)
from digests.kinds import Kind
from digests.models import Digest, DigestArticle, DigestTopic


def store(user: User, edition: Edition) -> tuple[Digest, bool]:
    """The digest of this user, kind and day, and whether it is this edition: one that is there already stays.

    To be called in a transaction.
    """
    digest, is_new = Digest.objects.get_or_create(
        user=user, kind=edition.kind, day=edition.day, defaults=_values(edition)
    )
    if is_new:
        _store_topics(digest, edition.topics)
    return digest, is_new


def store_today(user: User, edition: Edition) -> Digest:
    """The front page, made anew. To be called in a transaction; what is older than the one there is not stored."""
    Digest.objects.get_or_create(user=user, kind=Kind.TODAY, defaults={"day": edition.day, **_values(edition)})
    digest = Digest.objects.select_for_update().get(user=user, kind=Kind.TODAY)
    if digest.made_at <= edition.made_at:
        DigestArticle.objects.filter(topic__digest=digest).delete()
        DigestTopic.objects.filter(digest=digest).delete()
        Digest.objects.filter(pk=digest.pk).update(day=edition.day, asked_at=None, **_values(edition))
        digest.refresh_from_db()
        _store_topics(digest, edition.topics)
    return digest


def with_topics(digests: QuerySet[Digest]) -> QuerySet[Digest]:
    """The digests with all that `edition_of` reads: three queries, however many topics and articles there are."""
    articles = DigestArticle.objects.order_by("position")
    topics = DigestTopic.objects.order_by("position").prefetch_related(Prefetch("articles", articles))
    return digests.prefetch_related(Prefetch("topics", topics))


def edition_of(digest: Digest) -> Edition:
    """The edition that was stored. Ask for the digest by `with_topics`, or its topics are looked up one by one."""
    return Edition(
        kind=Kind(digest.kind),
        day=digest.day,
        time_zone=digest.time_zone,
        begins_at=digest.begins_at,
        ends_at=digest.ends_at,
        made_at=digest.made_at,
        n_articles=digest.n_articles,
        n_feeds=digest.n_feeds,
        n_duplicates=digest.n_duplicates,
        topics=tuple(_topic(row) for row in digest.topics.all()),
        report=_report(digest.report),
        left_out=LeftOut(**digest.report.get("left_out", {})),
        findings=tuple(Finding(**each) for each in digest.findings),
    )


def local(moment: datetime, edition: Edition) -> datetime:
    """The moment by the clock of whom the digest is for."""
    return moment.astimezone(ZoneInfo(edition.time_zone))


def _values(edition: Edition) -> dict[str, Any]:
    return {
        "time_zone": edition.time_zone,
        "begins_at": edition.begins_at,
        "ends_at": edition.ends_at,
        "made_at": edition.made_at,
        "n_articles": edition.n_articles,
        "n_feeds": edition.n_feeds,
        "n_duplicates": edition.n_duplicates,
        "report": {**asdict(edition.report), "left_out": asdict(edition.left_out)},
        "findings": [asdict(each) for each in edition.findings],
    }


def _store_topics(digest: Digest, topics: Sequence[Topic]) -> None:
    rows = DigestTopic.objects.bulk_create(
        DigestTopic(
            digest=digest,
            position=position,
            section=topic.section,
            label=topic.label[:200],
            trend=topic.trend or "",
            importance=topic.importance,
            category=topic.category[:100],
            summary=topic.summary,
            summary_by=topic.summary_by or "",
            moved=topic.moved[:300],
            sources=list(topic.sources),
            n_more=topic.n_more,
        )
        for position, topic in enumerate(topics)
    )
    DigestArticle.objects.bulk_create(
        (
            _article(row, position, entry)
            for row, topic in zip(rows, topics, strict=True)
            for position, entry in enumerate(topic.entries)
        ),
        batch_size=500,
    )


def _article(topic: DigestTopic, position: int, entry: Entry) -> DigestArticle:
    return DigestArticle(
        topic=topic,
        position=position,
        article_id=entry.article_id,
        title=entry.title,
        url=entry.url,
        source=entry.source[:300],
        tier=entry.tier,
        language=entry.language,
        published_at=entry.published_at,
        date_uncertain=entry.date_uncertain,
        importance=entry.importance,
        story=entry.story_id,
        is_copy=entry.is_copy,
    )


def _topic(row: DigestTopic) -> Topic:
    lead, *related = (_entry(each) for each in row.articles.all())
    return Topic(
        section=SectionName(row.section),
        label=row.label,
        lead=lead,
        importance=row.importance,
        related=tuple(related),
        sources=tuple(row.sources),
        trend=Trend(row.trend) if row.trend else None,
        category=row.category,
        summary=row.summary,
        summary_by=SummaryBy(row.summary_by) if row.summary_by else None,
        moved=row.moved,
        n_unlisted=row.n_more - len(related),
    )


def _entry(row: DigestArticle) -> Entry:
    return Entry(
        article_id=row.article_id,
        title=row.title,
        url=row.url,
        source=row.source,
        tier=row.tier,
        published_at=row.published_at,
        importance=row.importance,
        language=row.language,
        date_uncertain=row.date_uncertain,
        story_id=row.story,
        is_copy=row.is_copy,
    )


def _report(stored: dict[str, Any]) -> FeedReport:
    return FeedReport(
        n_polled=stored.get("n_polled", 0),
        n_polls=stored.get("n_polls", 0),
        n_successes=stored.get("n_successes", 0),
        unwell=tuple(UnwellFeed(**each) for each in stored.get("unwell", ())),
        movements=tuple(Movement(**{**each, "trend": Trend(each["trend"])}) for each in stored.get("movements", ())),
    )
