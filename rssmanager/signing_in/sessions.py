"""Sessions whose rows know whose they are, of which browser and from where, and do not hold what opens them.

Django's own table holds the very keys that the browsers' cookies bring: who reads it, or a backup, is everybody. Here a
row is under the digest of its key, of which 160 random bits need no salt. The rest is Django's database store, with
the two ways it offers to extend it: another model, and what is written into its rows.

`Browser` is told by the middleware for each request. A row is marked as seen again after a quarter of an hour at the
earliest, so that reading does not write.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.sessions.backends.db import SessionStore as DatabaseStore
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from rssmanager.signing_in.models import BrowserSession

SEEN_EVERY = timedelta(minutes=15)


@dataclass(frozen=True, slots=True)
class Browser:
    """What asks: as it calls itself, and its address."""

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
        found = BrowserSession.objects.filter(session_key=digest(self.session_key or ""))
        self.row = found.filter(expire_date__gt=timezone.now()).first()
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
        is_theirs = self.row is not None and self.row.user_id == user_id
        return BrowserSession(
            session_key=digest(self._get_or_create_session_key()),  # type: ignore[attr-defined]
            session_data=self.encode(data),
            expire_date=self.get_expiry_date(),
            user_id=user_id,
            agent=self.browser.agent,
            address=self.browser.address,
            began_at=self.row.began_at if self.row is not None and is_theirs else now,
            seen_at=now,
        )

    def mark_seen(self, *, now: datetime) -> None:
        """Write down that it is used, if that is worth it."""
        if self.row is not None and self.row.user_id is not None and now - self.row.seen_at >= SEEN_EVERY:
            seen = {"agent": self.browser.agent, "address": self.browser.address, "seen_at": now}
            BrowserSession.objects.filter(pk=self.row.pk).update(**seen)


def digest(session_key: str) -> str:
    """What stands in the table for a key: 64 characters."""
    return sha256(session_key.encode()).hexdigest()


def sessions_of(user: User, *, now: datetime) -> list[BrowserSession]:
    """The user's sessions that still open, those seen last first; one of a password before does not."""
    rows = BrowserSession.objects.filter(user=user, expire_date__gt=now).order_by("-seen_at")
    proof = user.get_session_auth_hash()
    return [row for row in rows if constant_time_compare(row.get_decoded().get(HASH_SESSION_KEY, ""), proof)]


def clear_nobodys(*, now: datetime) -> None:
    """Forget sessions in which nobody signed in: the code or the answer they wait for comes in minutes."""
    BrowserSession.objects.filter(user=None, seen_at__lt=now - timedelta(days=1)).delete()


def end_others(user: User, *, but: str | None) -> int:
    """End all sessions of the user `but` the one of this key; returns how many there were."""
    others = BrowserSession.objects.filter(user=user).exclude(session_key=digest(but or ""))
    return others.delete()[0]
