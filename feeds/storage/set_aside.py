"""Articles that were set aside because work on them hangs, or fails each time (`feeds.time_limit`)."""

from dataclasses import dataclass

from feeds.models import Article, Feed, Stage, Unindexed
from feeds.storage.work_queue import given_up
from feeds.time_limit import MAX_TRIES


@dataclass(frozen=True, slots=True)
class SetAside:
    """An article without its content, but with the feed it is credited to. `work` couldn't be done: the name of a
    `Stage`, or "INDEX"."""

    article: Article
    work: str


def set_aside(*, limit: int, feed: Feed | None = None) -> list[SetAside]:
    """Articles that were set aside, newest first; of those that `feed` delivered, if given. Two queries."""
    pending = given_up()
    unindexed = Unindexed.objects.filter(n_tries__gte=MAX_TRIES)
    if feed is not None:
        pending = pending.filter(article__items__feed=feed).distinct()
        unindexed = unindexed.filter(article__items__feed=feed).distinct()
    shown = ("article__title", "article__feed__title", "article__feed__url", "stage")
    return [
        *(
            SetAside(row.article, Stage(row.stage).name)
            for row in pending.select_related("article__feed").only(*shown).order_by("-article")[:limit]
        ),
        *(
            SetAside(row.article, "INDEX")
            for row in unindexed.select_related("article__feed").only(*shown[:-1]).order_by("-article")[:limit]
        ),
    ]
