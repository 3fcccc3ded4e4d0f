"""Stored users whose feeds delivered articles within a window."""

from datetime import datetime, timedelta
from typing import Any

from digests.assembly.window import Window
from feeds.models import Article
from reader.models import Assessment, Delivery, Subscription
from reader.scoring.importance import corroboration, shared_importance
from tests import make
from tests.reader.assessed import assess

DAY = Window(make.NOW - timedelta(hours=24), make.NOW)


ONE_PUBLISHER = corroboration(1, 1)


def came(
    subscription: Subscription,
    *,
    hours_old: float = 2.0,
    points: float = 60.0,
    relevance: float | None = 50.0,
    tier: int = 3,
    now: datetime = make.NOW,
    **values: Any,
) -> Article:
    """An assessed article that the subscription brought, with `points` on average in the parts that do not age."""
    values = {
        "published_at": now - timedelta(hours=hours_old),
        "first_seen_at": now - timedelta(hours=min(hours_old, 1.0)),
        "feed": subscription.feed,
        "source": subscription.feed.source,
        "language": "en",
        **values,
    }
    article = make.article(**values)
    bring(subscription, article, relevance=relevance)
    others = (0.6 * points - 0.2 * ONE_PUBLISHER) / 0.4
    parts = {"authority": others, "depth": others}
    assess(article, tier=tier, shared_importance=shared_importance(**parts), **parts)
    return article


def bring(subscription: Subscription, article: Article, *, relevance: float | None = 50.0) -> Delivery:
    """One more subscription brings the article."""
    delivery = make.delivery(subscription, article)
    Delivery.objects.filter(pk=delivery.pk).update(relevance=relevance, is_rated=True)
    return delivery


def points_of(article: Article) -> float:
    """What `came` said the parts are."""
    return (0.4 * Assessment.objects.get(article=article).depth + 0.2 * ONE_PUBLISHER) / 0.6
