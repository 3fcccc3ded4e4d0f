"""Fetches the icons of polled feeds, and monthly again, apart from polling: an icon never affects a feed's health.

Candidates in order: the feed's own icon, those that its site's home page declares, `/favicon.ico`. The home page is the
root of the host that the feed links to, so that the sections of a newspaper share one icon and one request.

Politeness: one icon of a domain per run, none of a rate-limited one, and nothing more from a site that times out or
refuses. Icons are claimed by a conditional update, so two runs never fetch the same one; claims of crashed workers
expire. A failure keeps the previous icon, and is tried again after a month, too.
"""

import logging
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from hashlib import blake2b

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from feeds.content.icons import icon_type, page_icons
from feeds.errors import FetchError, FetchTimeout
from feeds.fetching import FetchResult
from feeds.models import Feed, FeedStatus, Icon
from feeds.normalizing.canonical_url import absolute
from feeds.normalizing.domains import registrable_domain
from feeds.polling.poller import FeedFetcher
from feeds.polling.rate_limits import limited_domains

logger = logging.getLogger(__name__)

REFRESH = timedelta(days=30)
CLAIM = timedelta(hours=1)  # a run takes a minute or two
BATCH = 32  # icons of a run
AT_ONCE = 16
OF_A_PAGE = 2  # icons that are tried
ICON_SECONDS = 10.0  # per request, including redirects


class _Refused(Exception):
    """The server wants no more requests, or doesn't respond."""


@dataclass(frozen=True, slots=True)
class _Found:
    """An icon, and where it was found."""

    url: str
    content: bytes
    mime_type: str


def fetch_due(pages: FeedFetcher, images: FeedFetcher, *, now: datetime, status: FeedStatus = FeedStatus.ACTIVE) -> int:
    """Fetch icons that are due, of feeds with this status; returns the number of tries."""
    _assign(status, now)
    icons = _claim(status, now)
    with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="icon") as threads:
        for icon, found in zip(icons, threads.map(partial(_search, pages, images), icons), strict=True):
            _save(icon, found)
    return len(icons)


def delete_unused() -> int:
    """Delete the icons of no feed; returns how many."""
    return Icon.objects.filter(feeds=None).delete()[0]


def _assign(status: FeedStatus, now: datetime) -> None:
    """Give the feeds that were read and have no icon one: their site's, or a new one that is due."""
    feeds = list(
        Feed.objects.filter(icon=None, status=status, last_success_at__isnull=False).only("url", "site_url", "icon_url")
    )
    if not feeds:
        return
    new = [Icon(key=_key(feed), declared_url=feed.icon_url, home_url=_home_url(feed), due_at=now) for feed in feeds]
    with transaction.atomic():
        Icon.objects.bulk_create(new, ignore_conflicts=True, batch_size=500)
        known = Icon.objects.filter(key__in=[icon.key for icon in new]).values_list("key", "pk")
        by_key = {bytes(key): pk for key, pk in known}
        for feed in feeds:
            feed.icon_id = by_key.get(_key(feed))
        Feed.objects.bulk_update(feeds, ["icon"], batch_size=500)


def _key(feed: Feed) -> bytes:
    return blake2b(f"{feed.icon_url}\n{_home_url(feed)}".encode(errors="replace"), digest_size=16).digest()


def _home_url(feed: Feed) -> str:
    return absolute(feed.site_url, "/") or absolute(feed.url, "/")


def _claim(status: FeedStatus, now: datetime) -> list[Icon]:
    """Claim icons that are due, the longest first."""
    due = Icon.objects.filter(Exists(Feed.objects.filter(icon=OuterRef("pk"), status=status)), due_at__lte=now)
    domains = set(limited_domains(now))
    claimed = []
    for icon in due.order_by("due_at", "pk").defer("content"):
        domain = registrable_domain(icon.home_url)
        if domain not in domains and Icon.objects.filter(pk=icon.pk, due_at=icon.due_at).update(due_at=now + CLAIM):
            domains.add(domain)
            claimed.append(icon)
        if len(claimed) == BATCH:
            break
    return claimed


def _search(pages: FeedFetcher, images: FeedFetcher, icon: Icon) -> _Found | None:
    """The first candidate that is an icon. Runs in a thread, so it must not use the database."""
    try:
        for url in _candidates(pages, icon):
            answer = _get(images, url)
            if answer is not None and (mime_type := icon_type(answer.body)):
                return _Found(answer.url, answer.body, mime_type)
    except _Refused as reason:
        logger.info("Icon of %s: %s", icon.home_url, reason)
    except Exception:  # a bug that one site triggers must not stop the others
        logger.exception("The icon of %s could not be read", icon.home_url)
    return None


def _candidates(pages: FeedFetcher, icon: Icon) -> Iterator[str]:
    """Yield each URL once. The home page is only fetched if the feed's own icon isn't used."""
    if icon.declared_url:
        yield icon.declared_url
    home = _get(pages, icon.home_url)
    urls = [absolute(home.url if home is not None else icon.home_url, "/favicon.ico")]
    if home is not None:
        content_type = home.headers.get("content-type", "")
        urls = [*page_icons(home.body, url=home.url, content_type=content_type)[:OF_A_PAGE], *urls]
    yield from (url for url in dict.fromkeys(urls) if url != icon.declared_url)


def _get(fetcher: FeedFetcher, url: str) -> FetchResult | None:
    """The response, None if there is none. Raises _Refused."""
    try:
        answer = fetcher.fetch(url)
    except FetchTimeout as error:
        raise _Refused(error) from error
    except FetchError:
        return None
    if answer.status in (429, 503):
        raise _Refused(f"status {answer.status}")
    return answer if answer.status == 200 else None


def _save(icon: Icon, found: _Found | None) -> None:
    """Save the outcome. Feeds whose site or icon has changed in the meantime are given another one in the next run."""
    now = timezone.now()
    values: dict[str, object] = {"fetched_at": now, "due_at": now + REFRESH}
    if found is not None:
        digest = blake2b(found.content, digest_size=16).hexdigest()
        values |= {"url": found.url, "mime_type": found.mime_type, "content": found.content, "digest": digest}
    Icon.objects.filter(pk=icon.pk).update(**values)
    feeds = Feed.objects.filter(icon=icon).only("url", "site_url", "icon_url")
    Feed.objects.filter(pk__in=[feed.pk for feed in feeds if _key(feed) != bytes(icon.key)]).update(icon=None)
