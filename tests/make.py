"""Factories of database rows for tests, with defaults for everything a test doesn't care about."""

import itertools
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone

from feeds.fetching.credentials import is_secret_address
from feeds.models import Article, Disposition, Feed, Item, Link, Poll, PollOutcome, Source, Story
from reader.articles.arrivals import arrival_at
from reader.lists.mark_all_read import packed
from reader.models import (
    BulkRead,
    Delivery,
    Engagement,
    Folder,
    Import,
    ImportKind,
    InterestTerm,
    Muted,
    Notification,
    RelevanceModel,
    Rule,
    Subscription,
    Tag,
    TaggedArticle,
)
from reader.rules.conditions import Comparison, Condition, Conditions, Field

NOW = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)
_numbers = itertools.count(1)  # restarts at one in each test


def fresh_number() -> int:
    """A number not used before in this test."""
    return next(_numbers)


def user(name: str = "", **values: Any) -> User:
    return User.objects.create_user(name or f"reader{fresh_number()}", password="correct horse", **values)


def source(domain: str = "", **values: Any) -> Source:
    return Source.objects.get_or_create(domain=domain or f"paper{fresh_number()}.example", defaults=values)[0]


def feed(url: str = "", **values: Any) -> Feed:
    url = url or f"https://paper{fresh_number()}.example/feed.xml"
    domain = url.split("/")[2].partition(":")[0]
    shared = {"title": f"Feed of {domain}", "next_poll_at": NOW, "is_private": is_secret_address(url)}
    values = shared | values
    values.setdefault("source", source(domain))
    values.setdefault("publisher", values["source"])
    return Feed.objects.create(url=url, url_key=Feed.key_of(url), **values)


def article(**values: Any) -> Article:
    number = fresh_number()
    if values.get("feed"):
        values = {"source": values["feed"].publisher, **values}
    publisher = values["source"].domain if values.get("source") else "paper.example"
    values = {
        "url_key": number.to_bytes(16, "big"),
        "url": f"https://{publisher}/{number}",
        "title": f"Article {number}",
        "published_at": NOW - timedelta(minutes=number % 1000),
        "first_seen_at": NOW,
        "markup": f"<p>Body of {number}</p>",
        "text": f"Body of {number}",
        "word_count": 3,
        "content_hash": number,
        **values,
    }
    return Article.objects.create(**values)


def item(feed: Feed, article: Article, **values: Any) -> Item:
    values = {
        "guid": f"guid-{fresh_number()}",
        "published_at": article.published_at,
        "first_seen_at": NOW,
        "content_hash": article.content_hash,
        **values,
    }
    created = Item.objects.create(feed=feed, article=article, **values)
    Feed.objects.filter(pk=feed.pk).update(newest_item_id=created.pk)
    return created


def folder(user: User, name: str = "News", **values: Any) -> Folder:
    return Folder.objects.create(user=user, name=name, **values)


def subscription(user: User, of: Feed | None = None, **values: Any) -> Subscription:
    return Subscription.objects.create(user=user, feed=of or feed(), **values)


def delivery(subscription: Subscription, article: Article, *, is_read: bool = False) -> Delivery:
    """An article delivered by a subscription, with its feed item, counted as unread unless read.

    It arrives when the article was first seen, after those delivered before.
    """
    delivered = item(subscription.feed, article)
    created = Delivery.objects.create(
        user=subscription.user,
        folder=subscription.folder,
        subscription=subscription,
        article=article,
        published_at=article.published_at,
        is_read=is_read,
        arrival=arrival_at(article.first_seen_at) + delivered.pk,
    )
    subscription.unread_count += not is_read
    subscription.delivered_item_id = Feed.objects.get(pk=subscription.feed_id).newest_item_id
    subscription.save()
    return created


def poll(feed: Feed, outcome: str = PollOutcome.UNCHANGED, **values: Any) -> Poll:
    return Poll.objects.create(feed=feed, outcome=outcome, **{"started_at": NOW, **values})


def notification(subscription: Subscription, **values: Any) -> Notification:
    values = {"kind": "unhealthy", "text": "It needs attention.", "happened_at": NOW, **values}
    return Notification.objects.create(user=subscription.user, feed=subscription.feed, **values)


def job(user: User, **values: Any) -> Import:
    return Import.objects.create(user=user, **{"kind": ImportKind.FILE, "name": "feeds.opml", **values})


def link(one: Article, other: Article, disposition: str = Disposition.SAME_EVENT, **values: Any) -> Link:
    first, second = sorted((one, other), key=lambda article: article.pk)
    values = {"layer": "entities", "measure": 0.9, "closeness": 0.9, "evidence": "They name the same.", **values}
    values.setdefault("joins", True)
    return Link.objects.create(one=first, other=second, disposition=disposition, **values)


def story(*articles: Article, disposition: str = Disposition.SAME_EVENT, lead: Article | None = None) -> Story:
    """A story of these articles, each linked to all others."""
    created = Story.objects.create(
        lead=lead or max(articles, key=lambda article: article.word_count),
        n_articles=len(articles),
        n_sources=len({article.source_id for article in articles}),
        first_at=min(article.published_at for article in articles),
        last_at=max(article.published_at for article in articles),
    )
    for article in articles:
        article.story = created
        article.save(update_fields=["story"])
    for one, other in itertools.combinations(articles, 2):
        link(one, other, disposition)
    return created


def engagement(user: User, article: Article, kind: str = "opened", **values: Any) -> Engagement:
    """A logged action that nothing was learned from."""
    return Engagement.objects.create(user=user, article=article, kind=kind, **{"happened_at": NOW, **values})


def bulk_read(user: User, article_ids: list[int], **values: Any) -> BulkRead:
    """A record of marking these articles read just now, without marking them."""
    values = {"made_at": timezone.now(), "article_ids": packed(article_ids), **values}
    return BulkRead.objects.create(user=user, n_articles=len(article_ids), **values)


def term(user: User, term: str = "", weight: float = 1.0, **values: Any) -> InterestTerm:
    values = {"term": term or f"term{fresh_number()}", "weight": weight, "engaged_at": NOW, **values}
    return InterestTerm.objects.create(user=user, **values)


def tag(user: User, name: str = "", *articles: Article) -> Tag:
    """A tag of the user with these articles."""
    name = name or f"Tag {fresh_number()}"
    created = Tag.objects.create(user=user, name=name, key=Tag.key_of(name))
    for article in articles:
        TaggedArticle.objects.create(
            user=user, tag=created, article=article, published_at=article.published_at, tagged_at=NOW
        )
    return created


_TESTS = {
    "words": (Field.ANYWHERE, Comparison.CONTAINS),
    "pattern": (Field.ANYWHERE, Comparison.MATCHES),
    "author": (Field.AUTHOR, Comparison.CONTAINS),
    "category": (Field.CATEGORY, Comparison.IS),
    "language": (Field.LANGUAGE, Comparison.IS),
}


def conditions(*, is_any: bool = False, **values: Any) -> Conditions:
    """Conditions by the names of their usual tests: `words`, `author`, `category`, `language` and `pattern`."""
    scope = {name: values.pop(name, None) for name in ("subscription_id", "folder_id")}
    rows = tuple(Condition(*_TESTS[name], value) for name, value in values.items() if value)
    return Conditions(rows, is_any, **scope)


def rule(user: User, **values: Any) -> Rule:
    rows = {name: values.pop(name, "chess" if name == "words" else "") for name in _TESTS}
    return Rule.objects.create(user=user, rows=[asdict(row) for row in conditions(**rows).rows], **values)


def muted(rule: Rule, subscription: Subscription, article: Article) -> Article:
    """The article, muted by the rule when the subscription delivered it."""
    item(subscription.feed, article)
    Muted.objects.create(
        user=rule.user,
        subscription=subscription,
        article=article,
        rule=rule,
        published_at=article.published_at,
        muted_at=NOW,
    )
    return article


def training(user: User, **values: Any) -> RelevanceModel:
    """The figures of one training of the user's relevance model, without its weights."""
    values = {
        "trained_at": NOW,
        "n_positive": 60,
        "n_negative": 80,
        "n_held_out": 28,
        "precision": 0.8,
        "recall": 0.7,
        "f1": 0.75,
        "auc": 0.85,
        "average_precision": 0.9,
        "profile_auc": 0.8,
        "profile_average_precision": 0.7,
        "is_used": True,
        "seconds": 1.0,
        **values,
    }
    return RelevanceModel.objects.create(user=user, **values)
