"""`manage.py samples`: look around with the sample feeds, in an ordinary reader and without internet."""

import json
import sys
from argparse import ArgumentParser
from time import perf_counter
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand
from django.utils import timezone

from feeds.models import Feed, Poll, Story
from reader.management.whose import add_user_option, user_of
from reader.models import Delivery
from rssmanager.demo.finishing import finish
from rssmanager.demo.taking import begin, followed, leave_samples, take_in


class Command(BaseCommand):
    help = (
        "Follow the sample feeds and do here and now all that makes a filled reader of them, or leave them. "
        "No network has a part in it; `demo` shows the same publishers in a reader of its own."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_user_option(parser)
        parser.add_argument("--remove", action="store_true", help="leave them; the reader's feeds page can undo it")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        user = user_of(options)
        found = self._leave(user) if options["remove"] else self._take(user, quiet=options["json"])
        if options["json"]:
            self.stdout.write(json.dumps(found))
        elif options["remove"]:
            self.stdout.write(f"{found['left']} sample feeds left.")
        else:
            self.stdout.write(
                f"{found['feeds']} sample feeds followed: {found['articles']} articles, {found['stories']} stories, "
                f"{found['rated']} rated, in {found['seconds']:.1f} s."
            )

    def _leave(self, user: User) -> dict[str, float]:
        parting = leave_samples(user, now=timezone.now())
        return {"left": len(parting.names) if parting else 0}

    def _take(self, user: User, *, quiet: bool) -> dict[str, float]:
        def show(feed: Feed, poll: Poll) -> None:
            if not quiet and sys.stderr.isatty():
                self.stderr.write(f"{poll.n_entries:>4} entries  {feed}")

        began = perf_counter()
        take_in(begin(user, now=timezone.now()), now=timezone.now(), on_poll=show)
        finish(user.pk)
        brought = Delivery.objects.filter(user=user, subscription__in=followed(user))
        return {
            "feeds": followed(user).count(),
            "articles": brought.values("article").distinct().count(),
            "stories": Story.objects.filter(articles__deliveries__in=brought).distinct().count(),
            "rated": brought.filter(is_rated=True).count(),
            "seconds": round(perf_counter() - began, 3),
        }
