"""The order in which the articles of stories would lead them; one query. For lists, story pages and digests."""

from collections import defaultdict
from collections.abc import Collection

from django.db.models.functions import Left

from feeds.dedup.leads import BEGINNING, Report, lead_order
from feeds.models import Article
from feeds.publishers.attribution import ARTICLE_COLUMNS, attribute

_COLUMNS = ("pk", "story_id", "story__lead_id", "title", "beginning", "language", "url", "word_count", "published_at")


def lead_positions(story_ids: Collection[int]) -> dict[int, int]:
    """The position of each article of these stories, 0 for the one that leads.

    Of a user's articles of a story the one with the lowest position leads for them.
    """
    reports: dict[int, list[Report]] = defaultdict(list)
    leads: set[int | None] = set()
    articles = Article.objects.filter(story__in=story_ids).annotate(beginning=Left("text", BEGINNING))
    for row in articles.values_list(*_COLUMNS, *ARTICLE_COLUMNS):
        pk, story, lead, title, beginning, language, url, n_words, published_at, *publisher = row
        tier = attribute(*publisher).tier
        reports[story].append(Report(pk, title, beginning, language, url, tier, n_words, published_at))
        leads.add(lead)
    return {
        pk: position
        for story in reports.values()
        for position, pk in enumerate(sorted(lead_order(story), key=lambda pk: pk not in leads))
    }
