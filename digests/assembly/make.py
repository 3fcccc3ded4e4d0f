"""Makes, stores and queues a digest in one transaction, once per user, kind and day.

Assembling takes seconds and locks nothing. The result is stored together with its email and the plan's next date, so a
worker that dies leaves all of it or none; a digest that another worker stored in the meantime stays.
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.dateformat import format as dated
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from digests.assembly.llm_summaries import Writer
from digests.assembly.pipeline import DigestRequest, assemble
from digests.assembly.repeats import EarlierDigest, EarlierTopic
from digests.assembly.window import Window
from digests.delivery.enqueue import queue
from digests.edition.document import Edition, SectionName
from digests.edition.kinds import Kind
from digests.models import Digest, DigestPlan
from digests.models.edition_store import edition_of, store, store_today, with_topics
from digests.schedule.period import local_day, window_of
from digests.schedule.plans import claim, due_plans, move_on, plans_to_prepare, skip_missed
from digests.schedule.user_language import in_language_of
from feeds.content.full_text_queue import request_full_texts
from feeds.errors import TimeLimitExceeded
from feeds.models import Article
from feeds.storage.work_limit import work_limit
from reader.articles.enclosures import is_web_address
from reader.preferences.store import time_zone_of

logger = logging.getLogger(__name__)

DIGEST_SECONDS = 60.0  # of CPU time; one of 20,000 articles takes a quarter of it
EXCERPT_WORDS = 80  # of a feed's text, below which the page is fetched; SPEC §13
DAILY = (Kind.MORNING, Kind.MIDDAY, Kind.EVENING)  # each continues the last


@dataclass(frozen=True, slots=True)
class DigestResult:
    """`is_new` is False if there already was a digest of that day; it stays unchanged."""

    digest: Digest
    is_new: bool


def digest_request_for(user: User, kind: Kind, *, now: datetime, n_topics: int | None = None) -> DigestRequest:
    """What a digest of this kind covers at `now`, and what it shouldn't repeat."""
    last = _last(user, DAILY, now)
    begins_at, ends_at = window_of(kind, ends_at=now, last_ended_at=last.ends_at if last else None)
    return DigestRequest(
        user=user,
        kind=kind,
        window=Window(begins_at, ends_at),
        zone=time_zone_of(user),
        n_topics=n_topics,
        shown=_shown(last if kind in DAILY else _last(user, (kind,), now) if kind is Kind.WEEKLY else None),
    )


def preview(
    user: User, kind: Kind, *, now: datetime, n_topics: int | None = None, writer: Writer | None = None
) -> Edition:
    """The digest at `now` in the user's language; nothing is stored."""
    with in_language_of(user.pk):
        return assemble(digest_request_for(user, kind, now=now, n_topics=n_topics), writer=writer)


def make(
    user: User,
    kind: Kind,
    *,
    now: datetime,
    n_topics: int | None = None,
    by_mail: bool = False,
    writer: Writer | None = None,
) -> DigestResult:
    """Make the user's digest of the day unless there is one, and queue its email if requested."""
    digest = _stored_digest(user, kind, now) or preview(user, kind, now=now, n_topics=n_topics, writer=writer)
    with transaction.atomic():
        result = _store(user, digest)
        if by_mail and not _is_empty(digest):
            queue(result.digest, now=now)
    return result


def make_planned(plan: DigestPlan, *, now: datetime, writer: Writer | None = None) -> DigestResult:
    """Make the digest of a due plan, queue its email if the plan says so, and advance the plan."""
    user, kind = plan.user, Kind(plan.kind)
    digest = _stored_digest(user, kind, now) or preview(user, kind, now=now, n_topics=plan.n_topics, writer=writer)
    with transaction.atomic():
        result = _store(user, digest)
        if result.is_new and not _is_empty(digest) and DigestPlan.objects.filter(pk=plan.pk, by_mail=True).exists():
            queue(result.digest, now=now)
        move_on(plan, now)
    return result


def _is_empty(result: Digest | Edition) -> bool:
    """Whether a digest has nothing to report, so that it isn't sent."""
    if isinstance(result, Digest):
        result = edition_of(with_topics(Digest.objects.filter(pk=result.pk)).get())
    return result.is_empty


def _stored_digest(user: User, kind: Kind, now: datetime) -> Digest | None:
    return Digest.objects.filter(user=user, kind=kind, day=local_day(now, time_zone_of(user))).first()


def _store(user: User, result: Digest | Edition) -> DigestResult:
    return DigestResult(result, is_new=False) if isinstance(result, Digest) else DigestResult(*store(user, result))


def make_due(
    *, until: datetime, clock: Callable[[], datetime] = timezone.now, writer: Callable[[], Writer | None] = lambda: None
) -> int:
    """Make due digests, starting none after `until`; returns how many are new.

    `writer` creates the writer of each digest, because each has its own time limit.
    """
    n_new = 0
    while (now := clock()) < until:
        plan = next((due_plan for due_plan in due_plans(now)[:20] if claim(due_plan, now)), None)
        if plan is None:
            return n_new
        if skip_missed(plan, now):
            continue
        try:
            with closed_after(writer()) as own, work_limit(DIGEST_SECONDS):
                n_new += make_planned(plan, now=now, writer=own).is_new
        except TimeLimitExceeded:  # it stays claimed for a while, so that others are made
            logger.exception("The %s digest of user %s couldn't be made", plan.kind, plan.user_id)
    return n_new


def request_texts_of_planned(now: datetime) -> None:
    """Request the full texts of the top stories of digests that will soon be due, as they would be now."""
    for plan in plans_to_prepare(now):
        with work_limit(DIGEST_SECONDS):
            edition = preview(plan.user, Kind(plan.kind), now=now, n_topics=plan.n_topics)
        _request_full_texts(edition, now)


def make_today(user: User, *, now: datetime) -> Digest:
    """Make the user's front page."""
    edition = preview(user, Kind.TODAY, now=now)
    with transaction.atomic():
        _request_full_texts(edition, now)
        return store_today(user, edition)


def _request_full_texts(edition: Edition, now: datetime) -> None:
    """Request the pages of top stories of which the feed has only an excerpt, for the summaries of later digests."""
    leads = [topic.lead.article_id for topic in edition.section(SectionName.TOP)]
    is_excerpt = Q(partial_content=True) | Q(word_count__lt=EXCERPT_WORDS)
    excerpts = Article.objects.filter(is_excerpt, pk__in=[pk for pk in leads if pk is not None])
    ids = [pk for pk, url in excerpts.values_list("pk", "url") if is_web_address(url)]
    request_full_texts(ids, now=now)


@contextmanager
def closed_after(writer: Writer | None) -> Iterator[Writer | None]:
    """Close the writer of a digest at the end."""
    try:
        yield writer
    finally:
        if writer is not None:
            writer.close()


def _last(user: User, kinds: tuple[Kind, ...], now: datetime) -> Digest | None:
    """The latest digest of these kinds that ended before `now`."""
    return with_topics(Digest.objects.filter(user=user, kind__in=kinds, ends_at__lt=now)).order_by("-ends_at").first()


def _shown(digest: Digest | None) -> EarlierDigest:
    if digest is None:
        return EarlierDigest()
    day = dated(digest.day, pgettext("date format", "j F"))
    name = _("%(digest)s of %(day)s") % {"digest": Kind(digest.kind).in_sentence, "day": day}
    topics = []
    for topic in digest.topics.all():
        articles = list(topic.articles.all())
        topics.append(
            EarlierTopic(
                section=SectionName(topic.section),
                articles=frozenset(article.article_id for article in articles if article.article_id is not None),
                stories=frozenset(article.story for article in articles if article.story is not None),
                sources=frozenset((*topic.sources, *(article.source for article in articles))),
            )
        )
    return EarlierDigest(name, digest.made_at, tuple(topics))
