"""`manage.py subscribe URL`."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from feeds.models import Feed
from feeds.polling.engine import make_fetcher, poll_due
from feeds.polling.leases import make_due
from reader.errors import LimitReached, NothingToFollow
from reader.management.user_option import add_user_option, user_of
from reader.subscriptions.delivery import deliver
from reader.subscriptions.discovery import create_feed, find_feeds
from reader.subscriptions.follow import follow
from reader.subscriptions.make_folders import folder_named


class Command(BaseCommand):
    help = "Follow the feed at a URL or of a site, and poll it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("url", metavar="URL", help="URL of a feed or site")
        parser.add_argument("--folder", metavar="NAME", default="", help="folder; created if missing")
        add_user_option(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        user, now = user_of(options), timezone.now()
        fetcher = make_fetcher()
        try:
            found = find_feeds(options["url"], fetcher=fetcher, now=now)
        except NothingToFollow as error:
            raise CommandError(str(error)) from error
        finally:
            fetcher.close()
        feed = create_feed(found[0], now=now, default_max_items=settings.ENV.FETCH_MAX_ITEMS)
        try:
            subscription, is_new = follow(user, feed, folder=folder_named(user, options["folder"]))
        except LimitReached as error:
            raise CommandError(str(error)) from error
        make_due(Feed.objects.filter(pk=subscription.feed_id), now)
        report = poll_due(only=[subscription.feed_id])
        deliver()
        done = "Following" if is_new else "Already following"
        self.stdout.write(
            f"{done} {subscription.shown_title} ({subscription.feed.shown_url}), {report.n_new} new articles."
        )
