"""Tokens of private feeds: each one gives access to one user's digests, and nothing else.

Only the SHA-256 hash is stored. A token has 256 random bits, so a plain hash can't be guessed.
"""

import secrets
from datetime import datetime, timedelta
from hashlib import sha256

from django.contrib.auth.models import User

from digests.models import PrivateFeed

TOKEN_BYTES = 32
RECORD_USE_EVERY = timedelta(hours=1)


def renew_token(user: User, *, now: datetime) -> str:
    """A new token, which can't be shown again; the previous one stops working."""
    token = secrets.token_urlsafe(TOKEN_BYTES)
    values = {"token_hash": _hash_of(token), "made_at": now, "used_at": None}
    PrivateFeed.objects.update_or_create(user=user, defaults=values)
    return token


def switch_off(user: User) -> bool:
    """Delete a user's private feed; False if there is none."""
    return bool(PrivateFeed.objects.filter(user=user).delete()[0])


def user_of_token(token: str, *, now: datetime) -> User | None:
    """The user of a token, recording its use; None if it is invalid."""
    private_feed = (
        PrivateFeed.objects.select_related("user").filter(token_hash=_hash_of(token), user__is_active=True).first()
    )
    if private_feed is None:
        return None
    if private_feed.used_at is None or now - private_feed.used_at >= RECORD_USE_EVERY:
        PrivateFeed.objects.filter(pk=private_feed.pk, token_hash=private_feed.token_hash).update(used_at=now)
    return private_feed.user


def _hash_of(token: str) -> str:
    return sha256(token.encode(errors="replace")).hexdigest()
