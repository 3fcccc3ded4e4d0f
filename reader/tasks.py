"""Recurring and asked-for work of `reader`. Each task is safe to run twice; ids in, nothing out."""

from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.utils import timezone

from feeds.calling import call_worker
from feeds.full_text import waiting
from feeds.tasks import poll_feeds
from feeds.worker import make_fetcher
from reader import backfilling, going_on, importing
from reader.delivery import deliver
from reader.figuring import count_all, count_for
from reader.folding import fold_changes
from reader.full_texts import ask_for_new
from reader.kept_states import settle_arrived
from reader.leaving import forget_old
from reader.models import Import, ImportKind, ImportStatus, Subscription
from reader.nights import last_night
from reader.notifications import announce
from reader.purging import purge_due
from reader.ruling import apply_to_arrivals
from reader.standings import refresh_recent
from reader.subscriptions import settle_merged_feeds
from reader.twins import find_all
from reader.waiting import rating_waits, training_waits

FIRST_POLLS_FOR = timedelta(seconds=50)  # after an import
PURGING_FOR = timedelta(seconds=50)
MOST_FIRST_POLLS = 200  # feeds
FIRST_POLLS_AT_ONCE = 20  # after which what came stands in lists


def bring() -> None:
    """Settle merged feeds, deliver new items, apply rules, fold stories, announce changed conditions; every minute.

    Pages that somebody waits for are a worker's of their own, who also takes up what another one left.
    """
    settle_merged_feeds()
    deliver()
    settle_arrived()
    now = timezone.now()
    while apply_to_arrivals(now=now):
        pass
    ask_for_new(now=now)
    if waiting(now).exists():
        call_worker("feeds.full_text_tasks.fetch_pages")
    while fold_changes():
        pass
    announce()


def rank() -> None:
    """Call a worker for what waits to be rated; every minute.

    Only looks, so that no worker loads what rating needs while there is nothing to do.
    """
    if rating_waits(timezone.now()):
        call_worker("reader.learning_tasks.rate")
    if settings.ENV.LLM_BASE_URL:
        call_worker("reader.language_tasks.ask")


def keep_fresh() -> None:
    """Bring up to date what health and feeds say of recent articles, and have older ones rated anew; half-hourly."""
    refresh_recent(now=timezone.now())
    call_worker("reader.learning_tasks.rate_older")


def look_over_feeds() -> None:
    """Count how much of each feed is opened, look for feeds of a person that are one, and forget for good what was left
    long ago; hourly."""
    now = timezone.now()
    forget_old(now=now)
    count_all(now=now)
    find_all(now=now)


def learn_at_night() -> None:
    """Call a worker to learn from the day, at 01:00 or, if nothing ran then, later; every ten minutes."""
    if training_waits(last_night(timezone.now())):
        call_worker("reader.learning_tasks.learn")


def run_import(pk: int) -> None:
    """Run one import, then poll what is new by it, bringing it as it comes: somebody waits for something to read."""
    job = Import.objects.get(pk=pk)
    fetcher = make_fetcher()
    try:
        importing.run(job, now=timezone.now(), default_max_items=settings.ENV.FETCH_MAX_ITEMS, fetcher=fetcher)
    finally:
        fetcher.close()
    if job.status == ImportStatus.DONE:
        _poll_first(job, until=timezone.now() + FIRST_POLLS_FOR)


def _poll_first(job: Import, *, until: datetime) -> None:
    """Poll an address that was followed, or what was never polled of a list; the rest is the recurring task's."""
    feeds = list(job.lines.exclude(feed=None).values_list("feed", flat=True))
    if job.kind == ImportKind.FILE:
        new = Subscription.objects.filter(user=job.user_id, feed__last_polled_at=None).order_by("pk")
        feeds = list(new.values_list("feed", flat=True)[:MOST_FIRST_POLLS])
    for start in range(0, len(feeds), FIRST_POLLS_AT_ONCE):
        if timezone.now() >= until:
            break
        poll_feeds(feeds[start : start + FIRST_POLLS_AT_ONCE])
        bring()
    count_for(job.user, now=timezone.now())


def purge() -> None:
    """Take away what feeds delivered and their rules keep no longer; every ten minutes, each feed once a day."""
    until = timezone.now() + PURGING_FOR
    if purge_due(now=timezone.now(), is_time_left=lambda: timezone.now() < until).n_articles:
        call_worker("feeds.dedup_tasks.tell_of_purged")


def resume_imports() -> None:
    """Run imports that wait for nobody or that an interruption left, and forget lists that were only looked at; every
    minute."""
    now = timezone.now()
    importing.forget_old_previews(now=now)
    for pk in importing.unfinished(now=now):
        run_import(pk)


def apply_rule(pk: int) -> None:
    """Apply a rule to what is here already, or what an interruption left of it."""
    backfilling.run_rule(pk, now=timezone.now())


def resume_rules() -> None:
    """Go on with rules that an interruption left half applied; every ten minutes."""
    for pk in backfilling.unfinished(asked_before=timezone.now() - timedelta(minutes=10)):
        apply_rule(pk)


def go_on_with_partings(user_id: int) -> None:
    """Pack what a person left, and unpack what they came back to."""
    user = User.objects.filter(pk=user_id).first()
    if user is not None:
        going_on.go_on(user, now=timezone.now())


def resume_partings() -> None:
    """Go on with what an interruption left of leaving feeds and of coming back; every minute."""
    for user_id in going_on.unfinished(now=timezone.now()):
        go_on_with_partings(user_id)
