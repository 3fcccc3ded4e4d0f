"""App passwords: apps sign in with them, never with the account's own password.

Each has 140 random bits, so a plain SHA-256 can't be reversed, and looking it up needs no slow hash. A second factor
isn't asked for: an app couldn't give one. Fever sends the MD5 of "user name:password" instead, which is stored as a
digest of its own. After the first request, Google Reader apps send a token: the password's id, signed with its digest
and our secret key, so that it ends with the password and can't be made from the database alone. For writing they ask
for another one, which is signed likewise with the time, and expires. The JSON API takes the password itself as a bearer
token.
"""

from base64 import b32encode
from collections.abc import Callable, Collection
from datetime import UTC, datetime, timedelta
from functools import partial
from hashlib import md5, sha256
from secrets import token_bytes

from django.contrib.auth.models import User
from django.utils.crypto import constant_time_compare, salted_hmac

from reader.limits import APP_PASSWORDS
from rssmanager.authentication.models import AppPassword, Scope

RECORD_USE_EVERY = timedelta(hours=1)
WRITE_TOKEN_FOR = timedelta(minutes=30)  # as Google Reader had it
_WRITE_TOKEN_LENGTH = 57  # characters, likewise
OF_READING_APPS = (Scope.WRITE, Scope.FEEDS)


def create(user: User, *, name: str, scopes: Collection[str] = OF_READING_APPS, now: datetime) -> str:
    """Create an app password that may change what these scopes allow, and return it; it can't be shown again.

    Raises LimitReached.
    """
    APP_PASSWORDS.check(AppPassword.objects.filter(user=user))
    letters = b32encode(token_bytes(20)).decode().lower()[:28]
    password = "-".join(letters[at : at + 4] for at in range(0, len(letters), 4))
    AppPassword.objects.create(
        user=user,
        name=name,
        digest=_digest(password),
        fever_digest=_digest(fever_key(user.get_username(), password)),
        scopes=" ".join(scope for scope in Scope if scope in scopes),
        created_at=now,
    )
    return password


def fever_key(username: str, password: str) -> str:
    """What Fever's apps send."""
    return md5(f"{username}:{password}".encode(), usedforsecurity=False).hexdigest()


def by_password(username: str, password: str, *, now: datetime) -> AppPassword | None:
    """The app password with that user's name in any case; None if it is wrong."""
    found = by_password_alone(password, now=now)
    is_theirs = found is not None and found.user.get_username().casefold() == username.strip().casefold()
    return found if is_theirs else None


def by_password_alone(password: str, *, now: datetime) -> AppPassword | None:
    """This app password; None if it is wrong."""
    return _used(digest=_digest(password.strip()), now=now)


def by_fever_key(key: str, *, now: datetime) -> AppPassword | None:
    """The app password that makes this key; None if it is wrong."""
    return _used(fever_digest=_digest(key.strip().lower()), now=now)


def by_token(token: str, *, now: datetime) -> AppPassword | None:
    """The app password that this token was made for; None if it is wrong, or was revoked."""
    pk = token.partition(".")[0]
    if not (pk.isascii() and pk.isdigit() and len(pk) < 19):
        return None
    return _used(pk=int(pk), now=now, token=token)


def token_of(app_password: AppPassword) -> str:
    """The token that an app sends after signing in."""
    signature = salted_hmac("rssmanager.app_token", app_password.digest, algorithm="sha256").hexdigest()
    return f"{app_password.pk}.{signature}"


def write_token_of(app_password: AppPassword, *, now: datetime) -> str:
    """The token that an app sends with a change."""
    signed = f"{app_password.pk}.{int(now.timestamp())}."
    signature = salted_hmac("rssmanager.write_token", signed + app_password.digest, algorithm="sha256").hexdigest()
    return (signed + signature)[:_WRITE_TOKEN_LENGTH]


def by_write_token(token: str, *, now: datetime) -> AppPassword | None:
    """The app password that this token was made for; None if it is wrong or expired, or the password was revoked."""
    pk, _, rest = token.partition(".")
    seconds = rest.partition(".")[0]
    if not (f"{pk}{seconds}".isascii() and pk.isdigit() and seconds.isdigit() and len(pk) < 19 and len(seconds) < 12):
        return None
    made_at = datetime.fromtimestamp(int(seconds), UTC)
    if not timedelta(0) <= now - made_at <= WRITE_TOKEN_FOR:
        return None
    return _used(pk=int(pk), now=now, token=token, made_by=partial(write_token_of, now=made_at))


def _used(
    *, now: datetime, token: str = "", made_by: Callable[[AppPassword], str] = token_of, **which: object
) -> AppPassword | None:
    """The app password of an active user, its use noted at most once an hour."""
    found = AppPassword.objects.select_related("user").filter(user__is_active=True, **which).first()
    if found is None or (token and not constant_time_compare(token, made_by(found))):
        return None
    if found.last_used_at is None or now - found.last_used_at >= RECORD_USE_EVERY:
        AppPassword.objects.filter(pk=found.pk).update(last_used_at=now)
    return found


def _digest(text: str) -> str:
    return sha256(text.encode(errors="replace")).hexdigest()
