"""How a person's subscriptions are spread over topics, found out by a worker and stored. Loads what topics need."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db.models.functions import Left

from digests.diversity import Followed, Piece, Spread, spread_of
from digests.labels import Member, TopicText, label_topics
from digests.material import READ_CHARACTERS
from digests.models import DiversityReport
from digests.topics.gathering import Document, Gathered, gather
from digests.topics.leads import lead_of
from digests.window import names_in
from feeds.models import Article, Tier
from reader.models import Delivery, Separation, Subscription

WINDOW = timedelta(days=7)
AHEAD = timedelta(hours=24)  # by which a date may lie in the future; SPEC §5
MOST_ARTICLES = 5000  # the newest
N_TOPICS = 12
LABEL_TERMS = 30  # of the centroid, the heaviest
MOST_LABELLED = 30  # members that a topic's label is made of: the lead and the newest
_CHUNK = 1000  # articles read at a time


@dataclass(frozen=True, slots=True)
class _Read:
    """An article with the subscriptions that brought it, the first first."""

    article_id: int
    document: Document
    publisher: str
    feeds: tuple[int, ...]


def make(user: User, *, now: datetime) -> DiversityReport:
    """The report of the user's last seven days, stored in place of the one before."""
    content = found(user, now=now).as_json()
    values = {"made_at": now, "asked_at": None, "content": content}
    return DiversityReport.objects.update_or_create(user=user, defaults=values)[0]


def found(user: User, *, now: datetime) -> Spread:
    """How what came to the user within `WINDOW` is spread; a fixed number of queries and one more for each 1,000."""
    subscriptions = Subscription.objects.filter(user=user).select_related("feed", "folder").in_bulk()
    brought = _brought(user, now, subscriptions)
    n_left_out = max(0, len(brought) - MOST_ARTICLES)
    articles = _read(user, dict(list(brought.items())[:MOST_ARTICLES]))
    followed = {pk: Followed(pk, each.shown_title, str(each.folder or "")) for pk, each in subscriptions.items()}
    if not articles:
        return spread_of([], [], followed)
    gathered = gather([each.document for each in articles], n_topics=min(N_TOPICS, len(articles)))
    topic_of = {place: number for number, group in enumerate(gathered.groups) for place in group}
    pieces = [
        Piece(topic_of[place], each.feeds, each.publisher, each.document.story) for place, each in enumerate(articles)
    ]
    return spread_of(pieces, _labels(articles, gathered, subscriptions), followed, n_left_out=n_left_out)


def _brought(user: User, now: datetime, subscriptions: Mapping[int, Subscription]) -> dict[int, list[int]]:
    """The subscriptions that brought each article, the newest article first. Asked for by all that leads the index of
    the user's list."""
    rows = Delivery.objects.filter(
        user=user,
        is_folded__in=(False, True),
        is_read__in=(False, True),
        published_at__gte=now - WINDOW,
        published_at__lt=now + AHEAD,
    ).order_by("-published_at", "-article", "pk")
    brought: dict[int, list[int]] = {}
    for article, subscription in rows.values_list("article_id", "subscription_id").iterator():
        if subscription in subscriptions:
            brought.setdefault(article, []).append(subscription)
    return brought


def _read(user: User, brought: Mapping[int, Sequence[int]]) -> list[_Read]:
    """What topics are gathered by, in the order of `brought`. What the user took out of its story stands alone."""
    alone = set(Separation.objects.filter(user=user).values_list("article_id", flat=True))
    ids = list(brought)
    read: dict[int, _Read] = {}
    for start in range(0, len(ids), _CHUNK):
        rows = Article.objects.filter(pk__in=ids[start : start + _CHUNK]).values(
            "pk", "title", "language", "story_id", "source__domain", beginning=Left("text", READ_CHARACTERS)
        )
        for row in rows:
            pk = row["pk"]
            read[pk] = _Read(pk, _document(row), row["source__domain"] or "", tuple(brought[pk]))
            if pk in alone:
                read[pk] = replace(read[pk], document=replace(read[pk].document, story=None))
    return [read[pk] for pk in ids if pk in read]


def _document(row: Mapping[str, Any]) -> Document:
    return Document(title=row["title"], text=row["beginning"], language=row["language"], story=row["story_id"])


def _labels(articles: Sequence[_Read], gathered: Gathered, subscriptions: Mapping[int, Subscription]) -> list[str]:
    chosen = [_labelled(gathered, group, len(articles)) for group in gathered.groups]
    names = names_in({articles[place].article_id for places in chosen for place in places})
    texts = []
    for group, places in zip(gathered.groups, chosen, strict=True):
        own = [articles[place] for place in places]
        members = [_member(each, subscriptions, names.get(each.article_id, {})) for each in own]
        texts.append(TopicText(members, gathered.top_terms(group, LABEL_TERMS)))
    return label_topics(texts)


def _labelled(gathered: Gathered, group: Sequence[int], n: int) -> list[int]:
    """The places of the members that a topic is named by: the one in its middle, then the newest."""
    lead = lead_of(gathered, group, importances=[0.0] * n, tiers=[int(Tier.T5)] * n)
    return [lead, *(place for place in sorted(group) if place != lead)][:MOST_LABELLED]


def _member(read: _Read, subscriptions: Mapping[int, Subscription], names: Mapping[str, tuple[str, ...]]) -> Member:
    return Member(
        title=read.document.title,
        text=read.document.text,
        language=read.document.language,
        source=subscriptions[read.feeds[0]].shown_title,
        publisher=read.publisher,
        names=names,
    )
