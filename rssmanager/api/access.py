"""Who an app is, and what it sent.

Cookies are ignored here, so these requests need no CSRF token: only an app password, or what is derived from it, lets
anyone in. Failures are counted by address (`rssmanager.authentication.throttling`).

Liferea's older versions send the token of `ClientLogin` as `T` in some forms, and no header. So without a header, a
form is signed in by that token, or by the one for writing; neither can be guessed, and a query, which logs keep, has no
say.
"""

import binascii
from base64 import b64decode
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.http import HttpRequest, QueryDict

from reader.articles.arrivals import SECOND
from reader.models import Preferences
from reader.preferences.store import preferences_of
from rssmanager.authentication import throttling
from rssmanager.authentication.app_passwords import (
    by_fever_key,
    by_password,
    by_password_alone,
    by_token,
    by_write_token,
)
from rssmanager.authentication.models import AppPassword
from rssmanager.middleware.trusted_proxies import client_address

MAX_DATABASE_INTEGER = 2**63 - 1
_FAR_AWAY = 10**11 * SECOND  # in the year 5138
_NO_LISTS = ("NetNewsWire", "RSS Guard")  # apps that take labels for folders, or from articles, and show them empty
_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")


class BadRequest(Exception):
    """What was sent makes no sense; its message is for the app's log."""


class Parameters:
    """The parameters of the query and of the form, which apps mix."""

    def __init__(self, request: HttpRequest) -> None:
        is_form = request.content_type in _FORMS
        self._parts = [request.GET, request.POST]
        self.body = b"" if is_form else request.body  # of a document
        if not is_form and b"<" not in self.body:
            self._parts.append(QueryDict(self.body[: 2**20]))  # some apps name no type, or another one

    def __contains__(self, name: str) -> bool:
        return any(name in part for part in self._parts)

    def all(self, name: str) -> list[str]:
        """All values, each once."""
        return list(dict.fromkeys(value.replace("\0", "") for part in self._parts for value in part.getlist(name)))

    def one(self, name: str, default: str = "") -> str:
        return next(iter(self.all(name)), default)

    def number(self, name: str, default: int, *, most: int) -> int:
        """A number from 0 to `most`; the default if it's missing or invalid."""
        return min(most, number) if (number := as_number(self.one(name))) is not None and number >= 0 else default

    def posted(self, name: str) -> str:
        """A value from the form."""
        return next((part[name].replace("\0", "") for part in self._parts[1:] if name in part), "")

    def arrival(self, name: str, *, is_end: bool = False) -> int | None:
        """A timestamp in microseconds, as arrivals are; None if it's missing or invalid.

        It may have been sent in seconds or milliseconds; `is_end`: it means that whole second or millisecond.
        """
        number = as_number(self.one(name))
        if number is None or number <= 0:
            return None
        unit = SECOND
        while number * unit > _FAR_AWAY:
            number, unit = (number, unit // 1000) if unit > 1 else (number // 1000, 1)
        return number * unit + (unit - 1 if is_end else 0)


def as_number(text: str) -> int | None:
    """The number, None if it's missing, invalid or too large for the database."""
    text = text.strip()
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 20):
        return None
    return number if abs(number := int(text)) <= MAX_DATABASE_INTEGER else None


@dataclass(frozen=True, slots=True)
class Caller:
    """The user of the app that sent a request, their preferences, and what it sent.

    `reads_labels`: the app can show the articles of a label.
    """

    app_password: AppPassword
    user: User
    preferences: Preferences
    scopes: frozenset[str]
    reads_labels: bool
    sent: Parameters
    now: datetime


def sign_in(request: HttpRequest, sent: Parameters, *, now: datetime) -> AppPassword | None:
    """The app password for a user name and a password. Raises TooManyTries."""
    if not (password := sent.one("Passwd")):
        return None  # no guess, which isn't counted
    return _counted(request, by_password(sent.one("Email"), password, now=now), now)


def google_reader_caller(request: HttpRequest, *, now: datetime) -> Caller | None:
    """The caller, from the `Authorization` header: a token, or user name and password; or from a form's `T`.

    Raises TooManyTries.
    """
    scheme, _, given = request.headers.get("Authorization", "").partition(" ")
    match scheme.lower():
        case "":
            token = Parameters(request).posted("T") if request.method == "POST" else ""
            if "." not in token:
                return None  # what apps send in place of a token that they don't need is no guess
            found = by_token(token, now=now) or by_write_token(token, now=now)
        case "basic":
            name, password = _basic(given)
            found = by_password(name, password, now=now)
        case _:  # `GoogleLogin auth=token` or `Bearer token`
            found = by_token(given.strip().removeprefix("auth=").strip('"'), now=now)
    return _caller(request, _counted(request, found, now), now)


def bearer_of(request: HttpRequest, token: str, *, now: datetime) -> AppPassword | None:
    """The app password that was sent as a bearer token. Raises TooManyTries."""
    return _counted(request, by_password_alone(token, now=now), now)


def fever_caller(request: HttpRequest, *, now: datetime) -> Caller | None:
    """The caller, from Fever's `api_key`. Raises TooManyTries."""
    sent = Parameters(request)
    key = sent.one("api_key")
    return _caller(request, _counted(request, by_fever_key(key, now=now), now), now) if key else None


def _caller(request: HttpRequest, app_password: AppPassword | None, now: datetime) -> Caller | None:
    if app_password is None:
        return None
    user = app_password.user
    return Caller(
        app_password=app_password,
        user=user,
        preferences=preferences_of(user),
        scopes=frozenset(app_password.may),
        reads_labels=not any(name in request.headers.get("User-Agent", "") for name in _NO_LISTS),
        sent=Parameters(request),
        now=now,
    )


def _counted(request: HttpRequest, found: AppPassword | None, now: datetime) -> AppPassword | None:
    if found is None:
        throttling.count_try(_counts(request), now=now)
    return found


def _counts(request: HttpRequest) -> Sequence[throttling.Count]:
    return [throttling.address_count(throttling.APP, client_address(request))]


def _basic(given: str) -> tuple[str, str]:
    try:
        name, _, password = b64decode(given, validate=True).decode().partition(":")
    except (binascii.Error, ValueError):
        return "", ""
    return name, password
