"""Deleting an account: at once nobody can sign in with it; its rows go in the background, some thousand at a time.

Everything that is the person's goes. What stays is nobody's: feeds, articles and what was learned of how fast things
age, which hold no name. Rows that refer to others go before these, so that no statement loads what a person of ten
years has gathered.
"""

from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction

from digests.models import Digest
from feeds.models import Article
from reader.models import (
    Arrival,
    ArticleState,
    Delivery,
    Engagement,
    KeptState,
    Muted,
    Notification,
    RuleHit,
    Sweep,
    TaggedArticle,
)
from rssmanager.account.models import DataPiece, Leaving

CHUNK = 2000  # rows deleted in one transaction
_MANY = (Delivery, Engagement, ArticleState, TaggedArticle, Muted, RuleHit, KeptState, Notification, Sweep, Digest)


def is_only_administrator(user: User) -> bool:
    """Whether nobody else could administer this installation."""
    others = User.objects.filter(is_superuser=True, is_active=True).exclude(pk=user.pk)
    return user.is_superuser and not others.exists()


def leave(user: User, *, now: datetime) -> None:
    """Close the account for good; `remove` does the rest."""
    with transaction.atomic():
        user.is_active = False
        user.is_staff = user.is_superuser = False
        user.email = ""
        user.set_unusable_password()
        user.save()
        Leaving.objects.get_or_create(user=user, defaults={"asked_at": now})


def remove(user_id: int) -> bool:
    """Take away everything of an account that its person left; False for any other. Safe to interrupt and to repeat."""
    leaving = Leaving.objects.filter(user=user_id).select_related("user").first()
    if leaving is None:
        return False
    Arrival.objects.filter(delivery__user=user_id).delete()
    DataPiece.objects.filter(job__user=user_id).delete()
    _remove_copies(user_id)
    for model in _MANY:
        every = model._base_manager  # what is being left is in it too
        while ids := list(every.filter(user=user_id).order_by().values_list("pk", flat=True)[:CHUNK]):
            every.filter(pk__in=ids).delete()
    leaving.user.delete()
    return True


def _remove_copies(user_id: int) -> None:
    """Articles that were stored for this person alone."""
    copies = KeptState.objects.filter(user=user_id, copy__isnull=False).order_by()
    while ids := list(copies.values_list("copy_id", flat=True)[:CHUNK]):
        Article.objects.filter(pk__in=ids).delete()
