"""Deleting an account: it is closed to sign-in at once, and its rows are removed in the background, in chunks.

If the user can be reached by email, the data is kept for a week and a link in that email restores the account (`close`,
`reopen`); otherwise it is removed immediately (`close_permanently`).

Everything that belongs to the user is removed. Feeds, articles and learned time sensitivities are shared and name
nobody, so they stay. The largest tables come first, so that no single statement has to load years of reading.
"""

from collections.abc import Callable
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction

from digests.models import Digest
from feeds.models import Article
from reader.articles.saved_items import delete_saved_pages
from reader.models import (
    Arrival,
    ArticleState,
    BulkRead,
    Delivery,
    Engagement,
    Highlight,
    Muted,
    Notification,
    PendingState,
    RuleHit,
    TaggedArticle,
)
from rssmanager.accounts.models import AccountChange, DataPiece, PendingDeletion

CHUNK = 2000  # rows deleted in one transaction
_LARGE = (
    Delivery,
    Engagement,
    ArticleState,
    TaggedArticle,
    Highlight,
    Muted,
    RuleHit,
    PendingState,
    Notification,
    BulkRead,
    Digest,
)


def is_only_administrator(user: User) -> bool:
    """Whether no other user could administer this installation."""
    others = User.objects.filter(is_superuser=True, is_active=True).exclude(pk=user.pk)
    return user.is_superuser and not others.exists()


def close_permanently(user: User, *, now: datetime) -> None:
    """Close the account without a way back; `delete_data` does the rest."""
    with transaction.atomic():
        user.is_active = False
        user.is_staff = user.is_superuser = False
        user.email = ""
        user.set_unusable_password()
        user.save()
        PendingDeletion.objects.update_or_create(user=user, defaults={"due_at": now})


def close(user: User, *, due_at: datetime) -> None:
    """Close the account. `reopen` can restore it until its data is removed, from `due_at` on."""
    with transaction.atomic():
        user.is_active = False
        user.save(update_fields=["is_active"])
        PendingDeletion.objects.update_or_create(user=user, defaults={"due_at": due_at})


def reopen(user: User) -> None:
    """Undo `close`. The caller holds a lock on the user's row, so that `delete_data` hasn't started."""
    PendingDeletion.objects.filter(user=user).delete()
    user.is_active = True
    user.save(update_fields=["is_active"])


def delete_data(user_id: int, *, now: datetime, is_time_left: Callable[[], bool] = lambda: True) -> bool:
    """Remove all data of a closed account that is due; False for any other, or if time ran out. Safe to interrupt and
    to repeat."""
    deletion = _start_deletion(user_id, now=now)
    if deletion is None:
        return False
    Arrival.objects.filter(delivery__user=user_id).delete()
    DataPiece.objects.filter(job__user=user_id).delete()
    _delete_copies(user_id)
    for model in _LARGE:
        rows = model._base_manager  # includes subscriptions that are being unfollowed
        while ids := list(rows.filter(user=user_id).order_by().values_list("pk", flat=True)[:CHUNK]):
            rows.filter(pk__in=ids).delete()
            if not is_time_left():
                return False
    delete_saved_pages(user_id)
    deletion.user.delete()
    return True


def _start_deletion(user_id: int, *, now: datetime) -> PendingDeletion | None:
    """The deletion, if it is due and wasn't undone; from now on no link restores the account."""
    due = PendingDeletion.objects.filter(user=user_id, user__is_active=False, due_at__lte=now)
    with transaction.atomic():
        User.objects.select_for_update().filter(pk=user_id).first()
        deletion = due.select_related("user").first()
        if deletion is not None:
            AccountChange.objects.filter(user=user_id).delete()
    return deletion


def _delete_copies(user_id: int) -> None:
    """Delete articles that were stored for this user alone."""
    copies = PendingState.objects.filter(user=user_id, copy__isnull=False).order_by()
    while ids := list(copies.values_list("copy_id", flat=True)[:CHUNK]):
        Article.objects.filter(pk__in=ids).delete()
