"""Unread articles with assessments by the built-in classifier."""

from datetime import timedelta
from typing import Any

from feeds.models import Article
from reader.models import Assessment, Delivery, Subscription
from tests import make


def assess(article: Article, **values: Any) -> Assessment:
    """An assessment of the article by the built-in classifier."""
    values = {
        "content_hash": article.content_hash,
        "assessed_at": make.NOW,
        "tier": 4,
        "health": 1.0,
        "authority": 50.0,
        "depth": 20.0,
        "shared_importance": 15.5,
        "sensitivity": 3,
        "confidence": "low",
        "explanation": "Nothing points either way.",
        "source": "local",
        **values,
    }
    return Assessment.objects.create(article=article, **values)


def make_assessed(
    subscription: Subscription, *, hours_old: float = 1.0, confidence: str = "low", **values: Any
) -> Article:
    """An assessed article that the subscription delivered, rated and unread."""
    article = make.article(published_at=make.NOW - timedelta(hours=hours_old), **values)
    make.delivery(subscription, article)
    Delivery.objects.filter(article=article).update(is_rated=True)
    assess(article, confidence=confidence)
    return article
