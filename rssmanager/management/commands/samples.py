"""`manage.py samples`: follows or removes the sample feeds, without internet."""

import json
import sys
from argparse import ArgumentParser
from time import perf_counter
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand
from django.utils import timezone

from feeds.models import Feed, Poll, Story
from reader.management.user_option import add_user_option, user_of
from reader.models import Delivery
from rssmanager.demo.install_samples import begin, followed, remove_samples, take_in
from rssmanager.demo.process import finish


class Command(BaseCommand):
    help = (
        "Follow and process the sample feeds, or remove them. "
        "Needs no network; `demo` shows the same publishers in a separate installation."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_user_option(parser)
        parser.add_argument(
            "--remove", action="store_true", help="unfollow them; they can be restored on the feeds page"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        user = user_of(options)
        summary: dict[str, float] = (
            {"removed": len(remove_samples(user, now=timezone.now()))}
            if options["remove"]
            else self._take(user, quiet=options["json"])
        )
        if options["json"]:
            self.stdout.write(json.dumps(summary))
        elif options["remove"]:
            self.stdout.write(f"{summary['removed']} sample feeds removed.")
        else:
            self.stdout.write(
                f"{summary['feeds']} sample feeds followed: {summary['articles']} articles, "
                f"{summary['stories']} stories, {summary['rated']} rated, in {summary['seconds']:.1f} s."
            )

    def _take(self, user: User, *, quiet: bool) -> dict[str, float]:
        def show(feed: Feed, poll: Poll) -> None:
            if not quiet and sys.stderr.isatty():
                self.stderr.write(f"{poll.n_entries:>4} entries  {feed}")

        began = perf_counter()
        take_in(begin(user, now=timezone.now()), now=timezone.now(), on_poll=show)
        finish(user.pk)
        deliveries = Delivery.objects.filter(user=user, subscription__in=followed(user))
        return {
            "feeds": followed(user).count(),
            "articles": deliveries.values("article").distinct().count(),
            "stories": Story.objects.filter(articles__deliveries__in=deliveries).distinct().count(),
            "rated": deliveries.filter(is_rated=True).count(),
            "seconds": round(perf_counter() - began, 3),
        }
