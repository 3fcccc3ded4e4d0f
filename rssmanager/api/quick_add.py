"""Following what an app's user typed: a feed's address, or that of a site whose feed is looked up.

The interface's dialog has a worker fetch the address and then offers what was found. An app expects its answer in the
same request, so this waits for the worker, but not longer than `WAIT`: the web process itself fetches nothing.
"""

from dataclasses import dataclass
from datetime import datetime
from time import monotonic, sleep

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from feeds.models import Feed, FeedStatus
from feeds.polling.merge_feeds import resume
from feeds.subscription_lists.model import ListedFeed
from feeds.tasks.enqueue import call_worker
from reader.errors import NothingToFollow
from reader.models import Folder, Import, ImportKind, ImportStatus, Subscription
from reader.subscriptions.discovery import FoundFeed, completed_address
from reader.subscriptions.follow import feeds_for, follow
from reader.subscriptions.importer import create_import, follow_found, may_be_urgent, offers_of

WAIT = 10.0  # seconds; apps give up after about 30
_PAUSE = 0.1  # seconds
_TASK = "reader.tasks.recurring.run_import"


@dataclass(frozen=True, slots=True)
class Added:
    """The subscription, and the other feeds of the site."""

    subscription: Subscription
    others: tuple[FoundFeed, ...] = ()


def quick_add(user: User, text: str, *, now: datetime) -> Added:
    """Follow the feed at an address, or the likeliest behind it. Raises NothingToFollow.

    Without a worker, the address itself is followed, and its first poll tells whether it is a feed.
    """
    address = completed_address(text)
    if Feed.objects.filter(url_key=Feed.key_of(address), last_success_at__isnull=False).exists():
        return Added(follow_address(user, address, title="", folder=None, now=now))
    job = create_import(user, ImportKind.ADDRESS, text.strip())  # as typed: without a scheme, http is tried as well
    if may_be_urgent(job) and call_worker(_TASK, job.pk):
        _wait(job)
    if Import.objects.filter(pk=job.pk, status=ImportStatus.WAITING).delete()[0]:
        return Added(follow_address(user, address, title="", folder=None, now=now))
    job.refresh_from_db()
    if job.status == ImportStatus.FAILED:
        raise NothingToFollow(job.message)
    if job.status != ImportStatus.PREVIEW:
        raise NothingToFollow(_("This site is slow. What is found there will be under Follow or import."))
    others = tuple(offer.found for offer in offers_of(job)[1:])
    [subscription] = follow_found(job, {0}, folder="", now=now, default_max_items=settings.ENV.FETCH_MAX_ITEMS)
    call_worker(_TASK, job.pk)  # polls it
    return Added(subscription, others)


def follow_address(user: User, text: str, *, title: str, folder: Folder | None, now: datetime) -> Subscription:
    """Follow the feed at exactly this address. Raises NothingToFollow, LimitReached."""
    address = completed_address(text)
    listed = ListedFeed(url=address, title=title)
    with transaction.atomic():
        feed = feeds_for([listed], now=now, default_max_items=settings.ENV.FETCH_MAX_ITEMS)[Feed.key_of(address)]
        resume(Feed.objects.filter(pk=feed.pk, status=FeedStatus.DEAD), now)
        return follow(user, feed, folder=folder, title=title)[0]


def _wait(job: Import) -> None:
    """Until the worker has looked, or `WAIT` is over."""
    until = monotonic() + WAIT
    open_statuses = (ImportStatus.WAITING, ImportStatus.RUNNING)
    while Import.objects.filter(pk=job.pk, status__in=open_statuses).exists() and monotonic() < until:
        sleep(_PAUSE)
