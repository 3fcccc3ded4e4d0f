"""Imports: a subscription list from a file or URL, or one feed or site URL.

Safe to interrupt and repeat. Both are previewed before feeds are followed, unless a list is very long.
"""

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.core.serializers.json import DjangoJSONEncoder
from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from feeds.errors import ImportFileError, OutOfTime
from feeds.fetching.credentials import without_credentials
from feeds.models import Feed
from feeds.polling.poller import FeedFetcher
from feeds.publishers.hosts import publisher_at
from feeds.publishers.names import distinct_name
from feeds.subscription_lists.detect import check_size, read_subscriptions
from feeds.subscription_lists.model import ListedFeed, Refusal, SubscriptionList
from feeds.subscription_lists.opml import write_opml
from reader.errors import LimitReached, NothingToFollow
from reader.interests.terms import add_new_categories, feed_categories
from reader.limits import FEEDS, FOLDERS, IMPORTS
from reader.models import Delivery, Folder, Import, ImportKind, ImportLine, ImportStatus, Subscription
from reader.subscriptions.discovery import (
    FoundFeed,
    PreviewArticle,
    completed_address,
    create_feed,
    fetch_list,
    find_feeds,
)
from reader.subscriptions.feed_list import last_polls
from reader.subscriptions.follow import folder_name, follow, follow_all
from reader.subscriptions.make_folders import folder_named, folders_named
from reader.subscriptions.status_text import feed_sentence

CHUNK = 500  # feeds per transaction
PREVIEW_BYTES = 2**20  # longer lists aren't previewed; about 4,000 feeds
PREVIEW_KEPT_FOR = timedelta(days=7)
MAX_URGENT = 3  # imports of one user run at once, others wait for the recurring task
TAKEN_WITHIN = timedelta(minutes=1)  # by the worker that was called for it
DONE_WITHIN = timedelta(minutes=20)  # as long as a task may run
WATCHED_FOR = timedelta(minutes=10)  # after an import, its page shows what arrives
MAX_COUNT = 1000  # articles
MAX_NEWEST = 8  # articles shown while more arrive
MAX_FAILURES = 1000  # feeds listed
MAX_SEARCHED = 60  # newest articles, to show one of each feed
MAX_CHOICES = 4000  # feeds of a list that can be left out one by one; a form may have 5,000 fields


@dataclass(frozen=True, slots=True)
class ListedTitle:
    """A feed of a list with its place in it; `is_known`: it's already followed."""

    number: int
    title: str
    is_known: bool


@dataclass(frozen=True, slots=True)
class PreviewFolder:
    """The feeds of one folder of a list, in their order; `name` is "" for those in none."""

    name: str
    feeds: tuple[ListedTitle, ...]

    @property
    def n_new(self) -> int:
        return sum(not feed.is_known for feed in self.feeds)


@dataclass(frozen=True, slots=True)
class Preview:
    """A list before import: `n_known` of its `n_feeds` are already followed. `error`: why it can't be read."""

    folders: tuple[PreviewFolder, ...] = ()
    n_feeds: int = 0
    n_known: int = 0
    refusals: tuple[Refusal, ...] = ()
    notes: tuple[str, ...] = ()
    error: str = ""

    @property
    def n_new(self) -> int:
        return self.n_feeds - self.n_known

    @property
    def has_choice(self) -> bool:
        """Whether single feeds can be left out; of a very long list, only folders."""
        return self.n_feeds <= MAX_CHOICES


@dataclass(frozen=True, slots=True)
class Offer:
    """A feed found at an address, and the user's subscription of it, None if it isn't followed yet."""

    number: int
    found: FoundFeed
    subscription: Subscription | None

    @property
    def shown_url(self) -> str:
        return without_credentials(self.found.url)


def create_import(user: User, kind: ImportKind, name: str, *, data: bytes = b"", **values: str) -> Import:
    """Create an import, by default waiting for a worker; the user's oldest previews make room.

    Raises ImportFileError for a file above the limits, and LimitReached, and then stores nothing.
    """
    check_size(data)
    mine = Import.objects.filter(user=user)
    IMPORTS.check(mine.filter(status__in=(ImportStatus.WAITING, ImportStatus.RUNNING)))
    previews = mine.filter(status=ImportStatus.PREVIEW).order_by("-pk").values_list("pk", flat=True)
    mine.filter(pk__in=list(previews[IMPORTS.most - 1 :])).delete()
    return Import.objects.create(user=user, kind=kind, name=name[:2000], data=data, **values)


def create_list_import(user: User, data: bytes, *, name: str) -> Import:
    """Create an import of a list: as a preview, or waiting for a worker if it's long. Raises as `create_import`."""
    status = ImportStatus.PREVIEW if len(data) <= PREVIEW_BYTES else ImportStatus.WAITING
    return create_import(user, ImportKind.FILE, name, data=data, status=status)


def create_starter_import(user: User, feeds: Sequence[ListedFeed], *, now: datetime) -> Import:
    """Create an import of selected starter feeds, without a preview. Raises LimitReached."""
    name = _("Starter feeds")
    return create_import(user, ImportKind.FILE, name, data=write_opml(feeds, title=name, created_at=now))


def preview_of(job: Import) -> Preview:
    """The preview of an import; two queries."""
    try:
        listed = read_subscriptions(bytes(job.data), job.name)
    except ImportFileError as error:
        return Preview(error=str(error))
    known = _followed(job.user, {Feed.key_of(feed.url) for feed in listed.feeds})
    folders: dict[str, list[ListedTitle]] = {}
    for number, feed in enumerate(listed.feeds):
        name = feed.source_name or distinct_name(feed.title, origin=publisher_at(feed.url))
        title = ListedTitle(number, name or without_credentials(feed.url), Feed.key_of(feed.url) in known)
        folders.setdefault(folder_name(feed), []).append(title)
    return Preview(
        folders=tuple(PreviewFolder(name, tuple(feeds)) for name, feeds in folders.items()),
        n_feeds=len(listed.feeds),
        n_known=sum(title.is_known for feeds in folders.values() for title in feeds),
        refusals=listed.refusals,
        notes=listed.notes,
    )


def _followed(user: User, keys: Collection[bytes]) -> dict[bytes, Subscription]:
    """The user's subscriptions by the keys of their feeds, and of those merged into them; two queries."""
    mine = Subscription.objects.filter(user=user).select_related("feed").defer("feed__raw_hashes")
    merged = Feed.objects.filter(url_key__in=keys).exclude(merged_into=None).values_list("merged_into", "url_key")
    keys_of = {pk: bytes(key) for pk, key in merged}
    found = {bytes(each.feed.url_key): each for each in mine.filter(feed__url_key__in=keys)}
    if keys_of:
        found |= {keys_of[each.feed_id]: each for each in mine.filter(feed__in=keys_of)}
    return found


def confirm(job: Import, *, now: datetime, left_out: Collection[int] = ()) -> bool:
    """Confirm the preview of a list, without these feeds; False if it isn't one any more."""
    waiting = Import.objects.filter(pk=job.pk, status=ImportStatus.PREVIEW)
    return bool(waiting.update(status=ImportStatus.WAITING, created_at=now, left_out=sorted(left_out)))


def unticked(preview: Preview, *, folders: Collection[int], feeds: Collection[int]) -> list[int]:
    """The feeds to leave out, given the ticked folders and feeds. Those already followed stay in, to be updated."""
    return [
        feed.number
        for place, folder in enumerate(preview.folders)
        for feed in folder.feeds
        if not feed.is_known and (place not in folders or (preview.has_choice and feed.number not in feeds))
    ]


def offers_of(job: Import) -> tuple[Offer, ...]:
    """The feeds that were found at an address; two queries."""
    found = _found_feeds(job)
    known = _followed(job.user, {Feed.key_of(feed.url) for feed in found})
    return tuple(Offer(number, feed, known.get(Feed.key_of(feed.url))) for number, feed in enumerate(found))


def is_behind_page(job: Import, offers: Collection[Offer]) -> bool:
    """Whether the address was a page that leads to these feeds, not one of them."""
    return Feed.key_of(completed_address(job.name)) not in {Feed.key_of(offer.found.url) for offer in offers}


def follow_found(
    job: Import, numbers: Collection[int], *, folder: str, now: datetime, default_max_items: int
) -> list[Subscription]:
    """Follow these of the feeds found at an address, and finish the import; none if that was already done."""
    found = [feed for number, feed in enumerate(_found_feeds(job)) if number in numbers]
    subscriptions = []
    with transaction.atomic(), _interests_from_categories(job.user, now):
        if not Import.objects.filter(pk=job.pk, status=ImportStatus.PREVIEW).update(status=ImportStatus.DONE):
            return []
        target = folder_named(job.user, folder)
        for each in found:
            language = target.language if target else ""
            feed = create_feed(each, now=now, default_max_items=default_max_items, language=language)
            subscription, is_new = follow(job.user, feed, folder=target)
            subscriptions.append(subscription)
            job.n_added, job.n_known = job.n_added + is_new, job.n_known + (not is_new)
            reason = _("followed") if is_new else _("already followed")
            ImportLine.objects.create(job=job, label=subscription.shown_title[:500], reason=reason, feed=feed)
        job.n_total = job.n_done = len(found)
        job.status, job.finished_at, job.data = ImportStatus.DONE, now, b""
        job.name = without_credentials(job.name)
        job.save()
    return subscriptions


def _found_feeds(job: Import) -> tuple[FoundFeed, ...]:
    return tuple(
        FoundFeed(
            **{
                **feed,
                "articles": tuple(
                    PreviewArticle(**{**one, "published_at": parse_datetime(one["published_at"] or "")})
                    for one in feed["articles"]
                ),
            }
        )
        for feed in json.loads(bytes(job.data) or b"[]")
    )


def discard(job: Import) -> bool:
    """Discard a preview."""
    return bool(Import.objects.filter(pk=job.pk, status=ImportStatus.PREVIEW).delete()[0])


def delete_old_previews(*, now: datetime) -> int:
    """Delete old previews; returns how many."""
    old = Import.objects.filter(status=ImportStatus.PREVIEW, created_at__lt=now - PREVIEW_KEPT_FOR)
    return old.delete()[0]


def unfinished(*, now: datetime) -> list[int]:
    """Imports that no worker started, or that were interrupted; users take turns."""
    forgotten = Q(status=ImportStatus.WAITING, created_at__lt=now - TAKEN_WITHIN)
    interrupted = Q(status=ImportStatus.RUNNING, created_at__lt=now - DONE_WITHIN)
    left = Import.objects.filter(forgotten | interrupted).exclude(kind=ImportKind.SAMPLES)
    n_before: Counter[int] = Counter()
    turns = []
    for pk, user_id in left.order_by("pk").values_list("pk", "user_id"):
        turns.append((n_before[user_id], pk))
        n_before[user_id] += 1
    return [pk for _, pk in sorted(turns)]


def may_be_urgent(job: Import) -> bool:
    """Whether the user has few other imports running, which leaves workers for other users."""
    others = Import.objects.filter(user=job.user_id, status__in=(ImportStatus.WAITING, ImportStatus.RUNNING))
    return others.exclude(pk=job.pk).count() < MAX_URGENT


def import_file(
    user: User,
    data: bytes,
    *,
    name: str,
    now: datetime,
    default_max_items: int,
    on_progress: Callable[[Import], None] = lambda job: None,
) -> Import:
    """Import a file now, for commands; returns the import with its counts and rejected lines.

    Raises as `create_import`.
    """
    job = create_import(user, ImportKind.FILE, name, data=data)
    return run(job, now=now, default_max_items=default_max_items, on_progress=on_progress)


def run(
    job: Import,
    *,
    now: datetime,
    default_max_items: int,
    fetcher: FeedFetcher | None = None,
    on_progress: Callable[[Import], None] = lambda job: None,
    is_time_left: Callable[[], bool] = lambda: True,
) -> Import:
    """Run an import, or finish an interrupted one; if time runs out, it waits again. A URL needs a `fetcher`."""
    if job.is_over or job.status == ImportStatus.PREVIEW:
        return job
    ours = Import.objects.filter(pk=job.pk, status=job.status, created_at=job.created_at)
    if not ours.update(status=ImportStatus.RUNNING, created_at=now):
        return job  # another worker has it
    job.created_at = now
    try:
        if job.kind == ImportKind.ADDRESS:
            _look_up(job, fetcher, now)
        elif job.kind == ImportKind.LIST:
            _fetch_list(job, fetcher)
        if job.status == ImportStatus.PREVIEW:
            return job
        for _n_done in _follow_file(job, now=now, default_max_items=default_max_items):
            on_progress(job)
            if not is_time_left():
                raise OutOfTime
    except (ImportFileError, NothingToFollow, LimitReached) as error:
        job.status, job.message = ImportStatus.FAILED, str(error)
    except OutOfTime:
        job.status = ImportStatus.WAITING
        job.save(update_fields=["status"])
        return job
    else:
        job.status = ImportStatus.DONE
    job.finished_at, job.data = now, b""
    job.save()
    return job


def _follow_file(job: Import, *, now: datetime, default_max_items: int) -> Iterator[int]:
    """Follow the feeds of the file in chunks; yields how many are done."""
    listed = read_subscriptions(bytes(job.data), job.name)
    left_out = frozenset(job.left_out)
    feeds = [feed for number, feed in enumerate(listed.feeds) if number not in left_out]
    if not job.n_total:
        _check_room(job.user, feeds, listed)
        _begin(job, listed, n_feeds=len(feeds))
    for start in range(job.n_done, len(feeds), CHUNK):
        chunk = feeds[start : start + CHUNK]
        with transaction.atomic(), _interests_from_categories(job.user, now):
            followed = follow_all(job.user, chunk, now=now, default_max_items=default_max_items, updates=listed.updates)
            job.n_done = start + len(chunk)
            job.n_added += followed.n_added
            job.n_known += followed.n_known
            job.save(update_fields=["n_done", "n_added", "n_known"])
        yield job.n_done


@contextmanager
def _interests_from_categories(user: User, now: datetime) -> Iterator[None]:
    """Add the categories that feeds bring which are followed within to the user's interests."""
    before = feed_categories(user)
    yield
    add_new_categories(user, before, now)


def _check_room(user: User, feeds: Sequence[ListedFeed], listed: SubscriptionList) -> None:
    """Raises LimitReached if not all feeds and folders of a list can be added, before any is."""
    mine, folders = Subscription.everything.filter(user=user), Folder.objects.filter(user=user)
    known = set(map(bytes, mine.values_list("feed__url_key", flat=True)))
    FEEDS.check(mine, len({Feed.key_of(feed.url) for feed in feeds} - known))
    names = {folder_name(feed) for feed in feeds} | {tab.name[:200] for tab in listed.tabs}
    FOLDERS.check(folders, len(names - {""} - set(folders.values_list("name", flat=True))))


def _begin(job: Import, listed: SubscriptionList, *, n_feeds: int) -> None:
    with transaction.atomic():
        ImportLine.objects.bulk_create(
            [
                ImportLine(job=job, line=refusal.line, label=refusal.label[:500], reason=refusal.reason[:500])
                for refusal in listed.refusals
            ]
        )
        folders = folders_named(job.user, {tab.name[:200] for tab in listed.tabs})
        for tab in listed.tabs:
            folder = folders[tab.name[:200]]
            folder.language, folder.item_limit_per_category = tab.language[:8], tab.item_limit_per_category
        Folder.objects.bulk_update(folders.values(), ["language", "item_limit_per_category"])
        job.n_total, job.message = n_feeds, " ".join(listed.notes)
        job.save(update_fields=["n_total", "message"])


def _fetch_list(job: Import, fetcher: FeedFetcher | None) -> None:
    """Fetch the list; from then on it's like an uploaded file."""
    if fetcher is None:
        raise NothingToFollow(_("This URL can't be fetched without network access."))
    data = fetch_list(job.name, fetcher=fetcher)
    read_subscriptions(data, job.name)  # refused here rather than shown as an empty preview
    job.kind, job.data = ImportKind.FILE, data
    job.status = ImportStatus.PREVIEW if len(data) <= PREVIEW_BYTES else ImportStatus.RUNNING
    job.save()


def _look_up(job: Import, fetcher: FeedFetcher | None, now: datetime) -> None:
    """Find the feeds at an address; the user then chooses among them."""
    if fetcher is None:
        raise NothingToFollow(_("This URL can't be fetched without network access."))
    found = [asdict(feed) for feed in find_feeds(job.name, fetcher=fetcher, now=now)]
    job.status, job.data = ImportStatus.PREVIEW, json.dumps(found, cls=DjangoJSONEncoder).encode()
    job.save()


@dataclass(frozen=True, slots=True)
class Arrival:
    """Of a user's `n_feeds` feeds `n_polled` were polled, and delivered `n_articles`, of which `n_unrated` are still
    compared and rated; both counted up to `MAX_COUNT`. `failures`: of the imported feeds, those that never loaded, at
    most `MAX_FAILURES`; there are `n_failed`. `is_over`: nothing is left to load, compare or rate, or the import
    finished a while ago. `newest`: of the articles delivered so far.
    """

    n_feeds: int
    n_polled: int
    n_articles: int
    n_unrated: int
    is_over: bool
    newest: tuple["ArrivedArticle", ...] = ()
    n_failed: int = 0
    failures: tuple["FailedFeed", ...] = ()

    @property
    def n_loaded(self) -> int:
        return self.n_polled - self.n_failed


@dataclass(frozen=True, slots=True)
class FailedFeed:
    """An imported feed that never loaded, and why."""

    subscription_id: int
    title: str
    url: str
    reason: str


@dataclass(frozen=True, slots=True)
class ArrivedArticle:
    pk: int
    title: str
    language: str
    source_name: str
    published_at: datetime


def import_arrival(user: User, job: Import, *, now: datetime) -> Arrival | None:
    """What has arrived since an import; None if it isn't done. Five queries, six if feeds failed."""
    if job.status != ImportStatus.DONE or job.finished_at is None:
        return None
    polled = Count("pk", Q(feed__last_polled_at__isnull=False))
    feeds = Subscription.objects.filter(user=user).aggregate(n=Count("pk"), n_polled=polled)
    delivered = Delivery.objects.filter(user=user, is_folded__in=(False, True)).order_by()
    n_unrated = len(Delivery.objects.filter(user=user, is_rated=False).order_by().values_list("pk")[:MAX_COUNT])
    failed = list(_failed(user, job)[: MAX_FAILURES + 1])
    return Arrival(
        n_feeds=feeds["n"],
        n_polled=feeds["n_polled"],
        n_articles=len(delivered.values_list("pk")[:MAX_COUNT]),
        n_unrated=n_unrated,
        is_over=(feeds["n_polled"] == feeds["n"] and not n_unrated) or now - job.finished_at > WATCHED_FOR,
        newest=_newest(delivered),
        n_failed=len(failed) if len(failed) <= MAX_FAILURES else _failed(user, job).count(),
        failures=_failures(failed[:MAX_FAILURES], now),
    )


def _failed(user: User, job: Import) -> QuerySet[Subscription]:
    """The feeds followed by this import, which may have been interrupted, that were polled in vain."""
    added = Q(added_at__gte=job.created_at - DONE_WITHIN, added_at__lte=job.finished_at)
    never = Q(feed__last_polled_at__isnull=False, feed__last_success_at=None)
    return Subscription.objects.filter(added, never, user=user).select_related("feed__source").order_by("pk")


def _failures(failed: Sequence[Subscription], now: datetime) -> tuple[FailedFeed, ...]:
    polls = last_polls([each.feed_id for each in failed])
    return tuple(
        FailedFeed(
            each.pk, each.shown_title, each.feed.shown_url, feed_sentence(each.feed, polls.get(each.feed_id), now)
        )
        for each in failed
    )


def _newest(delivered: QuerySet[Delivery]) -> tuple[ArrivedArticle, ...]:
    """The newest articles, one of each feed."""
    rows = delivered.select_related("article", "subscription__feed__publisher").defer(
        "article__text", "article__markup", "article__safe_html"
    )
    by_feed: dict[int | None, ArrivedArticle] = {}
    for row in rows.order_by("-published_at", "-article_id")[:MAX_SEARCHED]:
        article, subscription = row.article, row.subscription
        if subscription is not None and len(by_feed) < MAX_NEWEST:
            arrived = ArrivedArticle(
                article.pk, article.title, article.language, subscription.source_name, article.published_at
            )
            by_feed.setdefault(subscription.pk, arrived)
    return tuple(by_feed.values())
