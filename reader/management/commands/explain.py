"""`manage.py explain`: why an article scores what it scores for a user."""

import json
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from feeds.models import Article
from feeds.normalizing.canonical_url import url_key
from reader.access import visible_articles
from reader.explaining import Explanation, as_json, explain
from reader.management.whose import add_user_option, user_of

_WIDTH = 20  # characters of the bars


class Command(BaseCommand):
    help = "Say why an article scores what it scores for a user: the five parts, their weights and evidence."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("article", metavar="ARTICLE", help="its number, or its address")
        add_user_option(parser)
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        user = user_of(options)
        article = self._article(options["article"], visible_articles(user))
        found = explain(user, article, now=timezone.now())
        if found is None:
            raise CommandError("This article was not assessed yet. The worker does so within minutes, `score` at once.")
        self.stdout.write(json.dumps(as_json(found), ensure_ascii=False) if options["json"] else in_words(found))

    def _article(self, wanted: str, visible: Any) -> Article:
        chosen = (
            {"pk": int(wanted)}
            if wanted.isascii() and wanted.isdigit()
            else {"url_key": url_key(wanted, frozenset(settings.ENV.FETCH_EXTRA_TRACKERS))}
        )
        article: Article | None = visible.select_related("source", "feed", "story__lead").filter(**chosen).first()
        if article is None:
            raise CommandError(f"The user's feeds brought no article {wanted}.")
        return article


def in_words(found: Explanation) -> str:
    """The explanation for a terminal."""
    lines = [f"{found.points}  {found.title}", ""]
    for part in found.parts:
        bar = ("█" * round(part.points / 100 * _WIDTH)).ljust(_WIDTH, "·")
        share = f"{part.points:5.1f} × {part.weight:.2f} = {part.contribution:4.1f}"
        lines.append(f"{part.name:<14} {bar} {share}  {part.sentence}")
    if found.relevance.terms:
        lines += ["", "What carried relevance:"]
        lines += [f"{each.share:+8.2f}  {each.term}" for each in found.relevance.terms]
    ageing = found.sensitivity
    lines += [
        "",
        f"Time sensitivity: {ageing.name}, {ageing.lasting} (confidence {ageing.confidence}, says"
        f" {ageing.judge_words}). {ageing.explanation}",
        f"Time-adjusted relevance now: {found.adjusted:.1f}",
    ]
    if found.stands_under:
        lines.append(f"It stands under {found.stands_under[0]!r} ({found.stands_under[1]}), of which it is a copy.")
    return "\n".join(lines)
