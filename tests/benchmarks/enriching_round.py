"""Layer 5 for some of the entries that were matched: `Installation.run("enriching_round", n)` after `matching_round`.

Loading the models is timed by itself, before the first batch.
"""

import argparse
import json
from time import perf_counter, process_time

from django.conf import settings
from django.utils import timezone

from feeds.dedup.embeddings import vectors_of
from feeds.dedup.entity_models import names_of
from feeds.storage.work_queue import StageReport
from feeds.stories.engine import story_rules
from feeds.stories.event_stage import BATCH, enrich_pending
from tests.benchmarks.memory import memory


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("n_articles", type=int)
    n_wanted = parser.parse_args().n_articles
    with_meaning = settings.ENV.DEDUP_MEANING
    began = perf_counter()
    names_of([("The town hall opens", "It was rebuilt in a year.", "en")])
    if with_meaning:
        vectors_of([("The town hall opens", "It was rebuilt in a year.")])
    loaded, loaded_cpu, report = perf_counter(), process_time(), StageReport()
    while report.n_articles < n_wanted:
        limit = min(BATCH, n_wanted - report.n_articles)
        if not enrich_pending(story_rules(), now=timezone.now(), report=report, limit=limit, with_meaning=with_meaning):
            break
    print(
        json.dumps(
            {
                "load_seconds": loaded - began,
                "total_seconds": perf_counter() - loaded,
                "cpu": process_time() - loaded_cpu,
                "seconds": dict(report.seconds),
                "n_articles": report.n_articles,
                "n_candidates": report.n_candidates,
                "n_matches": report.n_matches,
                "n_stories": report.n_stories,
                **memory(),
            }
        )
    )


if __name__ == "__main__":
    main()
