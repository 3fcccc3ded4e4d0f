"""`manage.py explain`: why an article has its score for a user."""

import json
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from feeds.models import Article
from feeds.normalizing.canonical_url import url_key
from reader.access import visible_articles
from reader.management.user_option import add_user_option, user_of
from reader.scoring.explain import Explanation, as_json, explain

_WIDTH = 20  # characters of the bars


class Command(BaseCommand):
    help = "Explain an article's score for a user: the five parts, their weights and evidence."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("article", metavar="ARTICLE", help="its id or URL")
        add_user_option(parser)
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        user = user_of(options)
        article = self._article(options["article"], visible_articles(user))
        found = explain(user, article, now=timezone.now())
        if found is None:
            raise CommandError(
                "This article hasn't been assessed yet. A worker does so within minutes; `score` does it now."
            )
        self.stdout.write(json.dumps(as_json(found), ensure_ascii=False) if options["json"] else in_words(found))

    def _article(self, wanted: str, visible: Any) -> Article:
        chosen = (
            {"pk": int(wanted)}
            if wanted.isascii() and wanted.isdigit()
            else {"url_key": url_key(wanted, frozenset(settings.ENV.FETCH_EXTRA_TRACKERS))}
        )
        article: Article | None = visible.select_related("source", "feed", "story__lead").filter(**chosen).first()
        if article is None:
            raise CommandError(f"The user has no article {wanted}.")
        return article


def in_words(found: Explanation) -> str:
    """The explanation for a terminal."""
    lines = [f"{found.points}  {found.title}", ""]
    for part in found.parts:
        bar = ("█" * round(part.points / 100 * _WIDTH)).ljust(_WIDTH, "·")
        share = f"{part.points:5.1f} × {part.weight:.2f} = {part.contribution:4.1f}"
        lines.append(f"{part.name:<14} {bar} {share}  {part.sentence}")
    if found.relevance.terms:
        lines += ["", "Top contributions to relevance:"]
        lines += [f"{term.share:+8.2f}  {term.term}" for term in found.relevance.terms]
    sensitivity = found.sensitivity
    lines += [
        "",
        f"Time sensitivity: {sensitivity.name}, {sensitivity.lasting} (confidence {sensitivity.confidence}, says"
        f" {sensitivity.judge_words}). {sensitivity.explanation}",
        f"Time-adjusted relevance now: {found.adjusted:.1f}",
    ]
    if found.stands_under:
        lines.append(f"It is a copy of {found.stands_under[0]!r} ({found.stands_under[1]}) and grouped under it.")
    return "\n".join(lines)
