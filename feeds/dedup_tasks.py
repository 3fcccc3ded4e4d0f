"""Recurring and asked-for work of deduplication, apart from `tasks`: who only polls need not load what comparing needs.

Each task is safe to run twice.
"""

from datetime import timedelta

from django.utils import timezone

from feeds.deduplication import forget_keys, match, story_rules
from feeds.purging import stale_stories
from feeds.splitting import forget, not_applied
from feeds.stories import one_writer, refresh_stale, regroup

TAKING_NEW_FOR = timedelta(seconds=50)  # the next scheduled task goes on, perhaps on another worker


def match_new() -> None:
    """Part what was split, tidy what was purged, and compare titles and contents of what polls brought."""
    apply_splits()
    tell_of_purged()
    match(until=timezone.now() + TAKING_NEW_FOR)


def apply_splits() -> None:
    """Part what a person has split and what still stands together."""
    if not_applied():
        with one_writer():
            regroup(not_applied(), story_rules())


def tell_of_purged() -> None:
    """Let stories say what is left of them."""
    if stale_stories().exists():
        with one_writer():
            refresh_stale(story_rules())


def undo_splits(split_ids: list[int], article_ids: list[int]) -> None:
    """Forget these splits, if they are still there, and let links tie their articles again."""
    with one_writer():
        forget(split_ids)
        regroup(article_ids, story_rules())


def regroup_articles(article_ids: list[int]) -> None:
    """Group these articles anew, after one that stood with them is gone."""
    with one_writer():
        regroup(article_ids, story_rules())


def tidy_keys() -> None:
    """Forget keys that can match nothing new; daily."""
    forget_keys(now=timezone.now())
