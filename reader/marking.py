"""Read, unread, starred: what a person says about articles. Seen through several feeds, an article is one.

Every function keeps the three places in step within one transaction: the state, the deliveries, the unread counts.
What a person did with one article unfolds it: what they acted on stays where they left it (`reader.folding`). "Mark all
read" is about a list, and what stands folded in it is read with the rest and stays folded.
"""

from collections.abc import Collection
from datetime import datetime

from django.contrib.auth.models import User
from django.db import connection, transaction
from django.db.models import Case, Count, Q, QuerySet, Value, When

from reader.locking import lock
from reader.models import ArticleState, Delivery, Quiet, Subscription
from reader.queries import NO

# To update deliveries with: what is quiet stays folded, whatever is done with it.
UNFOLDED = Case(When(quiet=Quiet.NOT, then=Value(False)), default=Value(True))

_STATES_OF_ALL = """
INSERT INTO reader_articlestate (user_id, article_id, is_read, is_starred)
SELECT DISTINCT unread.user_id, unread.article_id, %s, %s FROM ({unread}) AS unread WHERE 1 = 1
ON CONFLICT (user_id, article_id) DO UPDATE SET is_read = %s
"""


def mark_read(user: User, article_ids: Collection[int], *, is_read: bool = True) -> int:
    """Mark these articles read (or unread) for `user`; returns how many deliveries changed."""
    with transaction.atomic():
        states = [ArticleState(user=user, article_id=pk, is_read=is_read) for pk in article_ids]
        ArticleState.objects.bulk_create(
            states, update_conflicts=True, unique_fields=["user", "article"], update_fields=["is_read"]
        )
        changing = Delivery.objects.filter(user=user, article__in=article_ids).exclude(is_read=is_read)
        affected = lock(changing)
        changed = changing.update(is_read=is_read, is_folded=UNFOLDED, is_folded_in_folder=UNFOLDED)
        recount(affected)
    return changed


def mark_all_read(user: User, deliveries: QuerySet[Delivery], *, up_to: int) -> int:
    """Mark read what `deliveries` holds unread, up to the delivery `up_to`: what was brought later was not seen.

    `deliveries` is the scope of a list with what is folded in it, which was seen as "more sources".
    The order of bringing decides, not the date: a feed that comes late with an article of yesterday has not been seen.
    Set-based, for a hundred thousand are marked by one press of a button. Returns how many deliveries changed.
    """
    unread = deliveries.filter(user=user, is_read=NO, pk__lte=up_to).order_by()
    with transaction.atomic():
        sql, parameters = unread.values("user_id", "article_id").query.sql_with_params()
        with connection.cursor() as cursor:
            cursor.execute(_STATES_OF_ALL.format(unread=sql), [True, False, *parameters, True])
        changing = Delivery.objects.filter(user=user, is_read=False, article__in=unread.values("article"))
        affected = lock(changing)
        changed = changing.update(is_read=True)
        recount(affected)
    return changed


def star_all(user: User, article_ids: Collection[int], *, now: datetime) -> None:
    """Star these articles; those with a star keep it as it is. A fixed number of statements."""
    with transaction.atomic():
        known = ArticleState.objects.filter(user=user, article__in=article_ids)
        ArticleState.objects.bulk_create(
            [ArticleState(user=user, article_id=pk) for pk in article_ids], ignore_conflicts=True
        )
        known.filter(is_starred=False).update(is_starred=True, starred_at=now)
        deliveries = Delivery.objects.filter(user=user, article__in=article_ids)
        lock(deliveries)
        deliveries.update(is_folded=UNFOLDED, is_folded_in_folder=UNFOLDED)


def mark_unread_again(user: User, article_ids: Collection[int]) -> int:
    """Mark unread what was swept up with its list, and leave folded what stood folded there; returns how many articles.

    The other way of `mark_all_read`: what a person keeps unread by itself is unfolded (`mark_read`).
    """
    with transaction.atomic():
        ArticleState.objects.filter(user=user, article__in=article_ids).update(is_read=False)
        changing = Delivery.objects.filter(user=user, article__in=article_ids, is_read=True)
        n_articles = changing.values("article").distinct().count()
        affected = lock(changing)
        changing.update(is_read=False)
        recount(affected)
    return n_articles


def star(user: User, article_id: int, *, is_starred: bool, now: datetime) -> None:
    """Star an article, or take the star away."""
    values = {"is_starred": is_starred, "starred_at": now if is_starred else None}
    with transaction.atomic():
        ArticleState.objects.update_or_create(user=user, article_id=article_id, defaults=values)
        if is_starred:
            deliveries = Delivery.objects.filter(user=user, article_id=article_id)
            lock(deliveries)
            deliveries.update(is_folded=UNFOLDED, is_folded_in_folder=UNFOLDED)


def recount(subscription_ids: Collection[int]) -> None:
    """Count anew what is unread of these subscriptions, whose deliveries the caller has locked."""
    counted = Subscription.objects.filter(pk__in=subscription_ids).annotate(
        n_unread=Count("deliveries", filter=Q(deliveries__is_read=False, deliveries__quiet=Quiet.NOT))
    )
    subscriptions = [Subscription(pk=each.pk, unread_count=each.n_unread) for each in counted]
    Subscription.objects.bulk_update(subscriptions, ["unread_count"])
