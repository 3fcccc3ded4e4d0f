"""New entries on their way to stories, by parts: `Installation.run("matching_round")` after `archive`."""

import json
from datetime import datetime
from time import perf_counter, process_time

from django.db import transaction
from django.db.models import Q

from feeds.models import Article, Feed, Link, Story
from feeds.normalizing.draft import Draft
from feeds.normalizing.entry import FeedContext, normalize
from feeds.storage import ingest
from feeds.storage.ingest import Arrival
from feeds.storage.work_queue import StageReport
from feeds.stories.engine import match
from tests.benchmarks import arriving
from tests.benchmarks.archive import NOW, domain_of, feed_url
from tests.benchmarks.arriving import Arrivals, Original, arrivals
from tests.benchmarks.memory import memory
from tests.benchmarks.prose import Prose

SEED = 2  # unlike any archive's, whose seed is its size


def main() -> None:
    came = arrivals(Prose(SEED), _originals(), now=NOW, domains=[domain_of(n) for n in range(arriving.N_FEEDS)])
    feeds = {feed.url: feed for feed in Feed.objects.select_related("source")}
    began, began_cpu = perf_counter(), process_time()
    drafts = [_drafts(feed_url(n), entries) for n, entries in enumerate(came.by_feed)]
    normalized, n_stories = perf_counter(), Story.objects.count()
    ingest_wall, ingest_cpu = perf_counter(), process_time()
    for number, several in enumerate(drafts):
        _ingest(feeds[feed_url(number)], several, now=NOW)
    match_wall, match_cpu = perf_counter(), process_time()
    report = match()
    ended, ended_cpu = perf_counter(), process_time()
    print(
        json.dumps(
            {
                "normalize_seconds": normalized - began,
                "normalize_cpu": ingest_cpu - began_cpu,
                "seconds": {"ingest": match_wall - ingest_wall, **report.seconds},
                "match_seconds": ended - match_wall,
                "ingest_cpu": match_cpu - ingest_cpu,
                "match_cpu": ended_cpu - match_cpu,
                **_counts(report, came),
                "n_stories": Story.objects.count() - n_stories,
                **memory(),
            }
        )
    )


def _originals() -> list[Original]:
    """Archived articles young enough to be copied, as many as may be needed."""
    young = Article.objects.filter(published_at__gte=NOW - arriving.COPIED_WITHIN).order_by("pk")
    ids = list(young.values_list("pk", flat=True))
    chosen = ids[:: max(1, len(ids) // arriving.N_NEW)]
    rows = Article.objects.filter(pk__in=chosen).order_by("pk").values_list("url", "title", "text")
    return [
        Original(url, title, tuple(f"{part}." for part in text.rstrip(".").split(". "))) for url, title, text in rows
    ]


def _drafts(url: str, entries: tuple[arriving.ParsedEntry, ...]) -> list[Draft]:
    context = FeedContext(url=url, link=url, language="en")
    found = (normalize(entry, feed=context, now=NOW) for entry in entries)
    return [draft for draft in found if draft is not None]


def _ingest(feed: Feed, drafts: list[Draft], *, now: datetime) -> None:
    """As a poll stores what it fetched."""
    arrival = Arrival(feed, drafts, now)
    planned = ingest.plan(arrival, ingest.look_up([arrival]))
    with transaction.atomic():
        ingest.write([planned])


def _counts(report: StageReport, came: Arrivals) -> dict[str, int]:
    ids = dict(Article.objects.filter(url__in={url for pair in came.copies for url in pair}).values_list("url", "pk"))
    pairs = {tuple(sorted((ids[one], ids[other]))) for one, other in came.copies}
    touched = {pk for pair in pairs for pk in pair}
    tied = set(Link.objects.filter(Q(one__in=touched) & Q(other__in=touched)).values_list("one", "other"))
    return {
        "n_articles": report.n_articles,
        "n_candidates": report.n_candidates,
        "n_matches": report.n_matches,
        "n_copies": len(pairs),
        "n_copies_found": len(pairs & tied),
    }


if __name__ == "__main__":
    main()
