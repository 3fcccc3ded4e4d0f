"""Read, unread and starred. An article delivered by several feeds has one state.

Every function updates the state, the deliveries and the unread counts in one transaction, including those of unfollowed
feeds, which can be restored (`reader.subscriptions.unfollow`). An action on a single article unfolds it, so that it
stays where the user left it (`reader.stories.collapse`). "Mark all read" applies to a list: what is folded in it is
marked read and stays folded.
"""

from collections.abc import Collection
from datetime import datetime

from django.contrib.auth.models import User
from django.db import connection, transaction
from django.db.models import Case, Count, Q, QuerySet, Value, When

from reader.lists.queries import NO
from reader.models import ArticleState, Delivery, Quiet, Subscription, lock_deliveries

# For updates of deliveries: quiet ones always stay folded.
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
        changing = Delivery.everything.filter(user=user, article__in=article_ids).exclude(is_read=is_read)
        affected = lock_deliveries(changing)
        changed = changing.update(is_read=is_read, is_folded=UNFOLDED, is_folded_in_folder=UNFOLDED)
        recount(affected)
    return changed


def mark_all_read(user: User, deliveries: QuerySet[Delivery], *, up_to: int) -> int:
    """Mark unread `deliveries` read, up to the delivery `up_to`, since later ones weren't on the page.

    `deliveries` includes the folded ones of the list. The order of delivery counts, not the date: a late article with
    an old date hasn't been seen. Set-based, for hundreds of thousands at once. Returns how many deliveries changed.
    """
    unread = deliveries.filter(user=user, is_read=NO, pk__lte=up_to).order_by()
    with transaction.atomic():
        sql, parameters = unread.values("user_id", "article_id").query.sql_with_params()
        with connection.cursor() as cursor:
            cursor.execute(_STATES_OF_ALL.format(unread=sql), [True, False, *parameters, True])
        changing = Delivery.everything.filter(user=user, is_read=False, article__in=unread.values("article"))
        affected = lock_deliveries(changing)
        changed = changing.update(is_read=True)
        recount(affected)
    return changed


def star_all(user: User, article_ids: Collection[int], *, now: datetime) -> None:
    """Star these articles; existing stars keep their date. A fixed number of queries."""
    with transaction.atomic():
        known = ArticleState.objects.filter(user=user, article__in=article_ids)
        ArticleState.objects.bulk_create(
            [ArticleState(user=user, article_id=pk) for pk in article_ids], ignore_conflicts=True
        )
        known.filter(is_starred=False).update(is_starred=True, starred_at=now)
        deliveries = Delivery.everything.filter(user=user, article__in=article_ids)
        lock_deliveries(deliveries)
        deliveries.update(is_folded=UNFOLDED, is_folded_in_folder=UNFOLDED)


def mark_unread_again(user: User, article_ids: Collection[int]) -> int:
    """Undo `mark_all_read` for these articles: folded ones stay folded. Returns the number of articles."""
    with transaction.atomic():
        ArticleState.objects.filter(user=user, article__in=article_ids).update(is_read=False)
        changing = Delivery.everything.filter(user=user, article__in=article_ids, is_read=True)
        n_articles = changing.values("article").distinct().count()
        affected = lock_deliveries(changing)
        changing.update(is_read=False)
        recount(affected)
    return n_articles


def star(user: User, article_id: int, *, is_starred: bool, now: datetime) -> None:
    """Star an article, or remove the star."""
    values = {"is_starred": is_starred, "starred_at": now if is_starred else None}
    with transaction.atomic():
        ArticleState.objects.update_or_create(user=user, article_id=article_id, defaults=values)
        if is_starred:
            deliveries = Delivery.everything.filter(user=user, article_id=article_id)
            lock_deliveries(deliveries)
            deliveries.update(is_folded=UNFOLDED, is_folded_in_folder=UNFOLDED)


def recount(subscription_ids: Collection[int]) -> None:
    """Recount the unread deliveries of these subscriptions. The caller has locked the deliveries."""
    counted = Subscription.everything.filter(pk__in=subscription_ids).annotate(
        n_unread=Count("deliveries", filter=Q(deliveries__is_read=False, deliveries__quiet=Quiet.NOT))
    )
    subscriptions = [Subscription(pk=row.pk, unread_count=row.n_unread) for row in counted]
    Subscription.everything.bulk_update(subscriptions, ["unread_count"])
