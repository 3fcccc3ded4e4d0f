"""Runs the matching stage with the current settings, for tasks and commands. Loads the libraries for comparing."""

from collections.abc import Callable
from datetime import datetime, timedelta

from django.conf import settings
from django.utils import timezone

from feeds.dedup.near_duplicate_policies import CONTENT_WINDOW, TITLE_WINDOW, Policy, policies
from feeds.models import Article, Sketch, Stage
from feeds.storage.memory import disable_mmap, freeze, release_memory
from feeds.storage.work_queue import StageReport, n_waiting
from feeds.stories import candidates
from feeds.stories.near_duplicate_stage import match_pending
from feeds.stories.store import StoryRules

MAX_DELAY = timedelta(days=4)  # a copy that arrives this long after the window still finds the other's keys
CONTENT_KEY_LIFETIME = CONTENT_WINDOW + MAX_DELAY  # of content keys, after publication and after arrival


def policy() -> Policy:
    """The policy from the settings."""
    return policies(retention_days=settings.ENV.RETENTION_DAYS)[settings.ENV.DEDUP_POLICY]


def story_rules() -> StoryRules:
    """The story rules from the settings."""
    return StoryRules(settings.ENV.DEDUP_CLOSENESS, newest_leads=policy().newest_leads)


def title_key_lifetime() -> timedelta:
    """Of title and event keys, and of sketches."""
    chosen = policy()
    return (TITLE_WINDOW if chosen.names_events else chosen.window) + MAX_DELAY


def match(*, until: datetime | None = None, on_batch: Callable[[int], None] = lambda n: None) -> StageReport:
    """Match waiting articles, starting no batch after `until`; `on_batch` gets the size of each batch."""
    freeze("match")
    disable_mmap()
    report, chosen, rules = StageReport(), policy(), story_rules()
    while until is None or timezone.now() < until:
        n_matched = match_pending(chosen, rules, now=timezone.now(), report=report)
        if not n_matched:
            break
        on_batch(n_matched)
        release_memory()
    return report


def delete_old_keys(*, now: datetime) -> None:
    """Delete keys and sketches that can't match new articles any more, so that neither grows with the archive.

    Does nothing while articles wait: old ones may be among them, and they need their keys.
    """
    if n_waiting(Stage.MATCH) or n_waiting(Stage.ENRICH):
        return
    for short_lived, lifetime in ((True, title_key_lifetime()), (False, CONTENT_KEY_LIFETIME)):
        last = now - lifetime
        newest = Article.objects.filter(first_seen_at__lt=last).order_by("-pk").values_list("pk", flat=True).first()
        if newest is None:
            continue
        candidates.delete_keys(published_before=last, seen_up_to_id=newest, short_lived=short_lived)
        if short_lived:
            Sketch.objects.filter(article__lte=newest, article__published_at__lt=last).delete()
