"""The token of a private feed: whoever has it may read one person's digests, and nothing else.

Only its SHA-256 is stored. The token holds 256 bits of chance, so a plain hash is enough: there is nothing to guess,
and looking a hash up tells nothing of the hashes that are near.
"""

import secrets
from datetime import datetime, timedelta
from hashlib import sha256

from django.contrib.auth.models import User

from digests.models import PrivateFeed

TOKEN_BYTES = 32
NOTED_EVERY = timedelta(hours=1)  # that it was read


def renew_token(user: User, *, now: datetime) -> str:
    """A new token, told this once; the one before is worth nothing from now on."""
    token = secrets.token_urlsafe(TOKEN_BYTES)
    values = {"token_hash": _hash_of(token), "made_at": now, "asked_at": None}
    PrivateFeed.objects.update_or_create(user=user, defaults=values)
    return token


def switch_off(user: User) -> bool:
    """Let nobody read the user's digests by a token any more; False if nobody could."""
    return bool(PrivateFeed.objects.filter(user=user).delete()[0])


def reader_of(token: str, *, now: datetime) -> User | None:
    """Whose digests the token opens, and note that it was used; None where it opens nothing."""
    found = PrivateFeed.objects.select_related("user").filter(token_hash=_hash_of(token), user__is_active=True).first()
    if found is None:
        return None
    if found.asked_at is None or now - found.asked_at >= NOTED_EVERY:
        PrivateFeed.objects.filter(pk=found.pk, token_hash=found.token_hash).update(asked_at=now)
    return found.user


def _hash_of(token: str) -> str:
    return sha256(token.encode(errors="replace")).hexdigest()
