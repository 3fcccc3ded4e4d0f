"""`python -m tests.feeds.arrivals WORKERS ORDERS [KILLS]`: ingest the corpus in random orders, in separate processes.

With KILLS, a worker that ingests everything is killed (-9) that many times at random points before the others start.

Prints the stories of each order as one line of JSON. Names and vectors are computed once and cached, since they
depend only on the text; everything else runs again for each order, in the database set in the environment.
"""

import json
import os
import random
import signal
import sys
import time

import django

django.setup()

from collections.abc import Sequence  # noqa: E402
from datetime import timedelta  # noqa: E402

from django.db import connection, connections, transaction  # noqa: E402
from django.utils import timezone  # noqa: E402

from feeds.dedup.near_duplicate_policies import POLICIES  # noqa: E402
from feeds.models import Article, Feed, Item, Link, Pending, Sketch, Story, StoryChange  # noqa: E402
from feeds.normalizing.draft import Draft  # noqa: E402
from feeds.storage import work_queue  # noqa: E402
from feeds.storage.work_queue import StageReport  # noqa: E402
from feeds.stories import event_stage  # noqa: E402
from feeds.stories.event_stage import enrich_pending  # noqa: E402
from feeds.stories.near_duplicate_stage import match_pending  # noqa: E402
from feeds.stories.store import StoryRules  # noqa: E402
from tests import make  # noqa: E402
from tests.feeds.storing import store  # noqa: E402
from tests.feeds.story_corpus import DAY, REPORTS  # noqa: E402

NOW = DAY + timedelta(days=1)
Report = tuple[str, Draft]


def cache_models() -> None:
    """Compute the names and vectors of the corpus once, and let the stage look them up."""
    texts = [(draft.title, draft.text, draft.language) for _, draft in REPORTS]
    names = dict(zip(texts, event_stage.names_of(texts), strict=True))
    vectors = dict(zip([text[:2] for text in texts], event_stage.vectors_of([text[:2] for text in texts]), strict=True))
    by_start = {(title, text[: event_stage.READ_CHARACTERS]): (title, text) for title, text, _ in texts}
    event_stage.names_of = lambda batch: [names[(*by_start[title, text], language)] for title, text, language in batch]
    event_stage.vectors_of = lambda batch: [vectors[by_start[text]] for text in batch]


def delete_articles() -> None:
    """Delete all articles and what belongs to them."""
    for model in (StoryChange, Pending, Link, Sketch, Item, Article, Story):
        model.objects.all().delete()
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM feeds_blockingkey")


def ingest_reports(reports: Sequence[Report], chance: random.Random, *, later: timedelta = timedelta(0)) -> None:
    """Store the reports a few at a time, matching and enriching in between and at the end.

    `later` is added to the clock, so that the claims of killed workers expire.
    """
    waiting = list(reports)
    while waiting:
        batch, waiting = waiting[: (n := chance.randint(1, 5))], waiting[n:]
        for name in sorted({feed for feed, _ in batch}):
            feed = Feed.objects.select_related("source").get(title=name)
            drafts = [draft for feed_name, draft in batch if feed_name == name]
            with transaction.atomic():
                store(feed, drafts, now=NOW)
        if chance.random() < 0.6:
            run_stages(1, later)
    run_stages(10_000, later)


def run_stages(n_batches: int, later: timedelta) -> None:
    """Run up to `n_batches` small batches of both stages."""
    rules = StoryRules()
    for _ in range(n_batches):
        now = timezone.now() + later
        n_matched = match_pending(POLICIES["layered"], rules, now=now, report=StageReport(), limit=4)
        n_enriched = enrich_pending(rules, now=now, report=StageReport(), limit=3)
        if not n_matched and not n_enriched:
            return


def run_and_kill(reports: Sequence[Report], seed: int, n_kills: int) -> None:
    """Start one process after another that ingests everything, and kill each before it finishes."""
    connections.close_all()
    chance = random.Random(f"kill-{seed}")
    for number in range(n_kills):
        child = os.fork()
        if child == 0:
            ingest_reports(reports, random.Random(f"{seed}-{number}"))
            os._exit(0)
        time.sleep(chance.uniform(0.02, 0.3))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def run_in_processes(shares: Sequence[Sequence[Report]], seed: int, *, later: timedelta = timedelta(0)) -> None:
    connections.close_all()
    children = []
    for number, share in enumerate(shares):
        child = os.fork()
        if child == 0:
            status = 1
            try:
                ingest_reports(share, random.Random(f"{seed}-{number}"), later=later)
                status = 0
            finally:
                connections.close_all()
                os._exit(status)
        children.append(child)
    for child in children:
        _, status = os.waitpid(child, 0)
        assert status == 0, "a worker failed"


def stories() -> list[list[str]]:
    rows = Article.objects.exclude(story=None).values_list("story_id", "url")
    by_story: dict[int, list[str]] = {}
    for story, url in rows:
        by_story.setdefault(story, []).append(url.rpartition("/")[2].partition("?")[0])
    return [sorted(names) for names in by_story.values()]


def main(n_workers: int, n_orders: int, n_kills: int = 0) -> None:
    cache_models()
    for name in sorted({feed for feed, _ in REPORTS}):
        make.feed(f"https://{name}.example/feed.xml", title=name)
    for seed in range(n_orders):
        delete_articles()
        shuffled = list(REPORTS)
        random.Random(seed).shuffle(shuffled)
        run_and_kill(shuffled, seed, n_kills)
        shares = [shuffled[n::n_workers] for n in range(n_workers)]
        run_in_processes(shares, seed, later=n_kills * work_queue.LEASE)
        assert not Pending.objects.exists(), "something was left waiting"
        sys.stdout.write(json.dumps(stories()) + "\n")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
