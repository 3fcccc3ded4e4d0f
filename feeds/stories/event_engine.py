"""Runs the event stage with the current settings. Loads spaCy and numpy, so the web process must not import it."""

from collections.abc import Callable
from datetime import datetime

from django.conf import settings
from django.utils import timezone

from feeds.storage.memory import disable_mmap, freeze, limit_page_cache, release_memory
from feeds.storage.work_queue import StageReport
from feeds.stories.engine import policy, story_rules
from feeds.stories.event_stage import enrich_pending


def enrich(*, until: datetime | None = None, on_batch: Callable[[int], None] = lambda n: None) -> StageReport:
    """Enrich waiting articles, starting no batch after `until`; `on_batch` gets the size of each batch."""
    freeze("enrich")
    disable_mmap()
    limit_page_cache()
    report = StageReport()
    while policy().names_events and (until is None or timezone.now() < until):
        n_enriched = enrich_pending(
            story_rules(), now=timezone.now(), report=report, with_meaning=settings.ENV.DEDUP_MEANING
        )
        if not n_enriched:
            break
        on_batch(n_enriched)
        release_memory()
    return report
