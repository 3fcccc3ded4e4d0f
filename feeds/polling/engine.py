"""The polling engine as configured by the settings, for tasks and commands."""

import logging
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from uuid import UUID, uuid4

from django.conf import settings
from django.utils import timezone

from feeds.content.extract import MAX_PAGE_BYTES
from feeds.content.fetch_icons import ICON_SECONDS
from feeds.content.fetch_pages import PAGE_SECONDS
from feeds.content.icons import MAX_ICON_BYTES
from feeds.content.image_proxy import ACCEPT_IMAGE
from feeds.fetching import ACCEPT, ACCEPT_PAGE, Fetcher, FetchLimits
from feeds.models import CategorySynonym, Feed, FeedStatus, Poll
from feeds.polling import crash_recovery
from feeds.polling.counters import PollCounter
from feeds.polling.crash_recovery import CrashMarker
from feeds.polling.leases import revoke
from feeds.polling.poller import FeedFetcher, Poller, PollReport
from feeds.storage.drafts import NormalizingRules
from feeds.storage.memory import freeze, release_memory

logger = logging.getLogger(__name__)


URGENT_SECONDS = 5.0  # for a fetch that a user waits for; longer ones continue in the background


def make_fetcher(*, urgent: bool = False) -> Fetcher:
    """Return a fetcher with the configured limits, or with less time if a user waits; close it after use."""
    return _fetcher(_limits(), urgent=urgent)


def make_page_fetcher(*, urgent: bool = False) -> Fetcher:
    """Return a fetcher for pages, with lower limits than for feeds; close it after use."""
    limits = _limits()
    limits = replace(
        limits,
        max_bytes=min(limits.max_bytes, MAX_PAGE_BYTES),
        total_seconds=min(limits.total_seconds, PAGE_SECONDS),
        all_seconds=2 * PAGE_SECONDS,
    )
    return _fetcher(limits, urgent=urgent, accept=ACCEPT_PAGE)


def make_icon_fetchers() -> tuple[Fetcher, Fetcher]:
    """Return fetchers for the pages that declare icons and for the icons, without retries; close them after use."""
    limits = _limits()
    seconds = min(limits.total_seconds, ICON_SECONDS)
    limits = replace(limits, total_seconds=seconds, queue_seconds=seconds, retry_waits=())
    pages = replace(limits, max_bytes=min(limits.max_bytes, MAX_PAGE_BYTES))
    images = replace(limits, max_bytes=min(limits.max_bytes, MAX_ICON_BYTES))
    return _fetcher(pages, urgent=False, accept=ACCEPT_PAGE), _fetcher(images, urgent=False, accept=ACCEPT_IMAGE)


def _fetcher(limits: FetchLimits, *, urgent: bool, accept: str = ACCEPT) -> Fetcher:
    folder = Path(settings.DATA_DIR) / "connections"
    folder.mkdir(parents=True, exist_ok=True)
    limits = _urgent(limits) if urgent else limits
    return Fetcher(limits, user_agent=settings.USER_AGENT, accept=accept, slots_folder=folder)


def _urgent(limits: FetchLimits) -> FetchLimits:
    seconds = min(limits.total_seconds, URGENT_SECONDS)
    return replace(limits, total_seconds=seconds, queue_seconds=seconds, all_seconds=2 * seconds)


def _limits() -> FetchLimits:
    env = settings.ENV
    return FetchLimits(
        connect_seconds=env.FETCH_CONNECT_TIMEOUT,
        total_seconds=env.FETCH_TIMEOUT,
        all_seconds=settings.FETCH_SECONDS,
        max_bytes=env.FETCH_MAX_BYTES,
        max_redirects=env.FETCH_MAX_REDIRECTS,
        per_domain=env.FETCH_PER_DOMAIN,
        allow_private_networks=env.FETCH_ALLOW_PRIVATE_NETWORKS,
        allowed_networks=env.FETCH_ALLOWED_NETWORKS,
    )


def normalizing_rules() -> NormalizingRules:
    """Return the trackers in the settings and the category synonyms in the database."""
    synonyms = {row.term.lower(): row.category for row in CategorySynonym.objects.all()}
    return NormalizingRules(extra_trackers=frozenset(settings.ENV.FETCH_EXTRA_TRACKERS), synonyms=synonyms)


def poll_due(
    *,
    only: Collection[int] | None = None,
    until: datetime | None = None,
    on_poll: Callable[[Feed, Poll], None] = lambda feed, poll: None,
    urgent: bool = False,
) -> PollReport:
    """Poll due feeds (among the ids `only`) in this process, starting none after `until`.

    `urgent`: a user waits. Feeds that don't respond soon are left to the next, longer run.
    """
    freeze("poll")
    try:
        crash_recovery.recover(_marker_folder(), timezone.now())
    except OSError as error:
        logger.warning("Can't check for processes that died while polling: %s", error)
    fetcher, counter, token = make_fetcher(urgent=urgent), PollCounter(), uuid4()
    try:
        with _crash_marker(token) as set_feed:
            poller = _poller(
                fetcher,
                FeedStatus.ACTIVE,
                counter.on_poll(on_poll),
                token=token,
                set_feed=set_feed,
                skip_timeouts=urgent,
            )
            return poller.run(only=only, until=until)
    finally:
        fetcher.close()
        counter.write()
        release_memory()


def _marker_folder() -> Path:
    return Path(settings.DATA_DIR) / "polling"


@contextmanager
def _crash_marker(token: UUID) -> Iterator[Callable[[int], None]]:
    """Give a function that stores which feed is being read; it does nothing if the disk is full."""
    try:
        marker = CrashMarker(_marker_folder(), token)
    except OSError as error:
        logger.warning("Can't record which feed is being read, in case this process dies: %s", error)
        yield lambda feed_id: None
        return
    try:
        yield marker.set_feed
    finally:
        marker.close()


def ingest_samples(
    ids: Collection[int], publishers: FeedFetcher, *, on_poll: Callable[[Feed, Poll], None] = lambda feed, poll: None
) -> PollReport:
    """Poll these sample feeds once, from `publishers` instead of the network.

    Existing leases are revoked, so that those of a killed worker don't have to expire first.
    """
    revoke(Feed.objects.filter(pk__in=ids, status=FeedStatus.SAMPLE))
    return _poller(publishers, FeedStatus.SAMPLE, on_poll).run(only=ids)


def _poller(
    fetcher: FeedFetcher,
    status: FeedStatus,
    on_poll: Callable[[Feed, Poll], None],
    *,
    token: UUID | None = None,
    set_feed: Callable[[int], None] = lambda feed_id: None,
    skip_timeouts: bool = False,
) -> Poller:
    return Poller(
        fetcher,
        rules=normalizing_rules(),
        concurrency=settings.ENV.FETCH_CONCURRENCY,
        per_domain=settings.ENV.FETCH_PER_DOMAIN,
        clock=timezone.now,
        on_poll=on_poll,
        status=status,
        token=token,
        set_feed=set_feed,
        skip_timeouts=skip_timeouts,
    )
