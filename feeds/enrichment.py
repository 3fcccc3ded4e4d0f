"""The enriching stage set up from the settings. Whoever imports this loads spaCy and numpy: workers, never the web."""

from collections.abc import Callable
from datetime import datetime

from django.conf import settings
from django.utils import timezone

from feeds.deduplication import policy, story_rules
from feeds.enriching import enrich_pending
from feeds.garbage import settle
from feeds.pending import StageReport


def enrich(*, until: datetime | None = None, on_batch: Callable[[int], None] = lambda n: None) -> StageReport:
    """Enrich what waits, taking nothing new after `until`; `on_batch` hears how many articles each batch had."""
    settle("enrich")
    report = StageReport()
    while policy().names_events and (until is None or timezone.now() < until):
        n_enriched = enrich_pending(
            story_rules(), now=timezone.now(), report=report, with_meaning=settings.ENV.DEDUP_MEANING
        )
        if not n_enriched:
            break
        on_batch(n_enriched)
    return report
