"""A digest made, stored and handed to the post in one transaction: one for each person, kind and day, whoever makes it.

Assembling takes seconds and holds nothing. What is stored then is stored with its mail and with the plan's next date,
so that a worker that dies leaves either all of it or none; and a digest that another worker stored meanwhile stays.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.dateformat import format as dated
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from digests.assembly import Commission, assemble
from digests.delivery.queueing import queue
from digests.edition import Edition, SectionName
from digests.keeping import store, store_today, with_topics
from digests.kinds import Kind
from digests.languages import in_language_of
from digests.models import Digest, DigestPlan
from digests.period import local_day, window_of
from digests.plans import claim, due_plans, move_on, skip_missed
from digests.repeats import Shown, ShownTopic
from digests.summary_writing import Writer
from digests.window import Window
from reader.preferences import time_zone_of

DAILY = (Kind.MORNING, Kind.MIDDAY, Kind.EVENING)  # one goes on from the other


@dataclass(frozen=True, slots=True)
class Made:
    """`is_new` is False when the digest of that day was there already; then it stays as it is."""

    digest: Digest
    is_new: bool


def commission_for(user: User, kind: Kind, *, now: datetime, n_topics: int | None = None) -> Commission:
    """What a digest of this kind covers at `now`, and what it must not repeat."""
    followed = _last(user, DAILY, now)
    begins_at, ends_at = window_of(kind, ends_at=now, last_ended_at=followed.ends_at if followed else None)
    return Commission(
        user=user,
        kind=kind,
        window=Window(begins_at, ends_at),
        zone=time_zone_of(user),
        n_topics=n_topics,
        shown=_shown(followed if kind in DAILY else _last(user, (kind,), now) if kind is Kind.WEEKLY else None),
    )


def preview(
    user: User, kind: Kind, *, now: datetime, n_topics: int | None = None, writer: Writer | None = None
) -> Edition:
    """The digest as it would be at `now`, in the language of whom it is for; nothing is stored."""
    with in_language_of(user.pk):
        return assemble(commission_for(user, kind, now=now, n_topics=n_topics), writer=writer)


def make(
    user: User,
    kind: Kind,
    *,
    now: datetime,
    n_topics: int | None = None,
    by_mail: bool = False,
    writer: Writer | None = None,
) -> Made:
    """The digest of `kind` of the person's day at `now`, made unless it is there, and its mail if that is asked for."""
    found = _kept(user, kind, now) or preview(user, kind, now=now, n_topics=n_topics, writer=writer)
    with transaction.atomic():
        made = _stored(user, found)
        if by_mail:
            queue(made.digest, now=now)
    return made


def make_planned(plan: DigestPlan, *, now: datetime, writer: Writer | None = None) -> Made:
    """The digest of a plan that is due; the plan moves on, and the mail goes out if it says so when all is stored."""
    user, kind = plan.user, Kind(plan.kind)
    found = _kept(user, kind, now) or preview(user, kind, now=now, n_topics=plan.n_topics, writer=writer)
    with transaction.atomic():
        made = _stored(user, found)
        if made.is_new and DigestPlan.objects.filter(pk=plan.pk, by_mail=True).exists():
            queue(made.digest, now=now)
        move_on(plan, now)
    return made


def _kept(user: User, kind: Kind, now: datetime) -> Digest | None:
    return Digest.objects.filter(user=user, kind=kind, day=local_day(now, time_zone_of(user))).first()


def _stored(user: User, found: Digest | Edition) -> Made:
    return Made(found, is_new=False) if isinstance(found, Digest) else Made(*store(user, found))


def make_due(
    *, until: datetime, clock: Callable[[], datetime] = timezone.now, writer: Callable[[], Writer | None] = lambda: None
) -> int:
    """Make the digests whose time has come, starting none after `until`; returns how many are new.

    `writer` is asked for a writer for each digest, since each has a budget of its own.
    """
    n_made = 0
    while (now := clock()) < until:
        plan = next((each for each in due_plans(now)[:20] if claim(each, now)), None)
        if plan is None:
            return n_made
        if skip_missed(plan, now):
            continue
        with closed_after(writer()) as own:
            n_made += make_planned(plan, now=now, writer=own).is_new
    return n_made


def make_today(user: User, *, now: datetime) -> Digest:
    """The person's front page as of now."""
    edition = preview(user, Kind.TODAY, now=now)
    with transaction.atomic():
        return store_today(user, edition)


@contextmanager
def closed_after(writer: Writer | None) -> Iterator[Writer | None]:
    """The writer of one digest, closed when that is made."""
    try:
        yield writer
    finally:
        if writer is not None:
            writer.close()


def _last(user: User, kinds: tuple[Kind, ...], now: datetime) -> Digest | None:
    """The latest digest of these kinds that ended before `now`."""
    return with_topics(Digest.objects.filter(user=user, kind__in=kinds, ends_at__lt=now)).order_by("-ends_at").first()


def _shown(digest: Digest | None) -> Shown:
    if digest is None:
        return Shown()
    day = dated(digest.day, pgettext("date format", "j F"))
    name = _("%(digest)s of %(day)s") % {"digest": Kind(digest.kind).in_sentence, "day": day}
    topics = []
    for topic in digest.topics.all():
        articles = list(topic.articles.all())
        topics.append(
            ShownTopic(
                section=SectionName(topic.section),
                articles=frozenset(each.article_id for each in articles if each.article_id is not None),
                stories=frozenset(each.story for each in articles if each.story is not None),
                sources=frozenset((*topic.sources, *(each.source for each in articles))),
            )
        )
    return Shown(name, digest.made_at, tuple(topics))
