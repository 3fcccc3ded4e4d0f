"""Stores editions as rows and loads them. A digest is stored once; only the front page is replaced in place.

The rows contain everything that is shown, so a digest stays complete when its articles are purged. One exception: if
the publisher's own feed has since replaced an article that another feed delivered under its URL, the digest shows the
publisher's title and link, and no summary or label made from the other text.
"""

from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Prefetch, QuerySet

from digests.edition.document import (
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
    UnhealthyFeed,
)
from digests.edition.kinds import Kind
from digests.models import Digest, DigestArticle, DigestTopic

_STORED_WITHIN = timedelta(minutes=2)  # from reading the articles to storing the digest
_NOT_READ = [f"article__{field}" for field in ("markup", "safe_html", "text", "summary", "categories", "media")]


def store(user: User, edition: Edition) -> tuple[Digest, bool]:
    """Store an edition unless there is a digest of this user, kind and day; returns the digest and whether it is new.

    Call it in a transaction.
    """
    digest, is_new = Digest.objects.get_or_create(
        user=user, kind=edition.kind, day=edition.day, defaults=_values(edition)
    )
    if is_new:
        _store_topics(digest, edition.topics)
    return digest, is_new


def store_today(user: User, edition: Edition) -> Digest:
    """Replace the front page unless the stored one is newer. Call it in a transaction."""
    Digest.objects.get_or_create(user=user, kind=Kind.TODAY, defaults={"day": edition.day, **_values(edition)})
    digest = Digest.objects.select_for_update().get(user=user, kind=Kind.TODAY)
    if digest.made_at <= edition.made_at:
        DigestArticle.objects.filter(topic__digest=digest).delete()
        DigestTopic.objects.filter(digest=digest).delete()
        Digest.objects.filter(pk=digest.pk).update(day=edition.day, requested_at=None, **_values(edition))
        digest.refresh_from_db()
        _store_topics(digest, edition.topics)
    return digest


def with_topics(digests: QuerySet[Digest]) -> QuerySet[Digest]:
    """Digests with everything that `edition_of` reads, in three queries."""
    articles = DigestArticle.objects.select_related("article").defer(*_NOT_READ).order_by("position")
    topics = DigestTopic.objects.order_by("position").prefetch_related(Prefetch("articles", articles))
    return digests.prefetch_related(Prefetch("topics", topics))


def edition_of(digest: Digest) -> Edition:
    """The stored edition. Load the digest by `with_topics`, or its topics are queried one by one."""
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
        topics=tuple(_topic(row, made_at=digest.made_at) for row in digest.topics.all()),
        report=_report(digest.report),
        left_out=LeftOut(**digest.report.get("left_out", {})),
        findings=tuple(Finding(**finding) for finding in digest.findings),
    )


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
        "findings": [asdict(finding) for finding in edition.findings],
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
            summary_from=topic.summary_from[:300],
            moved=topic.moved[:300],
            is_unchanged=topic.is_unchanged,
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


def _topic(row: DigestTopic, *, made_at: datetime) -> Topic:
    articles = [(article, _is_reclaimed(article, made_at)) for article in row.articles.all()]
    lead, *related = (
        _reclaimed_entry(article) if is_reclaimed else _entry(article) for article, is_reclaimed in articles
    )
    is_reclaimed = any(reclaimed for _, reclaimed in articles)
    return Topic(
        section=SectionName(row.section),
        label=lead.title[:200] if is_reclaimed else row.label,
        lead=lead,
        importance=row.importance,
        related=tuple(related),
        sources=tuple(row.sources),
        trend=Trend(row.trend) if row.trend else None,
        category=row.category,
        summary="" if is_reclaimed else row.summary,
        summary_by=SummaryBy(row.summary_by) if row.summary_by and not is_reclaimed else None,
        summary_from="" if is_reclaimed else row.summary_from,
        moved=row.moved,
        n_unlisted=row.n_more - len(related),
        is_unchanged=row.is_unchanged,
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


def _is_reclaimed(row: DigestArticle, made_at: datetime) -> bool:
    """Whether the publisher's own feed replaced the article's text after the digest was made."""
    at = row.article.reclaimed_at if row.article else None
    return at is not None and at > made_at - _STORED_WITHIN


def _reclaimed_entry(row: DigestArticle) -> Entry:
    """The entry in the publisher's words."""
    entry, article = _entry(row), row.article
    if article is None:
        return entry
    return replace(entry, title=article.title, url=article.link or entry.url, language=article.language)


def _report(stored: dict[str, Any]) -> FeedReport:
    return FeedReport(
        n_polled=stored.get("n_polled", 0),
        n_polls=stored.get("n_polls", 0),
        n_successes=stored.get("n_successes", 0),
        unhealthy=tuple(UnhealthyFeed(**feed) for feed in stored.get("unhealthy", ())),
        movements=tuple(
            Movement(**{**movement, "trend": Trend(movement["trend"])}) for movement in stored.get("movements", ())
        ),
    )
