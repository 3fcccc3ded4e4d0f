"""The stages behind a poll set up from the settings: what tasks and commands call. Loads what comparing needs."""

from collections.abc import Callable
from datetime import datetime, timedelta

from django.conf import settings
from django.utils import timezone

from feeds import blocking
from feeds.dedup.policies import CONTENT_WINDOW, POLICIES, TITLE_WINDOW, Policy
from feeds.garbage import settle
from feeds.matching import match_pending
from feeds.models import Article, Sketch, Stage
from feeds.pending import StageReport, n_waiting
from feeds.stories import StoryRules

LATE = timedelta(days=4)  # by which one copy may come after the other beyond the window and still meet its keys
KEPT = CONTENT_WINDOW + LATE  # keys of contents, after publication and after arrival
SHORT_KEPT = TITLE_WINDOW + LATE  # keys of titles and events, and sketches, likewise


def policy() -> Policy:
    """The policy that the environment chose."""
    return POLICIES[settings.ENV.DEDUP_POLICY]


def story_rules() -> StoryRules:
    """How stories are made here."""
    return StoryRules(settings.ENV.DEDUP_CLOSENESS, newest_leads=policy().newest_leads)


def match(*, until: datetime | None = None, on_batch: Callable[[int], None] = lambda n: None) -> StageReport:
    """Match what waits, taking nothing new after `until`; `on_batch` hears how many articles each batch had."""
    settle("match")
    report, chosen, rules = StageReport(), policy(), story_rules()
    while until is None or timezone.now() < until:
        n_matched = match_pending(chosen, rules, now=timezone.now(), report=report)
        if not n_matched:
            break
        on_batch(n_matched)
    return report


def forget_keys(*, now: datetime) -> None:
    """Drop keys and sketches that can match nothing new, so that neither grows with the archive.

    Not while articles wait: old ones may be among them, whose keys are wanted until they are through.
    """
    if n_waiting(Stage.MATCH) or n_waiting(Stage.ENRICH):
        return
    for short_lived, kept in ((True, SHORT_KEPT), (False, KEPT)):
        last = now - kept
        newest = Article.objects.filter(first_seen_at__lt=last).order_by("-pk").values_list("pk", flat=True).first()
        if newest is None:
            continue
        blocking.forget_keys(published_before=last, seen_up_to_id=newest, short_lived=short_lived)
        if short_lived:
            Sketch.objects.filter(article__lte=newest, article__published_at__lt=last).delete()
