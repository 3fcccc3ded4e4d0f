"""The polling engine set up from the settings: what tasks and commands call."""

import logging
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from uuid import UUID, uuid4

from django.conf import settings
from django.utils import timezone

from feeds import unfinished
from feeds.claiming import take_away
from feeds.fetching import ACCEPT_PAGE, Fetcher, FetchLimits
from feeds.garbage import settle
from feeds.intake import NormalizingRules
from feeds.models import CategorySynonym, Feed, FeedStatus, Poll
from feeds.page_text import MAX_PAGE_BYTES
from feeds.poll_marks import Marking
from feeds.polling import Answering, Poller, PollReport
from feeds.tallying import Tallying

logger = logging.getLogger(__name__)


def make_fetcher() -> Fetcher:
    """A fetcher with the limits of the environment; close it after use."""
    return Fetcher(_limits(), user_agent=settings.USER_AGENT)


def make_page_fetcher() -> Fetcher:
    """A fetcher for pages, which are smaller than feeds may be; close it after use."""
    limits = _limits()
    limits = replace(limits, max_bytes=min(limits.max_bytes, MAX_PAGE_BYTES))
    return Fetcher(limits, user_agent=settings.USER_AGENT, accept=ACCEPT_PAGE)


def _limits() -> FetchLimits:
    env = settings.ENV
    return FetchLimits(
        connect_seconds=env.FETCH_CONNECT_TIMEOUT,
        total_seconds=env.FETCH_TIMEOUT,
        max_bytes=env.FETCH_MAX_BYTES,
        max_redirects=env.FETCH_MAX_REDIRECTS,
        per_domain=env.FETCH_PER_DOMAIN,
        allow_private_networks=env.FETCH_ALLOW_PRIVATE_NETWORKS,
        allowed_networks=env.FETCH_ALLOWED_NETWORKS,
    )


def normalizing_rules() -> NormalizingRules:
    """Trackers from the environment and category synonyms from the admin's table."""
    synonyms = {row.term.lower(): row.category for row in CategorySynonym.objects.all()}
    return NormalizingRules(extra_trackers=frozenset(settings.ENV.FETCH_EXTRA_TRACKERS), synonyms=synonyms)


def poll_due(
    *,
    only: Collection[int] | None = None,
    until: datetime | None = None,
    on_poll: Callable[[Feed, Poll], None] = lambda feed, poll: None,
) -> PollReport:
    """Poll what is due (among the ids `only`) in this process, taking nothing new after `until`."""
    settle("poll")
    try:
        unfinished.take_up(_marks(), timezone.now())
    except OSError as error:
        logger.warning("What dead processes left cannot be seen: %s", error)
    fetcher, tallying, token = make_fetcher(), Tallying(), uuid4()
    try:
        with _marked(token) as at:
            poller = _poller(fetcher, FeedStatus.ACTIVE, tallying.on_poll(on_poll), token=token, at=at)
            return poller.run(only=only, until=until)
    finally:
        fetcher.close()
        tallying.write()


def _marks() -> Path:
    return Path(settings.DATA_DIR) / "polling"


@contextmanager
def _marked(token: UUID) -> Iterator[Callable[[int], None]]:
    """What tells this machine which feed is being read; nothing where its disk is full, and polls go on."""
    try:
        marking = Marking(_marks(), token)
    except OSError as error:
        logger.warning("Should this process die, nobody will know at which feed: %s", error)
        yield lambda feed_id: None
        return
    try:
        yield marking.at
    finally:
        marking.close()


def take_samples(
    ids: Collection[int], publishers: Answering, *, on_poll: Callable[[Feed, Poll], None] = lambda feed, poll: None
) -> PollReport:
    """Take in these sample feeds once, as polls do, but from `publishers`: no network has a part in it.

    Whoever comes last takes over, so that nobody waits for the leases of a worker that was killed.
    """
    take_away(Feed.objects.filter(pk__in=ids, status=FeedStatus.SAMPLE))
    return _poller(publishers, FeedStatus.SAMPLE, on_poll).run(only=ids)


def _poller(
    fetcher: Answering,
    status: FeedStatus,
    on_poll: Callable[[Feed, Poll], None],
    *,
    token: UUID | None = None,
    at: Callable[[int], None] = lambda feed_id: None,
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
        at=at,
    )
