"""Random archives, reproducible by seed: whole lists of one user, rated as workers rate them."""

import itertools
import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib.auth.models import User

from feeds.models import Article
from reader.models import Delivery, Subscription
from reader.scoring.decay import RATES, decay_key
from reader.scoring.importance import static_importance
from reader.scoring.ranked_order import slot_of
from tests import make

_AGES = (timedelta(hours=6), timedelta(days=2), timedelta(days=12), timedelta(days=60), timedelta(days=900))
_MOMENTS = 40  # different ages by which an archive's dates are drawn, so that many share one
_WORTHS = (0.0, 12.25, 33.0, 60.0)
_numbers = itertools.count(10**9)


@dataclass(frozen=True, slots=True)
class Entry:
    """One unread article as a ranked list shows it."""

    article_id: int
    published_at: datetime
    date_uncertain: bool
    shared_importance: float
    relevance: float
    sensitivity: int


def make_archive(user: User, n: int, seed: int) -> list[Entry]:
    """`n` articles in the ranked lists of `user`, some from several feeds; and others that are in no list."""
    chance = random.Random(seed)
    subscriptions = [make.subscription(user) for _ in range(3)]
    moments = [make.NOW + timedelta(hours=24), make.NOW, *(_moment(chance) for _ in range(_MOMENTS))]
    entries = _entries(chance, moments, n)
    copies = [
        copy_of(entry, subscription_copy)
        for entry in entries
        for subscription_copy in chance.sample(subscriptions, chance.choice((1, 1, 1, 2, 3)))
    ]
    elsewhere = make.subscription(make.user())
    for number, entry in enumerate(_entries(chance, moments, n // 4)):
        hidden = copy_of(entry, chance.choice(subscriptions))
        if number % 4 == 0:
            hidden.is_read = True
        elif number % 4 == 1:
            hidden.is_folded = True
        elif number % 4 == 2:
            hidden.relevance = hidden.static_importance = hidden.slot = hidden.sensitivity = hidden.decay_key = None
            hidden.is_rated = False
        else:
            hidden.subscription, hidden.user = elsewhere, elsewhere.user
        copies.append(hidden)
    chance.shuffle(copies)
    Delivery.objects.bulk_create(copies)
    return entries


def copy_of(entry: Entry, subscription: Subscription) -> Delivery:
    """The entry as a rated, unread delivery of `subscription`."""
    return Delivery(
        user=subscription.user,
        subscription=subscription,
        article_id=entry.article_id,
        published_at=entry.published_at,
        date_uncertain=entry.date_uncertain,
        is_rated=True,
        relevance=entry.relevance,
        static_importance=static_importance(entry.shared_importance, 25, entry.relevance),
        slot=slot_of(entry.published_at),
        sensitivity=entry.sensitivity,
        decay_key=decay_key(entry.relevance, rate=RATES[entry.sensitivity], published_at=entry.published_at),
    )


def articles(dates: Sequence[datetime]) -> list[Article]:
    """Stored articles with these publication dates."""
    return Article.objects.bulk_create(
        Article(
            url_key=(number := next(_numbers)).to_bytes(16, "big"),
            url=f"https://paper.example/{number}",
            title=f"Article {number}",
            published_at=published_at,
            first_seen_at=make.NOW,
            content_hash=number,
        )
        for published_at in dates
    )


def _moment(chance: random.Random) -> datetime:
    return make.NOW + timedelta(hours=24) * chance.random() - chance.choice((*_AGES, timedelta(0))) * chance.random()


def _entries(chance: random.Random, moments: Sequence[datetime], n: int) -> list[Entry]:
    return [
        Entry(
            article_id=article.pk,
            published_at=article.published_at,
            date_uncertain=chance.random() < 0.3,
            shared_importance=chance.choice((*_WORTHS, 60 * chance.random())),
            relevance=chance.choice((0.0, 50.0, 100.0, 100 * chance.random())),
            sensitivity=chance.randint(1, 5),
        )
        for article in articles([chance.choice(moments) for _ in range(n)])
    ]
