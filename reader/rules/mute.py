"""Muting: moves articles out of a user's lists and counts into a list of their own, and back.

The delivery itself is removed, so lists, counts, stories and digests need no filter.
"""

from collections.abc import Collection, Mapping
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction

from feeds.models import Article
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


def unmute(user: User, article: Article) -> bool:
    """Restore a muted article to the lists of its feeds; False if it wasn\'t muted. Rules won\'t mute it again."""
    with transaction.atomic():
        lock_deliveries(Delivery.objects.filter(user=user, article=article))
        muted = list(
            Muted.objects.filter(user=user, article=article).select_related("subscription").select_for_update()
        )
        is_read = ArticleState.objects.filter(user=user, article=article, is_read=True).exists()
        Delivery.objects.bulk_create(
            [
                Delivery(
                    user=user,
                    folder_id=row.subscription.folder_id,
                    subscription=row.subscription,
                    article=article,
                    published_at=article.published_at,
                    date_uncertain=article.date_uncertain,
                    is_read=is_read,
                )
                for row in muted
            ],
            ignore_conflicts=True,
        )
        Muted.objects.filter(pk__in=[row.pk for row in muted]).delete()
        recount({row.subscription_id for row in muted})
        changes = queue_fold_ids([article.pk])
    fold_now(changes, user=user)
    return bool(muted)


def muted_by(user: User, article: Article) -> Muted | None:
    """How an article was muted for the user, None if it wasn't; the rule may have been deleted."""
    return Muted.objects.filter(user=user, article=article).select_related("rule").order_by("pk").first()
