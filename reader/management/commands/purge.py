"""`manage.py purge [--feed URL …] [--dry-run] [--json]`."""

import json
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from feeds.discovery.feed_address import InvalidAddress, feed_address
from feeds.models import Feed
from reader.subscriptions.purge import Purged, purge, retention_rule, would_purge


class Command(BaseCommand):
    help = (
        "Delete articles past RETENTION_DAYS, RETENTION_ITEMS or the feeds' own limits now. "
        "Workers do so once a day for each feed."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--feed", metavar="URL", action="append", help="only this feed; can be repeated")
        parser.add_argument("--dry-run", action="store_true", help="change nothing; show how much would be deleted")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        feeds = [_feed_at(url) for url in options["feed"]] if options["feed"] else Feed.objects.order_by("pk")
        now, done = timezone.now(), Purged()
        for feed in feeds:
            if retention_rule(feed).is_limited:
                done += would_purge(feed, now=now) if options["dry_run"] else purge(feed, now=now)
                if self.stderr.isatty():
                    self.stderr.write(f"\r{done.n_feeds:,} feeds, {done.n_articles:,} articles", ending="")
        if self.stderr.isatty():
            self.stderr.write("")
        if options["json"]:
            self.stdout.write(json.dumps(asdict(done)))
        elif not done.n_feeds:
            self.stdout.write("No retention limit is set: neither RETENTION_DAYS, RETENTION_ITEMS nor the feeds' own.")
        else:
            verb = "would be deleted" if options["dry_run"] else "deleted"
            self.stdout.write(
                f"{done.n_articles:,} articles of {done.n_feeds:,} feeds {verb}, "
                f"as {done.n_items:,} deliveries; {done.n_held:,} are kept because of stars, tags or recent actions."
            )


def _feed_at(url: str) -> Feed:
    try:
        return Feed.objects.get(url_key=Feed.key_of(feed_address(url)))
    except InvalidAddress as error:
        raise CommandError(f"{url}: {error}") from error
    except Feed.DoesNotExist as error:
        raise CommandError(f"{url}: no such feed.") from error
