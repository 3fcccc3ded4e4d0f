"""A hostile feed polled, matched and enriched, as one worker does: `Installation.run("hostile_feed_round", polls)`."""

import argparse
import json
from time import perf_counter, process_time

from django.db import connection
from django.utils import timezone

from feeds.models import Article, Feed, FeedStatus, Link, Source, Story
from feeds.polling.engine import ingest_samples
from feeds.stories.engine import match
from feeds.stories.event_engine import enrich
from tests.benchmarks.memory import memory
from tests.feeds.hostile_feed import HostileFeed

ADDRESS = "https://port.example/feed.xml"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("n_polls", type=int)
    n_polls = parser.parse_args().n_polls
    source = Source.objects.create(domain="port.example")
    feed = Feed.objects.create(url=ADDRESS, url_key=Feed.key_of(ADDRESS), source=source, status=FeedStatus.SAMPLE)
    publisher, seconds = HostileFeed(now=timezone.now()), {"poll": 0.0, "match": 0.0, "enrich": 0.0}
    n_pairs = n_matched = n_enriched = 0
    peaks = []
    began = perf_counter()
    for _ in range(n_polls):
        began_cpu = process_time()
        Feed.objects.filter(pk=feed.pk).update(next_poll_at=timezone.now())
        ingest_samples([feed.pk], publisher)
        polled_cpu, stages = process_time(), {"polled_mb": memory()["peak_mb"]}
        seconds["poll"] += polled_cpu - began_cpu
        matched = match()
        matched_cpu, stages["matched_mb"] = process_time(), memory()["peak_mb"]
        seconds["match"] += matched_cpu - polled_cpu
        enriched = enrich()
        seconds["enrich"] += process_time() - matched_cpu
        n_pairs += matched.n_candidates + enriched.n_candidates
        n_matched += matched.n_articles
        n_enriched += enriched.n_articles
        peaks.append({name: round(megabytes) for name, megabytes in (*stages.items(), *memory().items())})
    print(
        json.dumps(
            {
                "vendor": connection.vendor,
                "cpu": seconds,
                "wall": perf_counter() - began,
                "n_articles": Article.objects.count(),
                "n_matched": n_matched,
                "n_enriched": n_enriched,
                "n_unmatched": Article.objects.filter(is_unmatched=True).count(),
                "n_pairs": n_pairs,
                "n_links": Link.objects.count(),
                "n_stories": Story.objects.count(),
                "peaks": peaks,
                **memory(),
            }
        )
    )


if __name__ == "__main__":
    main()
