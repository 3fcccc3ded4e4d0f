"""Signing users in.

Users who gave a password, or followed a link from an email, are signed in at once unless they have a second factor.
Then their first factor is stored in the session until they give a code or a passkey.
"""

from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from django.contrib.auth import login
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from rssmanager.authentication import second_factor
from rssmanager.authentication.confirmation import mark_confirmed
from rssmanager.authentication.sessions import WAITING

BACKEND = "django.contrib.auth.backends.ModelBackend"
_WITHIN = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class PendingSignIn:
    """A user who gave the first factor; `proof` becomes invalid when their password changes. `until` is a timestamp."""

    user_id: int
    proof: str
    until: float
    next_url: str


def sign_in(request: HttpRequest, user: User, *, next_url: str) -> HttpResponse:
    """Sign in and redirect; with a second factor, to the page that asks for it. `next_url` is a checked path."""
    now = timezone.now()
    if not second_factor.is_on(user):
        return sign_in_verified(request, user, next_url=next_url)
    until = (now + _WITHIN).timestamp()
    request.session.flush()  # so that a planted session doesn't gain the first factor
    request.session[WAITING] = asdict(PendingSignIn(user.pk, user.get_session_auth_hash(), until, next_url))
    return redirect("second_factor")


def pending_sign_in(request: HttpRequest, *, now: datetime) -> tuple[User, str] | None:
    """The user who still needs a second factor, and where to go next; None if there is none, or it expired."""
    stored = request.session.get(WAITING)
    if stored is None:
        return None
    pending = PendingSignIn(**stored)
    user = User.objects.filter(pk=pending.user_id, is_active=True).first()
    is_proved = user is not None and constant_time_compare(pending.proof, user.get_session_auth_hash())
    if user is None or not is_proved or pending.until < now.timestamp():
        del request.session[WAITING]
        return None
    return user, pending.next_url


def sign_in_verified(request: HttpRequest, user: User, *, next_url: str) -> HttpResponse:
    """Sign in a user who has given every required factor, and redirect."""
    request.session.pop(WAITING, None)
    login(request, user, backend=BACKEND)
    mark_confirmed(request, now=timezone.now())
    return redirect(next_url)
