"""Recurring and on-demand tasks of `reader`. Each is safe to run twice; ids in, nothing out."""

from datetime import datetime, timedelta
from time import sleep

from django.conf import settings
from django.utils import timezone

from feeds.content.full_text_queue import waiting
from feeds.fetching import DeadlineFetcher
from feeds.models import Feed
from feeds.polling.engine import URGENT_SECONDS, make_fetcher
from feeds.tasks.enqueue import call_worker
from feeds.tasks.polling import URGENT_FOR, poll_feeds
from reader.articles import changes
from reader.articles.full_text import request_for_new
from reader.articles.pending_states import apply_arrived
from reader.interests.backlog import last_night, needs_learning, needs_rating
from reader.models import Import, ImportKind, ImportStatus, Subscription
from reader.rules import backfill
from reader.rules.apply import apply_to_arrivals
from reader.scoring.source_signals import refresh_recent
from reader.send_to import webhooks
from reader.stories.collapse import fold_queued
from reader.subscriptions import importer
from reader.subscriptions.delivery import deliver
from reader.subscriptions.duplicates import find_all
from reader.subscriptions.follow import move_merged_subscriptions
from reader.subscriptions.notifications import notify_of_import, notify_subscribers
from reader.subscriptions.purge import purge_due
from reader.subscriptions.read_rates import count_all, count_for
from reader.subscriptions.save_page import delete_removed
from reader.subscriptions.unfollow import purge_some

FIRST_POLLS_FOR = timedelta(seconds=50)  # after an import
DISCOVERY_SECONDS = 60.0  # for all addresses that are tried for one feed
CHECK_SECONDS = 0.2
RESUMING_FOR = timedelta(seconds=20)  # the next task continues
PURGING_FOR = timedelta(seconds=50)
RULES_FOR = timedelta(seconds=50)
DELIVERING_FOR = timedelta(seconds=50)
FOLLOWING_FOR = timedelta(seconds=50)  # feeds of a list; the rest waits for `resume_imports`
MAX_FIRST_POLLS = 200  # feeds
FIRST_POLLS_AT_ONCE = 20  # feeds polled before their articles are delivered


def deliver_new() -> None:
    """Deliver new items, apply rules, fold stories, notify subscribers; every minute.

    Full texts are fetched by a separate task.
    """
    move_merged_subscriptions()
    deliver()
    apply_arrived()
    now = timezone.now()
    until = now + DELIVERING_FOR
    while timezone.now() < until and apply_to_arrivals(now=now):
        pass
    request_for_new(now=now)
    if waiting(now).exists():
        call_worker("feeds.tasks.full_text.fetch_pages")
    while timezone.now() < until and fold_queued():
        pass
    notify_subscribers()


def queue_rating() -> None:
    """Queue a rating task if anything is unrated; every minute.

    Only checks, so that no worker loads numpy while there is nothing to do.
    """
    if needs_rating():
        call_worker("reader.tasks.learning.rate")
    if settings.ENV.LLM_BASE_URL:
        call_worker("reader.tasks.llm.rate_queued")


def refresh_ratings() -> None:
    """Update recent articles' source signals; half-hourly."""
    refresh_recent(now=timezone.now())


def maintain_feeds() -> None:
    """Update read rates, find duplicate feeds, delete what was unfollowed or removed more than 7 days ago, and old
    changes; hourly."""
    now = timezone.now()
    count_all(now=now)
    find_all(now=now)
    until = timezone.now() + PURGING_FOR
    while timezone.now() < until and purge_some(now=now):
        pass
    while timezone.now() < until and changes.delete_old(now=now):
        pass
    webhooks.delete_old(now=now)
    delete_removed(now=now)


def queue_training() -> None:
    """Queue the nightly training, at 01:00 or as soon as a worker runs; every ten minutes."""
    if needs_learning(last_night(timezone.now())):
        call_worker("reader.tasks.learning.learn")


def run_import(pk: int) -> None:
    """Run an import, then poll its new feeds and deliver articles as they arrive, since the user is waiting.

    Slow publishers are left to the recurring tasks, and the rest of a long list to another task.
    """
    job = _run_import(pk, urgent=True)
    if job.status == ImportStatus.DONE and not _poll_first(job, until=timezone.now() + URGENT_FOR):
        call_worker("reader.tasks.recurring.poll_imported", pk)


def _run_import(pk: int, *, urgent: bool) -> Import:
    job = Import.objects.get(pk=pk)
    was_over = job.is_over
    fetcher = make_fetcher()
    seconds = URGENT_SECONDS if urgent else DISCOVERY_SECONDS
    timed = DeadlineFetcher(fetcher, seconds=seconds, raise_out_of_time=urgent)
    until = timezone.now() + FOLLOWING_FOR
    try:
        job = importer.run(
            job, now=timezone.now(), default_max_items=settings.ENV.FETCH_MAX_ITEMS, fetcher=timed,
            is_time_left=lambda: timezone.now() < until,
        )  # fmt: skip
    finally:
        fetcher.close()
    if job.is_over and not was_over and job.kind != ImportKind.ADDRESS:
        notify_of_import(job, now=timezone.now())
    return job


def poll_imported(pk: int) -> None:
    """Poll the feeds of an imported list that were never polled."""
    _poll_first(Import.objects.get(pk=pk), until=timezone.now() + FIRST_POLLS_FOR)


def _poll_first(job: Import, *, until: datetime) -> bool:
    """Poll a new feed, or the never polled feeds of a list; recurring tasks poll the rest. False if time ran out."""
    feeds = list(job.lines.exclude(feed=None).values_list("feed", flat=True))
    if job.kind == ImportKind.FILE:
        new = Subscription.objects.filter(user=job.user_id, feed__last_polled_at=None).order_by("pk")
        feeds = list(new.values_list("feed", flat=True)[:MAX_FIRST_POLLS])
    is_time_left = True
    for start in range(0, len(feeds), FIRST_POLLS_AT_ONCE):
        if not (is_time_left := timezone.now() < until):
            break
        group = feeds[start : start + FIRST_POLLS_AT_ONCE]
        poll_feeds(group)
        _await_others(group, until=until)
        deliver_new()
    count_for(job.user, now=timezone.now())
    return is_time_left


def _await_others(feeds: list[int], *, until: datetime) -> None:
    """Wait for feeds that the recurring poll claimed first, so that their articles are delivered."""
    unpolled = Feed.objects.filter(pk__in=feeds, last_polled_at=None)
    while (now := timezone.now()) < until and unpolled.filter(source__leased_until__gt=now).exists():
        sleep(CHECK_SECONDS)


def purge() -> None:
    """Delete articles past their retention; every ten minutes, each feed once a day."""
    until = timezone.now() + PURGING_FOR
    if purge_due(now=timezone.now(), is_time_left=lambda: timezone.now() < until).n_articles:
        call_worker("feeds.tasks.stories.refresh_purged_stories")


def resume_imports() -> None:
    """Run imports that weren't started, timed out or were interrupted, and delete old previews; every minute."""
    now = timezone.now()
    importer.delete_old_previews(now=now)
    for pk in importer.unfinished(now=now):
        if timezone.now() >= now + RESUMING_FOR:
            break
        if (job := _run_import(pk, urgent=False)).status == ImportStatus.DONE:
            _poll_first(job, until=timezone.now() + RESUMING_FOR)


def apply_rule(pk: int) -> None:
    """Apply a rule to existing articles, or continue after an interruption."""
    until = timezone.now() + RULES_FOR
    if not backfill.run_rule(pk, now=timezone.now(), is_time_left=lambda: timezone.now() < until):
        call_worker("reader.tasks.recurring.apply_rule", pk)


def resume_rules() -> None:
    """Continue rules that were interrupted; every ten minutes."""
    until = timezone.now() + RULES_FOR
    for pk in backfill.unfinished(asked_before=timezone.now() - timedelta(minutes=10)):
        if timezone.now() < until:
            apply_rule(pk)
