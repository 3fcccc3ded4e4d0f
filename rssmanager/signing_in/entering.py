"""The one way in.

Whoever knows a password or has a link of a mail is signed in here or, having a second factor, is nobody yet: what they
proved waits in their session, and they are asked for a code.
"""

from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from django.contrib.auth import login
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from rssmanager.signing_in import second_factor

BACKEND = "django.contrib.auth.backends.ModelBackend"
_WAITING = "waits_for_code"  # of the session
_WITHIN = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class Waiting:
    """Who proved the first factor; `proof` is worth nothing once the password is another. `until` is a timestamp."""

    user_id: int
    proof: str
    until: float
    goes_to: str


def enter(request: HttpRequest, user: User, *, goes_to: str) -> HttpResponse:
    """Sign in and go on; for who has a second factor, to the page that asks for it. `goes_to` is a checked path."""
    if not second_factor.is_on(user):
        login(request, user, backend=BACKEND)
        return redirect(goes_to)
    until = (timezone.now() + _WITHIN).timestamp()
    request.session.flush()  # who knew the session before must not share what was proved in it
    request.session[_WAITING] = asdict(Waiting(user.pk, user.get_session_auth_hash(), until, goes_to))
    return redirect("second_factor")


def waiting_in(request: HttpRequest, *, now: datetime) -> tuple[User, str] | None:
    """Who is asked for a code, and where they go on to; None for nobody, or not any more."""
    found = request.session.get(_WAITING)
    if found is None:
        return None
    waiting = Waiting(**found)
    user = User.objects.filter(pk=waiting.user_id, is_active=True).first()
    is_proved = user is not None and constant_time_compare(waiting.proof, user.get_session_auth_hash())
    if user is None or not is_proved or waiting.until < now.timestamp():
        del request.session[_WAITING]
        return None
    return user, waiting.goes_to


def enter_with_code(request: HttpRequest, user: User) -> None:
    """Sign in who was asked for a code and gave it."""
    del request.session[_WAITING]
    login(request, user, backend=BACKEND)
