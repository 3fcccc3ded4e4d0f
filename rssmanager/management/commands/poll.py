"""`manage.py poll`: runs the whole pipeline once, in this process."""

import json
import sys
from argparse import ArgumentParser
from collections.abc import Callable
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from feeds.models import Feed, FeedStatus, Poll
from feeds.polling import housekeeping
from feeds.polling.engine import poll_due
from feeds.polling.leases import make_due
from feeds.polling.poller import PollReport
from feeds.search.indexer import index_waiting
from feeds.storage.work_queue import StageReport
from feeds.tasks.icons import fetch_icons
from reader.scoring.source_signals import refresh_recent
from reader.stories.collapse import fold_queued
from reader.subscriptions.delivery import deliver
from reader.subscriptions.follow import move_merged_subscriptions
from reader.subscriptions.notifications import notify_subscribers


class Command(BaseCommand):
    help = "Poll due feeds (or all, or the given ones) in this process, and deliver and rate new articles."
    requires_system_checks = ()  # they load every page: half a second

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--all", action="store_true", help="poll all active feeds, due or not")
        parser.add_argument("--feed", action="append", metavar="URL", default=[], help="poll this feed; repeatable")
        parser.add_argument(
            "--no-events",
            action="store_true",
            help="leave event detection, which takes longest, to the worker",
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
        # These load numpy and scipy, for which the first feed shouldn't wait.
        from feeds.stories.engine import match
        from feeds.stories.event_engine import enrich
        from reader.scoring.rate import rate_waiting

        index_waiting(on_batch=_silent if quiet else self._count("Indexed"))
        matched = match(on_batch=_silent if quiet else self._count("Compared"))
        enriched = (
            StageReport() if options["no_events"] else enrich(on_batch=_silent if quiet else self._count("Analyzed"))
        )
        move_merged_subscriptions()
        n_delivered = deliver()
        while fold_queued():
            pass
        notify_subscribers()
        housekeeping.refresh_scores(now=timezone.now(), since=now)
        fetch_icons()
        refresh_recent(now=timezone.now())
        n_rated = rate_waiting(on_batch=_silent if quiet else self._count("Rated"))
        render = _as_json if options["json"] else _as_text
        self.stdout.write(render(report, matched, enriched, n_delivered, n_rated))

    def _wanted(self, urls: list[str]) -> list[int] | None:
        if not urls:
            return None
        feeds_by_key = {
            bytes(key): pk for key, pk in Feed.objects.filter(status=FeedStatus.ACTIVE).values_list("url_key", "pk")
        }
        missing = [url for url in urls if Feed.key_of(url) not in feeds_by_key]
        if missing:
            raise CommandError(f"Not an active feed here: {', '.join(missing)}. Follow it first with `subscribe`.")
        return [feeds_by_key[Feed.key_of(url)] for url in urls]

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
    """Shows no progress."""


def _as_json(report: PollReport, matched: StageReport, enriched: StageReport, n_delivered: int, n_rated: int) -> str:
    return json.dumps(
        {
            "feeds": report.n_feeds,
            "outcomes": dict(report.outcomes),
            "new": report.n_new,
            "duplicates": report.n_duplicates,
            "revised": report.n_revised,
            "malformed": report.n_malformed,
            "left_out": report.n_left_out,
            "matched": matched.n_articles,
            "near_ties": matched.n_matches,
            "enriched": enriched.n_articles,
            "event_ties": enriched.n_matches,
            "delivered": n_delivered,
            "rated": n_rated,
            "seconds": round(report.seconds, 3),
            "stage_seconds": {stage: round(spent, 3) for stage, spent in report.stages.items()},
        }
    )


def _as_text(report: PollReport, matched: StageReport, enriched: StageReport, n_delivered: int, n_rated: int) -> str:
    outcomes = ", ".join(f"{n} {outcome.replace('_', ' ')}" for outcome, n in report.outcomes.most_common())
    return (
        f"{report.n_feeds} feeds polled in {report.seconds:.1f} s ({outcomes or 'none were due'}): "
        f"{report.n_new} new articles, {report.n_duplicates} duplicates, {report.n_revised} revised, "
        f"{report.n_malformed} malformed and {report.n_left_out} left out; {matched.n_matches} pairs of near-copies "
        f"and {enriched.n_matches} of reports on one event; {n_delivered} delivered, {n_rated} rated."
    )
