"""`manage.py score`: assess and rate everything again, or rate one user's articles."""

import json
from argparse import ArgumentParser
from collections.abc import Callable
from time import perf_counter
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand
from django.utils import timezone

from reader.lists.queries import important_page
from reader.lists.self_check import check_most_important
from reader.management.user_option import user_of
from reader.models import Assessment
from reader.scoring.assess import assess
from reader.scoring.rate import mark_all, rate_waiting
from reader.scoring.self_check import Anomaly

SHOWN = 5  # of the most important articles
CHUNK = 1000  # articles assessed between two progress messages


class Command(BaseCommand):
    help = (
        "Assess and rate every article again, and show the most important ones. "
        "Workers do so when needed; run this after changing rules or settings."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--user", metavar="NAME", help="only rate this user's articles (default: everyone's)")
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
        users = [user] if user else list(User.objects.filter(subscriptions__isnull=False).distinct().order_by("pk"))
        results = {user.get_username(): self._top(user) for user in users}
        if options["json"]:
            self.stdout.write(json.dumps({"rated": n_rated, "seconds": round(seconds, 3), "users": results}))
            return
        self.stdout.write(f"{n_rated:,} list entries rated in {seconds:.1f} s.")
        for name, top in results.items():
            self.stdout.write(f"\n{name}")
            for article in top["articles"]:
                self.stdout.write(f"{article['points']:>4}  {article['title']} ({article['source']})")
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
