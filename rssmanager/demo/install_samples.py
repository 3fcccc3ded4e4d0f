"""Following the sample feeds, importing their articles, and removing them. Loads no heavy libraries.

Feeds and articles of an edition are shared by users who start while it is recent; only subscriptions are per user.
Every step can be repeated.
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from digests.access import front_pages
from feeds.content.fetch_icons import fetch_due
from feeds.models import Feed, FeedStatus, Poll, Source
from feeds.polling.engine import ingest_samples
from feeds.polling.poller import PollReport
from feeds.subscription_lists.opml import write_opml
from reader.models import Import, ImportKind, ImportStatus, Subscription
from reader.subscriptions import importer
from reader.subscriptions.follow import feeds_for
from reader.subscriptions.unfollow import unfollow
from rssmanager.demo.samples import SampleFeed, SamplePublishers, moment_of, sample_feeds

YOUNG_FOR = timedelta(hours=12)  # then the next user gets a new edition with today's date
_UNFINISHED = (ImportStatus.WAITING, ImportStatus.RUNNING)


def begin(user: User, *, now: datetime) -> Import:
    """Start an import of the sample feeds; returns the existing one if it is running or still followed."""
    with transaction.atomic():
        User.objects.select_for_update().get(pk=user.pk)  # makes concurrent requests wait
        latest = Import.objects.filter(user=user, kind=ImportKind.SAMPLES).first()
        if latest is not None and (not latest.is_over or followed(user).exists()):
            return latest
        name = _("Sample feeds")
        feeds = sample_feeds(_edition(now))
        _make_known(feeds, now=now)
        data = write_opml([feed.wanted for feed in feeds], title=name, created_at=now)
        return Import.objects.create(user=user, kind=ImportKind.SAMPLES, name=name, data=data)


def take_in(
    job: Import, *, now: datetime, on_poll: Callable[[Feed, Poll], None] = lambda feed, poll: None
) -> PollReport:
    """Follow the feeds of an import and store their articles, also after an interruption."""
    importer.run(job, now=now, default_max_items=settings.ENV.FETCH_MAX_ITEMS)
    ids = list(followed(job.user).filter(feed__last_polled_at=None).values_list("feed", flat=True))
    publishers = SamplePublishers(f"{settings.BASE_URL}/samples")
    report = ingest_samples(ids, publishers, on_poll=on_poll)
    fetch_due(publishers, publishers, now=now, status=FeedStatus.SAMPLE)
    return report


def unfinished(*, begun_before: datetime) -> list[int]:
    """Interrupted imports of samples that started before that time."""
    waiting = Q(status__in=_UNFINISHED, created_at__lt=begun_before)
    half = Subscription.objects.filter(
        feed__status=FeedStatus.SAMPLE, feed__last_polled_at=None, added_at__lt=begun_before
    )
    begun = Import.objects.filter(waiting | Q(user__in=half.values("user")), kind=ImportKind.SAMPLES)
    return list(begun.exclude(status=ImportStatus.FAILED).order_by("pk").values_list("pk", flat=True))


def is_taken_in(job: Import) -> bool:
    """Whether an import is complete."""
    return job.is_over and not followed(job.user).filter(feed__last_polled_at=None).exists()


def remove_samples(user: User, *, now: datetime) -> list[Subscription]:
    """Unfollow all sample feeds, and delete the folders this empties; returns the feeds, which can be restored.

    Also deletes the front page, which shows them. What the profile learned stays, as with all feeds.
    """
    under_way = Import.objects.filter(user=user, kind=ImportKind.SAMPLES, status__in=_UNFINISHED)
    under_way.update(status=ImportStatus.FAILED, message=_("Removed before the import had finished."), finished_at=now)
    removed = unfollow(user, list(followed(user).values_list("pk", flat=True)), now=now, with_folders=True)
    if removed:
        front_pages(user).delete()
    return removed


def followed(user: User) -> QuerySet[Subscription]:
    """The user's subscriptions of sample feeds."""
    return Subscription.objects.filter(user=user, feed__status=FeedStatus.SAMPLE)


def _edition(now: datetime) -> datetime:
    """The time of the newest edition if it is recent, else of a new one."""
    newest = Feed.objects.filter(status=FeedStatus.SAMPLE).order_by("-pk").values_list("url", flat=True).first()
    moment = moment_of(newest) if newest else None
    if moment is not None and now - moment < YOUNG_FOR:
        return moment
    return now.astimezone(UTC).replace(second=0, microsecond=0)


def _make_known(feeds: tuple[SampleFeed, ...], *, now: datetime) -> None:
    """Create feeds and sources, in a transaction so that no poll sees them before they are marked as samples."""
    made = feeds_for([each.wanted for each in feeds], now=now, default_max_items=settings.ENV.FETCH_MAX_ITEMS)
    Feed.objects.filter(pk__in=[feed.pk for feed in made.values()]).update(status=FeedStatus.SAMPLE)
    for tier in {each.tier for each in feeds}:
        Source.objects.filter(domain__in=[each.domain for each in feeds if each.tier == tier]).update(tier=tier)
