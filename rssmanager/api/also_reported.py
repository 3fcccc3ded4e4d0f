"""“Also reported by …”: where else the user's feeds have an article's story, as a line below its text.

Apps show a story once and don't know what is folded under it. The line is the only way there from within an app.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef
from django.template.loader import render_to_string

from feeds.models import Article
from reader.articles.enclosures import web_address
from reader.models import Delivery, Quiet, Separation
from reader.models.subscription import NAME_COLUMNS

NAMED = 8  # sources; the story page has all


class Report(NamedTuple):
    """An article of another source; `link` is "" if it has no web address."""

    source: str
    link: str


def also_reported(user: User, articles: Mapping[int, Article]) -> dict[int, list[Report]]:
    """By article, the earliest report of each other source of its story; one query, or none without stories.

    Articles that the user removed from their story have none and are none.
    """
    stories = {article.story_id for article in articles.values() if article.story_id is not None}
    members = _load(user, stories) if stories else {}
    found: dict[int, list[Report]] = {}
    for pk, article in articles.items():
        story = members.get(article.story_id or 0, {})
        by_source: dict[str, Report] = {}
        for reports in story.values() if pk in story else ():
            for source, report in reports.items():
                by_source.setdefault(source, report)
        if others := [report for source, report in by_source.items() if source not in story[pk]]:
            found[pk] = others
    return found


def as_html(reports: Sequence[Report]) -> str:
    """The line, in the active language."""
    return render_to_string("api/also_reported.html", {"reports": reports[:NAMED]})


def _load(user: User, stories: Collection[int]) -> dict[int, dict[int, dict[str, Report]]]:
    """By story, article (earliest first) and source: the reports of the user's feeds."""
    inside = Article.objects.filter(story__in=stories)  # as a subquery, or SQLite scans all deliveries of the user
    apart = Separation.objects.filter(user=user, article=OuterRef("article"))
    deliveries = (
        Delivery.objects.filter(~Exists(apart), user=user, quiet=Quiet.NOT, article__in=inside.values("pk"))
        .select_related("article", "subscription__feed__publisher")
        .only(
            "article__story_id",
            "article__url",
            "article__canonical_url",
            "subscription__title",
            *(f"subscription__{column}" for column in NAME_COLUMNS),
        )
        .order_by("published_at", "article", "pk")
    )
    members: defaultdict[int, dict[int, dict[str, Report]]] = defaultdict(dict)
    for delivery in deliveries:
        article, source = delivery.article, delivery.subscription.source_name
        of_story = members[article.story_id or 0]
        of_story.setdefault(article.pk, {})[source] = Report(source, web_address(article.link))
    return members
