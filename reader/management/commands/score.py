"""`manage.py score`: assess and rate everything anew, or rate what one person has."""

import json
from argparse import ArgumentParser
from collections.abc import Callable
from time import perf_counter
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand
from django.utils import timezone

from reader.assessing import assess
from reader.management.whose import user_of
from reader.models import Assessment
from reader.queries import important_page
from reader.rating import mark_all, rate_waiting
from reader.scoring.self_check import Anomaly
from reader.self_checking import check_most_important

SHOWN = 5  # of the most important
CHUNK = 1000  # articles assessed between two words of progress


class Command(BaseCommand):
    help = (
        "Assess and rate every article anew, and say what is most important. "
        "The worker does what is due by itself; this is for changes of rules and settings."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--user", metavar="NAME", help="rate this user's alone (default: everybody's)")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        user = user_of(options) if options["user"] else None
        is_watched = self.stderr.isatty() and not options["json"]
        began = perf_counter()
        if user is None:
            self._assess(self._count("assessed") if is_watched else lambda n: None)
        mark_all(user)
        n_rated = rate_waiting(on_batch=self._count("rated") if is_watched else lambda n: None)
        seconds = perf_counter() - began
        people = [user] if user else list(User.objects.filter(subscriptions__isnull=False).distinct().order_by("pk"))
        found = {each.get_username(): self._top(each) for each in people}
        if options["json"]:
            self.stdout.write(json.dumps({"rated": n_rated, "seconds": round(seconds, 3), "users": found}))
            return
        self.stdout.write(f"{n_rated:,} articles of people's lists rated in {seconds:.1f} s.")
        for name, top in found.items():
            self.stdout.write(f"\n{name}")
            for each in top["articles"]:
                self.stdout.write(f"{each['points']:>4}  {each['title']} ({each['source']})")
            if top["anomaly"]:
                self.stdout.write(f"      {top['anomaly']}")

    def _assess(self, on_batch: Callable[[int], None]) -> None:
        ids = list(Assessment.objects.order_by("pk").values_list("pk", flat=True))
        for start in range(0, len(ids), CHUNK):
            on_batch(assess(ids[start : start + CHUNK], now=timezone.now()))

    def _top(self, user: User) -> dict[str, Any]:
        now = timezone.now()
        rows = important_page(user, None, now=now, size=SHOWN).rows
        articles = [
            {"id": row.article.pk, "points": row.rating.points, "title": row.article.title, "source": row.source}
            for row in rows
            if row.rating
        ]
        anomaly: Anomaly | None = check_most_important(user, now=now)
        return {"articles": articles, "anomaly": anomaly.sentence if anomaly else ""}

    def _count(self, done: str) -> Callable[[int], None]:
        total = 0

        def on_batch(n: int) -> None:
            nonlocal total
            total += n
            self.stderr.write(f"{total:,} {done}")

        return on_batch
