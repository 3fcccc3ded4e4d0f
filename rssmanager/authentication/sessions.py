"""Sessions that know their user, browser and address, and whose keys can't be read in the database.

Django's table holds the keys from the cookies, so anyone who reads it, or a backup, can sign in as anyone. Here a row
has the digest of its key; 160 random bits need no salt. The rest is Django's database store, extended in the two ways
it offers: another model, and what is written into its rows.

The middleware sets `browser` for each request. A row is marked as seen every 15 minutes at most, so that reading
doesn't write.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, cast

from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.sessions.backends.db import SessionStore as DatabaseStore
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from feeds.storage.compiled import compiled
from rssmanager.authentication.models import BrowserSession

RECORD_USE_EVERY = timedelta(minutes=15)
WAITING = "waits_for_code"  # of a session: a user without their second factor yet (`entering`)


@dataclass(frozen=True, slots=True)
class Browser:
    """A User-Agent and an IP address."""

    agent: str = ""
    address: str = ""


class SessionStore(DatabaseStore):
    """`settings.SESSION_ENGINE`."""

    browser = Browser()
    row: BrowserSession | None = None  # as it was loaded

    @classmethod
    def get_model_class(cls) -> type[BrowserSession]:
        return BrowserSession

    def load(self) -> dict[str, Any]:
        self.row = next(iter(_valid(digest(self.session_key or ""), timezone.now())), None)
        if self.row is None:
            self._session_key = None
            return {}
        return dict(self.decode(self.row.session_data))

    def exists(self, session_key: str) -> bool:
        return super().exists(digest(session_key))

    def delete(self, session_key: str | None = None) -> None:
        key = session_key or self.session_key
        if key is not None:
            super().delete(digest(key))

    def create_model_instance(self, data: dict[str, Any]) -> BrowserSession:
        now, user_id = timezone.now(), int(data[SESSION_KEY]) if SESSION_KEY in data else None
        is_same_user = self.row is not None and self.row.user_id == user_id
        return BrowserSession(
            session_key=digest(self._get_or_create_session_key()),  # type: ignore[attr-defined]
            session_data=self.encode(data),
            expire_date=self.get_expiry_date(),
            user_id=user_id,
            waits_for_id=data[WAITING]["user_id"] if WAITING in data else None,
            agent=self.browser.agent,
            address=self.browser.address,
            began_at=self.row.began_at if self.row is not None and is_same_user else now,
            seen_at=now,
        )

    def mark_seen(self, *, now: datetime) -> None:
        """Record that the session is used, unless that was done recently."""
        if self.row is not None and self.row.user_id is not None and now - self.row.seen_at >= RECORD_USE_EVERY:
            values = {"agent": self.browser.agent, "address": self.browser.address, "seen_at": now}
            BrowserSession.objects.filter(pk=self.row.pk).update(**values)


@compiled
def _valid(digested: str, now: datetime) -> QuerySet[BrowserSession]:
    return BrowserSession.objects.filter(session_key=digested, expire_date__gt=now)


def digest(session_key: str) -> str:
    """The stored form of a key: 64 characters."""
    return sha256(session_key.encode()).hexdigest()


def sessions_of(user: User, *, now: datetime) -> list[BrowserSession]:
    """The user's valid sessions, last seen first; those from before a password change aren't valid."""
    rows = BrowserSession.objects.filter(user=user, expire_date__gt=now).order_by("-seen_at")
    proof = user.get_session_auth_hash()
    return [row for row in rows if constant_time_compare(row.get_decoded().get(HASH_SESSION_KEY, ""), proof)]


def delete_anonymous(*, now: datetime) -> None:
    """Delete sessions without a user that are older than a day."""
    BrowserSession.objects.filter(user=None, seen_at__lt=now - timedelta(days=1)).delete()


def end_sessions(user: User, *, except_key: str | None) -> int:
    """End the user's sessions except the one with this key, including pending sign-ins; returns how many."""
    own = BrowserSession.objects.filter(Q(user=user) | Q(waits_for=user))
    return own.exclude(session_key=digest(except_key or "")).delete()[0]


def browser_of(request: HttpRequest) -> Browser:
    """The browser that sent this request."""
    return cast(SessionStore, request.session).browser
