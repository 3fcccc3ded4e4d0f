"""Run an import: a file of subscriptions, the address of one, or one address with discovery.

Safe to interrupt and to repeat. A list from elsewhere is shown before anything of it is followed (`preview_of`), unless
it is so long that reading it would keep a page waiting.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from feeds.errors import ImportFileError
from feeds.fetching import Fetcher
from feeds.models import Feed
from feeds.opml import write_opml
from feeds.subscription_files import read_subscriptions
from feeds.subscription_list import Refusal, SubscriptionList, WantedFeed
from reader.discovering import fetch_list, find_feed
from reader.errors import NothingToFollow
from reader.models import Folder, Import, ImportKind, ImportLine, ImportStatus, Subscription
from reader.subscriptions import folder_name, folder_named, follow, follow_all

logger = logging.getLogger(__name__)

CHUNK = 500  # feeds followed in one transaction, after which progress shows
PREVIEW_BYTES = 2**20  # of a list that is shown before it is followed: some 4,000 feeds, half a second to read
PREVIEW_KEPT_FOR = timedelta(days=7)
TAKEN_WITHIN = timedelta(minutes=1)  # by the worker that was called for it, if one could be called
DONE_WITHIN = timedelta(minutes=20)  # as long as a task may run


@dataclass(frozen=True, slots=True)
class PreviewFolder:
    """The feeds of one folder of a list, in their order; `name` is "" for those in none."""

    name: str
    titles: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Preview:
    """What following a list would do: `n_known` of its `n_feeds` are followed already. `error` is why it is no list."""

    folders: tuple[PreviewFolder, ...] = ()
    n_feeds: int = 0
    n_known: int = 0
    refusals: tuple[Refusal, ...] = ()
    notes: tuple[str, ...] = ()
    error: str = ""


def begin_list(user: User, data: bytes, *, name: str) -> Import:
    """An import of a list that waits: for its person's word, or, where it is long, for a worker."""
    status = ImportStatus.PREVIEW if len(data) <= PREVIEW_BYTES else ImportStatus.WAITING
    return Import.objects.create(user=user, kind=ImportKind.FILE, name=name[:2000], data=data, status=status)


def begin_starters(user: User, feeds: Sequence[WantedFeed], *, now: datetime) -> Import:
    """An import of feeds that their person chose one by one, so that there is nothing left to ask."""
    name = _("Starter feeds")
    data = write_opml(feeds, title=name, created_at=now)
    return Import.objects.create(user=user, kind=ImportKind.FILE, name=name, data=data)


def preview_of(job: Import) -> Preview:
    """What a list that waits for its person's word holds; two queries."""
    try:
        listed = read_subscriptions(bytes(job.data), job.name)
    except ImportFileError as error:
        return Preview(error=str(error))
    keys = {Feed.key_of(each.url) for each in listed.feeds}
    mine = Subscription.objects.filter(user=job.user, feed__url_key__in=keys)
    folders: dict[str, list[str]] = {}
    for each in listed.feeds:
        folders.setdefault(folder_name(each), []).append(each.source_name or each.title or each.url)
    return Preview(
        folders=tuple(PreviewFolder(name, tuple(titles)) for name, titles in folders.items()),
        n_feeds=len(listed.feeds),
        n_known=mine.count(),
        refusals=listed.refusals,
        notes=listed.notes,
    )


def confirm(job: Import, *, now: datetime) -> bool:
    """Let a worker follow the list; False when it was let already, or is no preview."""
    waiting = Import.objects.filter(pk=job.pk, status=ImportStatus.PREVIEW)
    return bool(waiting.update(status=ImportStatus.WAITING, created_at=now))


def discard(job: Import) -> bool:
    """Forget a list that was only looked at."""
    return bool(Import.objects.filter(pk=job.pk, status=ImportStatus.PREVIEW).delete()[0])


def forget_old_previews(*, now: datetime) -> int:
    """Forget lists that were looked at long ago, and neither followed nor forgotten since; returns how many."""
    old = Import.objects.filter(status=ImportStatus.PREVIEW, created_at__lt=now - PREVIEW_KEPT_FOR)
    return old.delete()[0]


def unfinished(*, now: datetime) -> list[int]:
    """Imports that no worker was called for, or whose worker died."""
    forgotten = Q(status=ImportStatus.WAITING, created_at__lt=now - TAKEN_WITHIN)
    interrupted = Q(status=ImportStatus.RUNNING, created_at__lt=now - DONE_WITHIN)
    left = Import.objects.filter(forgotten | interrupted).exclude(kind=ImportKind.SAMPLES)
    return list(left.order_by("pk").values_list("pk", flat=True))


def import_file(
    user: User,
    data: bytes,
    *,
    name: str,
    now: datetime,
    default_max_items: int,
    on_progress: Callable[[Import], None] = lambda job: None,
) -> Import:
    """Import a file here and now; for commands. The returned import holds counts and refusals."""
    job = Import.objects.create(user=user, kind=ImportKind.FILE, name=name[:2000], data=data)
    return run(job, now=now, default_max_items=default_max_items, on_progress=on_progress)


def run(
    job: Import,
    *,
    now: datetime,
    default_max_items: int,
    fetcher: Fetcher | None = None,
    on_progress: Callable[[Import], None] = lambda job: None,
) -> Import:
    """Carry out `job`, or what an interruption left of it. An address needs a `fetcher`."""
    if job.is_over or job.status == ImportStatus.PREVIEW:
        return job
    ours = Import.objects.filter(pk=job.pk, status=job.status, created_at=job.created_at)
    if not ours.update(status=ImportStatus.RUNNING, created_at=now):
        return job  # another worker was faster
    job.created_at = now
    try:
        if job.kind == ImportKind.ADDRESS:
            _follow_address(job, fetcher, now=now, default_max_items=default_max_items)
        else:
            if job.kind == ImportKind.LIST:
                _fetch_list(job, fetcher)
                if job.status == ImportStatus.PREVIEW:
                    return job
            _follow_file(job, now=now, default_max_items=default_max_items, on_progress=on_progress)
    except (ImportFileError, NothingToFollow) as error:
        job.status, job.message = ImportStatus.FAILED, str(error)
    else:
        job.status = ImportStatus.DONE
    job.finished_at, job.data = now, b""
    job.save()
    return job


def _follow_file(job: Import, *, now: datetime, default_max_items: int, on_progress: Callable[[Import], None]) -> None:
    listed = read_subscriptions(bytes(job.data), job.name)
    if not job.n_total:
        _begin(job, listed)
    for start in range(job.n_done, len(listed.feeds), CHUNK):
        chunk = listed.feeds[start : start + CHUNK]
        with transaction.atomic():
            followed = follow_all(job.user, chunk, now=now, default_max_items=default_max_items)
            job.n_done = start + len(chunk)
            job.n_added += followed.n_added
            job.n_known += followed.n_known
            job.save(update_fields=["n_done", "n_added", "n_known"])
        on_progress(job)


def _begin(job: Import, listed: SubscriptionList) -> None:
    with transaction.atomic():
        ImportLine.objects.bulk_create(
            [
                ImportLine(job=job, line=each.line, label=each.label[:500], reason=each.reason[:500])
                for each in listed.refusals
            ]
        )
        for tab in listed.tabs:
            Folder.objects.update_or_create(
                user=job.user,
                name=tab.name[:200],
                defaults={"language": tab.language[:8], "item_limit_per_category": tab.item_limit_per_category},
            )
        job.n_total, job.message = len(listed.feeds), " ".join(listed.notes)
        job.save(update_fields=["n_total", "message"])


def _fetch_list(job: Import, fetcher: Fetcher | None) -> None:
    """Take the list from its address; then it is as if it had been given as a file."""
    if fetcher is None:
        raise NothingToFollow(_("This address needs the network, which is not available here."))
    data = fetch_list(job.name, fetcher=fetcher)
    read_subscriptions(data, job.name)  # refused here rather than shown as an empty preview
    job.kind, job.data = ImportKind.FILE, data
    job.status = ImportStatus.PREVIEW if len(data) <= PREVIEW_BYTES else ImportStatus.RUNNING
    job.save()


def _follow_address(job: Import, fetcher: Fetcher | None, *, now: datetime, default_max_items: int) -> None:
    if fetcher is None:
        raise NothingToFollow(_("This address needs the network, which is not available here."))
    job.n_total = 1
    feed = find_feed(job.name, fetcher=fetcher, now=now, default_max_items=default_max_items)
    subscription, is_new = follow(job.user, feed, folder=folder_named(job.user, job.folder_name))
    job.n_done, job.n_added, job.n_known = 1, int(is_new), int(not is_new)
    ImportLine.objects.create(
        job=job,
        label=subscription.shown_title[:500],
        reason=_("followed") if is_new else _("you follow it already"),
        feed=subscription.feed,
    )
