"""Recurring cleanup. Safe to run twice."""

from django.utils import timezone

from rssmanager.authentication import throttling
from rssmanager.authentication.sessions import SessionStore, delete_anonymous


def delete_expired() -> None:
    """Delete old attempts and expired sessions; daily."""
    now = timezone.now()
    throttling.delete_expired(now=now)
    delete_anonymous(now=now)
    SessionStore.clear_expired()
