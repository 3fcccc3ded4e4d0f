"""Recurring and requested tasks of deduplication, separate because importing them loads the libraries for comparing.

Each is safe to run twice.
"""

from datetime import timedelta

from django.utils import timezone

from feeds.storage.purge import stale_stories
from feeds.stories.engine import delete_old_keys, match, story_rules
from feeds.stories.links import one_writer
from feeds.stories.splits import delete_splits, pending_splits
from feeds.stories.store import refresh_stale, regroup

TAKING_NEW_FOR = timedelta(seconds=50)  # the next scheduled task continues, perhaps on another worker


def match_new() -> None:
    """Apply splits, update stories after purging, and match new articles."""
    apply_splits()
    refresh_purged_stories()
    match(until=timezone.now() + TAKING_NEW_FOR)


def apply_splits() -> None:
    """Regroup articles that a user has split and that still share a story."""
    if pending_splits():
        with one_writer():
            regroup(pending_splits(), story_rules())


def refresh_purged_stories() -> None:
    """Update stories that lost articles to purging."""
    if stale_stories().exists():
        with one_writer():
            refresh_stale(story_rules())


def undo_splits(split_ids: list[int], article_ids: list[int]) -> None:
    """Delete these splits, if they still exist, and regroup their articles."""
    with one_writer():
        delete_splits(split_ids)
        regroup(article_ids, story_rules())


def regroup_articles(article_ids: list[int]) -> None:
    """Regroup these articles after another article of their story was deleted."""
    with one_writer():
        regroup(article_ids, story_rules())


def tidy_keys() -> None:
    """Delete keys that can't match new articles any more; daily."""
    delete_old_keys(now=timezone.now())
