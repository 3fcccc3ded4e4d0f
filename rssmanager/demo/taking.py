"""Following the sample feeds, taking in what they hold, and leaving them. Loads nothing heavy.

Feeds and articles of an edition are shared by all who take it while it is young; what is one person's are their
subscriptions. Each step may be repeated: what is followed is not followed twice, and what was taken in is left alone.
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from digests.access import front_pages
from feeds.models import Feed, FeedStatus, Poll, Source
from feeds.opml import write_opml
from feeds.polling import PollReport
from feeds.worker import take_samples
from reader import importing
from reader.leaving import leave
from reader.models import Import, ImportKind, ImportStatus, Parting, Subscription
from reader.subscriptions import feeds_for
from rssmanager.demo.samples import SampleFeed, SamplePublishers, moment_of, sample_feeds

YOUNG_FOR = timedelta(hours=12)  # then who comes next gets an edition of their own, whose day is today
_UNFINISHED = (ImportStatus.WAITING, ImportStatus.RUNNING)


def begin(user: User, *, now: datetime) -> Import:
    """An import of the sample feeds for a worker to carry out; the one there is while it is under way or followed."""
    with transaction.atomic():
        User.objects.select_for_update().get(pk=user.pk)  # of two presses at once, one waits here for the other
        latest = Import.objects.filter(user=user, kind=ImportKind.SAMPLES).first()
        if latest is not None and (not latest.is_over or followed(user).exists()):
            return latest
        name = _("Sample feeds")
        feeds = sample_feeds(_edition(now))
        _make_known(feeds, now=now)
        data = write_opml([each.wanted for each in feeds], title=name, created_at=now)
        return Import.objects.create(user=user, kind=ImportKind.SAMPLES, name=name, data=data)


def take_in(
    job: Import, *, now: datetime, on_poll: Callable[[Feed, Poll], None] = lambda feed, poll: None
) -> PollReport:
    """Follow the feeds of an import that `begin` gave, and store what they hold, or what an interruption left of it."""
    importing.run(job, now=now, default_max_items=settings.ENV.FETCH_MAX_ITEMS)
    ids = list(followed(job.user).filter(feed__last_polled_at=None).values_list("feed", flat=True))
    return take_samples(ids, SamplePublishers(f"{settings.BASE_URL}/samples"), on_poll=on_poll)


def unfinished(*, begun_before: datetime) -> list[int]:
    """The imports of samples that were begun before and that an interruption left half done."""
    waiting = Q(status__in=_UNFINISHED, created_at__lt=begun_before)
    half = Subscription.objects.filter(
        feed__status=FeedStatus.SAMPLE, feed__last_polled_at=None, added_at__lt=begun_before
    )
    begun = Import.objects.filter(waiting | Q(user__in=half.values("user")), kind=ImportKind.SAMPLES)
    return list(begun.exclude(status=ImportStatus.FAILED).order_by("pk").values_list("pk", flat=True))


def is_taken_in(job: Import) -> bool:
    """Whether nothing of an import is left to do."""
    return job.is_over and not followed(job.user).filter(feed__last_polled_at=None).exists()


def leave_samples(user: User, *, now: datetime) -> Parting | None:
    """Leave all sample feeds, and the folders that this empties; with a record to come back by, None if there are none.

    The front page goes, too: it told of them. What their person's profile learned stays, as with every other feed.
    """
    under_way = Import.objects.filter(user=user, kind=ImportKind.SAMPLES, status__in=_UNFINISHED)
    under_way.update(status=ImportStatus.FAILED, message=_("They were left before they were there."), finished_at=now)
    parting = leave(user, list(followed(user).values_list("pk", flat=True)), now=now, with_folders=True)
    if parting is not None:
        front_pages(user).delete()
    return parting


def followed(user: User) -> QuerySet[Subscription]:
    """The user's subscriptions of sample feeds."""
    return Subscription.objects.filter(user=user, feed__status=FeedStatus.SAMPLE)


def _edition(now: datetime) -> datetime:
    """The moment of the newest edition while that is young, else of a new one."""
    newest = Feed.objects.filter(status=FeedStatus.SAMPLE).order_by("-pk").values_list("url", flat=True).first()
    moment = moment_of(newest) if newest else None
    if moment is not None and now - moment < YOUNG_FOR:
        return moment
    return now.astimezone(UTC).replace(second=0, microsecond=0)


def _make_known(feeds: tuple[SampleFeed, ...], *, now: datetime) -> None:
    """Rows for these feeds and their publishers; within a transaction, so that no poll finds them before they are
    samples."""
    made = feeds_for([each.wanted for each in feeds], now=now, default_max_items=settings.ENV.FETCH_MAX_ITEMS)
    Feed.objects.filter(pk__in=[feed.pk for feed in made.values()]).update(status=FeedStatus.SAMPLE)
    for tier in {each.tier for each in feeds}:
        Source.objects.filter(domain__in=[each.domain for each in feeds if each.tier == tier]).update(tier=tier)
