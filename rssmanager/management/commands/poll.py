"""`manage.py poll`: the whole way from publisher to subscriber, once, in this process."""

import json
import sys
from argparse import ArgumentParser
from collections.abc import Callable
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from feeds import checkup
from feeds.claiming import make_due
from feeds.deduplication import match
from feeds.enrichment import enrich
from feeds.models import Feed, FeedStatus, Poll
from feeds.pending import StageReport
from feeds.polling import PollReport
from feeds.search.stage import index_waiting
from feeds.worker import poll_due
from reader.delivery import deliver
from reader.folding import fold_changes
from reader.notifications import announce
from reader.rating import mark_changed, rate_waiting
from reader.standings import refresh_recent
from reader.subscriptions import settle_merged_feeds


class Command(BaseCommand):
    help = "Poll the feeds that are due (or all, or these) now, in this process, and deliver and rate what is new."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--all", action="store_true", help="every active feed, due or not")
        parser.add_argument("--feed", action="append", metavar="URL", default=[], help="this feed; may be repeated")
        parser.add_argument(
            "--no-events",
            action="store_true",
            help="leave it to the worker to find out who reports the same events, which takes longest",
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        now = timezone.now()
        only = self._wanted(options["feed"])
        if only is not None:
            make_due(Feed.objects.filter(pk__in=only), now)
        elif options["all"]:
            make_due(Feed.objects.all(), now)
        quiet = options["json"] or not sys.stderr.isatty()
        report = poll_due(only=only, on_poll=_silent if quiet else self._show)
        index_waiting(on_batch=_silent if quiet else self._count("Indexed"))
        matched = match(on_batch=_silent if quiet else self._count("Compared"))
        enriched = StageReport() if options["no_events"] else enrich(on_batch=_silent if quiet else self._count("Read"))
        settle_merged_feeds()
        n_delivered = deliver()
        while fold_changes():
            pass
        announce()
        checkup.refresh_scores(now=timezone.now(), since=now)
        refresh_recent(now=timezone.now())
        mark_changed(now=timezone.now())
        n_rated = rate_waiting(on_batch=_silent if quiet else self._count("Rated"))
        words = _as_json if options["json"] else _in_words
        self.stdout.write(words(report, matched, enriched, n_delivered, n_rated))

    def _wanted(self, urls: list[str]) -> list[int] | None:
        if not urls:
            return None
        found = {
            bytes(key): pk for key, pk in Feed.objects.filter(status=FeedStatus.ACTIVE).values_list("url_key", "pk")
        }
        missing = [url for url in urls if Feed.key_of(url) not in found]
        if missing:
            raise CommandError(f"Not an active feed here: {', '.join(missing)}. Follow it first with `subscribe`.")
        return [found[Feed.key_of(url)] for url in urls]

    def _count(self, verb: str) -> Callable[[int], None]:
        total = 0

        def on_batch(n: int) -> None:
            nonlocal total
            total += n
            self.stderr.write(f"{verb} {total} new articles")

        return on_batch

    def _show(self, feed: Feed, poll: Poll) -> None:
        self.stderr.write(f"{poll.get_outcome_display():<22} {poll.n_new:>4} new  {feed}")


def _silent(*args: object) -> None:
    """No progress where nobody watches."""


def _as_json(report: PollReport, matched: StageReport, enriched: StageReport, n_delivered: int, n_rated: int) -> str:
    return json.dumps(
        {
            "feeds": report.n_feeds,
            "outcomes": dict(report.outcomes),
            "new": report.n_new,
            "duplicates": report.n_duplicates,
            "revised": report.n_revised,
            "malformed": report.n_malformed,
            "matched": matched.n_articles,
            "near_ties": matched.n_ties,
            "enriched": enriched.n_articles,
            "event_ties": enriched.n_ties,
            "delivered": n_delivered,
            "rated": n_rated,
            "seconds": round(report.seconds, 3),
            "stage_seconds": {stage: round(spent, 3) for stage, spent in report.stages.items()},
        }
    )


def _in_words(report: PollReport, matched: StageReport, enriched: StageReport, n_delivered: int, n_rated: int) -> str:
    outcomes = ", ".join(f"{n} {outcome.replace('_', ' ')}" for outcome, n in report.outcomes.most_common())
    return (
        f"{report.n_feeds} feeds polled in {report.seconds:.1f} s ({outcomes or 'nothing was due'}): "
        f"{report.n_new} new articles, {report.n_duplicates} known from elsewhere, {report.n_revised} revised, "
        f"{report.n_malformed} malformed entries; {matched.n_ties} pairs of near-copies and {enriched.n_ties} of "
        f"reports on one event; {n_delivered} delivered, {n_rated} rated."
    )
