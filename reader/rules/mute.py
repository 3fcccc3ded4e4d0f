"""Muting: moves articles out of a user's lists and counts into a list of their own, and back.

The delivery itself is removed, so lists, counts, stories and digests need no filter.
"""

from collections.abc import Collection, Mapping
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet

from feeds.models import Article
from feeds.storage.compiled import compiled
from reader.articles.arrivals import ARRIVING, arrive
from reader.articles.read_state import recount
from reader.models import ArticleState, Delivery, Muted, Rule, lock_deliveries
from reader.stories.collapse import fold_now, queue_fold_ids


def mute(user: User, muting: Mapping[int, Mapping[int, Rule]], but: Collection[int], *, now: datetime) -> list[int]:
    """Mute articles by subscription, each with the rule that mutes it, except those in `but`.

    Call it in a transaction that has locked the deliveries; returns the changes to fold afterwards.
    """
    articles = {pk for by in muting.values() for pk in by} - set(but)
    muted = [
        delivery
        for delivery in Delivery.objects.filter(user=user, subscription__in=muting, article__in=articles)
        if delivery.article_id in muting[delivery.subscription_id]
    ]
    if not muted:
        return []
    changes = queue_fold_ids({delivery.article_id for delivery in muted})
    Muted.objects.bulk_create(
        [
            Muted(
                user=user,
                subscription_id=delivery.subscription_id,
                article_id=delivery.article_id,
                rule=muting[delivery.subscription_id][delivery.article_id],
                published_at=delivery.published_at,
                muted_at=now,
            )
            for delivery in muted
        ],
        ignore_conflicts=True,
    )
    Delivery.objects.filter(pk__in=[delivery.pk for delivery in muted]).delete()
    recount({delivery.subscription_id for delivery in muted})
    return changes


def unmute(user: User, muted: QuerySet[Muted]) -> bool:
    """Restore the user's muted articles to the lists of their feeds; False if there are none. No rule mutes them again
    that did it before."""
    with transaction.atomic():
        lock_deliveries(Delivery.objects.filter(user=user, article__in=muted.values("article")))
        rows = list(muted.select_related("subscription", "article").select_for_update(of=("self",)))
        articles = {row.article_id for row in rows}
        states = ArticleState.objects.filter(user=user, article__in=articles, is_read=True)
        read = set(states.values_list("article_id", flat=True))
        Delivery.objects.bulk_create(
            [
                Delivery(
                    user=user,
                    folder_id=row.subscription.folder_id,
                    subscription=row.subscription,
                    article=row.article,
                    published_at=row.article.published_at,
                    date_uncertain=row.article.date_uncertain,
                    is_read=row.article_id in read,
                    arrival=ARRIVING,
                )
                for row in rows
            ],
            ignore_conflicts=True,
            batch_size=500,
        )
        Muted.objects.filter(pk__in=[row.pk for row in rows]).delete()
        recount({row.subscription_id for row in rows})
        changes = queue_fold_ids(articles)
        arrive(Delivery.objects.filter(user=user, article__in=articles, arrival=ARRIVING))
    fold_now(changes, user=user)
    return bool(rows)


def muted_by(user: User, article: Article) -> Muted | None:
    """How an article was muted for the user, None if it wasn't; the rule may have been deleted."""
    return next(iter(_muted(user.pk, article.pk)), None)


@compiled
def _muted(user: int, article: int) -> QuerySet[Muted]:
    return Muted.objects.filter(user=user, article=article).select_related("rule").order_by("pk")[:1]
