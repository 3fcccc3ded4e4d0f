"""Run an import: a file of subscriptions, or one address with discovery. Safe to interrupt and to repeat."""

import logging
from collections.abc import Callable
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction

from feeds.errors import ImportFileError
from feeds.fetching import Fetcher
from feeds.subscription_files import read_subscriptions
from feeds.subscription_list import SubscriptionList
from reader.discovering import find_feed
from reader.errors import NothingToFollow
from reader.models import Folder, Import, ImportKind, ImportLine, ImportStatus
from reader.subscriptions import folder_named, follow, follow_all

logger = logging.getLogger(__name__)

CHUNK = 500  # feeds followed in one transaction, after which progress shows


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
    if job.is_over:
        return job
    Import.objects.filter(pk=job.pk).update(status=ImportStatus.RUNNING)
    try:
        if job.kind == ImportKind.ADDRESS:
            _follow_address(job, fetcher, now=now, default_max_items=default_max_items)
        else:
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


def _follow_address(job: Import, fetcher: Fetcher | None, *, now: datetime, default_max_items: int) -> None:
    if fetcher is None:
        raise NothingToFollow("This address needs the network, which is not available here.")
    job.n_total = 1
    feed = find_feed(job.name, fetcher=fetcher, now=now, default_max_items=default_max_items)
    subscription, is_new = follow(job.user, feed, folder=folder_named(job.user, job.folder_name))
    job.n_done, job.n_added, job.n_known = 1, int(is_new), int(not is_new)
    ImportLine.objects.create(
        job=job,
        label=subscription.shown_title[:500],
        reason="followed" if is_new else "you follow it already",
        feed=subscription.feed,
    )
