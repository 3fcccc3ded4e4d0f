"""Muted: out of all of a person's lists and counts, kept in a list of its own, and put back by one press.

The delivery itself is moved away, so that no list, count, story or digest needs to know of muting.
"""

from collections.abc import Collection, Mapping
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction

from feeds.models import Article
from reader.folding import note_ids, settle
from reader.locking import lock
from reader.marking import recount
from reader.models import ArticleState, Delivery, Muted, Rule


def mute(user: User, muting: Mapping[int, Mapping[int, Rule]], but: Collection[int], *, now: datetime) -> list[int]:
    """Move deliveries out of all lists; for each subscription its articles, with the rule that mutes them.

    To be called in a transaction that has locked the deliveries; returns the changes to be folded after it.
    """
    articles = {pk for by in muting.values() for pk in by} - set(but)
    taken = [
        each
        for each in Delivery.objects.filter(user=user, subscription__in=muting, article__in=articles)
        if each.article_id in muting[each.subscription_id]
    ]
    if not taken:
        return []
    changes = note_ids({each.article_id for each in taken})
    Muted.objects.bulk_create(
        [
            Muted(
                user=user,
                subscription_id=each.subscription_id,
                article_id=each.article_id,
                rule=muting[each.subscription_id][each.article_id],
                published_at=each.published_at,
                muted_at=now,
            )
            for each in taken
        ],
        ignore_conflicts=True,
    )
    Delivery.objects.filter(pk__in=[each.pk for each in taken]).delete()
    recount({each.subscription_id for each in taken})
    return changes


def put_back(user: User, article: Article) -> bool:
    """Let the article stand in the lists again, by every feed it was muted from. False if it was not muted.

    No rule mutes it again as those feeds brought it (`reader.ruling`).
    """
    with transaction.atomic():
        lock(Delivery.objects.filter(user=user, article=article))
        muted = list(
            Muted.objects.filter(user=user, article=article).select_related("subscription").select_for_update()
        )
        is_read = ArticleState.objects.filter(user=user, article=article, is_read=True).exists()
        Delivery.objects.bulk_create(
            [
                Delivery(
                    user=user,
                    folder_id=each.subscription.folder_id,
                    subscription=each.subscription,
                    article=article,
                    published_at=article.published_at,
                    date_uncertain=article.date_uncertain,
                    is_read=is_read,
                )
                for each in muted
            ],
            ignore_conflicts=True,
        )
        Muted.objects.filter(pk__in=[each.pk for each in muted]).delete()
        recount({each.subscription_id for each in muted})
        changes = note_ids([article.pk])
    settle(changes, user=user)
    return bool(muted)


def muted_by(user: User, article: Article) -> Muted | None:
    """How the article was muted for the user, with the rule if there still is one; None if it was not."""
    return Muted.objects.filter(user=user, article=article).select_related("rule").order_by("pk").first()
