"""Whether the user of a session recently confirmed that it's them.

An unlocked screen must not be enough to take an account over. So everything that could lock its owner out, or download
their data, needs a password, a code or a passkey, unless one was given within the last ten minutes in this session.
Signing in counts, whatever the method: a session younger than that is confirmed by how it began.

Views that need it are decorated with `accounts.views.confirm.confirmation_required`.
"""

from datetime import datetime, timedelta
from typing import cast

from django.contrib.auth.models import User
from django.http import HttpRequest

from rssmanager.authentication import second_factor, throttling
from rssmanager.authentication.errors import NotConfirmed
from rssmanager.authentication.sessions import SessionStore

CONFIRMED_FOR = timedelta(minutes=10)
_CONFIRMED_AT = "confirmed_at"  # of the session; a timestamp


def is_confirmed(request: HttpRequest, *, now: datetime) -> bool:
    """Whether the session was confirmed, or began, within the last ten minutes."""
    session = cast(SessionStore, request.session)
    times = [session[_CONFIRMED_AT]] if _CONFIRMED_AT in session else []
    if session.row is not None and session.row.user_id is not None:
        times.append(session.row.began_at.timestamp())
    # A time in the future (a clock that was set back) confirms nothing.
    return any(0 <= now.timestamp() - at < CONFIRMED_FOR.total_seconds() for at in times)


def mark_confirmed(request: HttpRequest, *, now: datetime) -> None:
    """Record that the session was confirmed now."""
    request.session[_CONFIRMED_AT] = now.timestamp()


def can_confirm(user: User) -> bool:
    """Whether the user has anything to confirm with; if not, they have to sign in again."""
    return user.has_usable_password() or second_factor.is_on(user)


def check(user: User, secret: str, *, now: datetime) -> None:
    """Check the user's password or one of their codes.

    Raises NotConfirmed if it matches neither, and TooManyTries after five wrong ones in 15 minutes.
    """
    count = throttling.Count(throttling.AGAIN, str(user.pk))
    throttling.count_try([count], now=now)
    if not (user.check_password(secret) or _is_code(user, secret, now=now)):
        raise NotConfirmed
    throttling.reset(count)


def _is_code(user: User, code: str, *, now: datetime) -> bool:
    looks_like_code = second_factor.looks_like_code(code) and second_factor.is_on(user)
    return looks_like_code and second_factor.check(user, code, now=now)
