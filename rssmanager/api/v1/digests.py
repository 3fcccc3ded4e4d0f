"""Digests and the front page."""

import datetime
from typing import Any

from django.utils.translation import override
from ninja import Query, Router, Schema
from pydantic import Field

from digests.access import digest_of, digests_of, today_of
from digests.edition.document import SectionName, SummaryBy, Trend
from digests.edition.kinds import Kind
from digests.models.edition_store import edition_of
from digests.rendering.as_json import as_json
from digests.today.refresh import is_ready
from reader.preferences.store import language_of
from rssmanager.api.v1.base import READ, Id, Page, Refused, Request
from rssmanager.api.v1.paging import Paging, dated_page

router = Router(tags=["Digests"])


class Digest(Schema):
    """A digest in the list; `kind` is that of its schedule."""

    id: int
    kind: Kind
    day: datetime.date
    made_at: datetime.datetime
    n_articles: int
    n_feeds: int


class DigestArticle(Schema):
    """An article as it was when the digest was made. `id` is null once it was deleted, `importance` for a copy."""

    id: int | None
    title: str
    url: str | None
    source: str
    tier: int = Field(description="Of the source, from 1 to 5.")
    published_at: datetime.datetime
    is_date_uncertain: bool
    importance: float | None
    language: str
    story_id: int | None
    is_copy: bool


class Topic(Schema):
    """A topic: its leading article, the others, and a summary. `trend` compares it with the period before.

    `moved` says why it is there again, and `is_unchanged` that it was there before and has nothing new.
    """

    section: SectionName
    label: str
    trend: Trend | None
    importance: float
    category: str
    summary: str
    summary_from: str = Field(description="Source of the summary, if another than the leading article's.")
    summary_by: SummaryBy | None
    moved: str
    is_unchanged: bool
    lead: DigestArticle
    related: list[DigestArticle]
    sources: list[str]
    n_more: int = Field(description="Articles besides the leading one; not all of them are in `related`.")


class LeftOut(Schema):
    """Topics that aren't there: too many for their section, or unchanged."""

    n_too_many: int
    n_unchanged: int


class UnhealthyFeed(Schema):
    name: str
    reason: str


class Movement(Schema):
    """A topic that rises or fades."""

    label: str
    trend: Trend
    n_articles: int
    n_articles_before: int


class FeedHealth(Schema):
    """How polling your feeds went. `success_percent` is null if none was polled."""

    n_polled: int
    n_polls: int
    n_successes: int
    n_errors: int
    success_percent: float | None
    unhealthy: list[UnhealthyFeed]
    movements: list[Movement]


class Check(Schema):
    """The result of one of the digest's checks of itself."""

    check: str
    is_good: bool
    was_repaired: bool
    text: str


class WholeDigest(Schema):
    """A digest: its topics, the most important first, feed health and checks. Names don't change within a `version`."""

    version: int
    kind: Kind
    title: str
    day: datetime.date
    time_zone: str
    begins_at: datetime.datetime
    ends_at: datetime.datetime
    made_at: datetime.datetime
    n_articles: int
    n_feeds: int
    n_duplicates: int
    topics: list[Topic]
    left_out: LeftOut
    feed_health: FeedHealth
    checks: list[Check]


@router.get("/digests", auth=READ, response=Page[Digest])
def list_digests(request: Request, asked: Query[Paging]) -> dict[str, Any]:
    """Your digests, the latest first."""
    return dated_page(digests_of(request.user), "made_at", asked)


@router.get("/digests/{int:pk}", auth=READ, response=WholeDigest)
def get_digest(request: Request, pk: Id) -> dict[str, Any]:
    """A digest: its topics with their articles and summaries, feed health and checks."""
    with override(language_of(request.user.pk)):
        return as_json(edition_of(digest_of(request.user, pk)))


@router.get("/today", auth=READ, response=WholeDigest)
def get_today(request: Request) -> dict[str, Any]:
    """The front page, in the form of a digest. It is made when the interface shows it, so it can be some hours old."""
    digest = today_of(request.user)
    if digest is None or not is_ready(digest):
        raise Refused("There is no front page yet. Open Today once.", 404)
    with override(language_of(request.user.pk)):
        return as_json(edition_of(digest))
