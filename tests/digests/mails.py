"""Rows of mail for tests, by plain functions with defaults that a test need not care about."""

from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import uuid4

from django.contrib.auth.models import User
from pytest_django import Settings

from digests.delivery.links import EmailLinks
from digests.edition.document import Edition, Entry
from digests.models import Digest, Mailing, MailingKind
from digests.models.edition_store import store
from digests.rendering.mail import EmailContent
from tests import make
from tests.make import NOW


def reader_with_mail(**values: Any) -> User:
    """A user with an address."""
    return make.user(**{"email": f"reader{make.fresh_number()}@example.org", **values})


def digest(user: User, **values: Any) -> Digest:
    """A morning brief of a day that the user has none of yet."""
    day = NOW.date() + timedelta(days=make.fresh_number())
    times = {"begins_at": NOW - timedelta(days=1), "ends_at": NOW, "made_at": NOW}
    return Digest.objects.create(user=user, **{"kind": "morning", "day": day, "time_zone": "UTC", **times, **values})


def stored(user: User, made: Edition) -> Digest:
    """The edition as the user's digest, each of its articles as a row."""
    topics = [
        replace(topic, lead=_as_row(topic.lead), related=tuple(map(_as_row, topic.related))) for topic in made.topics
    ]
    return store(user, replace(made, topics=tuple(topics)))[0]


def _as_row(told: Entry) -> Entry:
    return replace(told, article_id=make.article(title=told.title).pk)


def mailing(user: User | None = None, **values: Any) -> Mailing:
    """The mail of a digest, due now."""
    values.setdefault("digest", digest(user or reader_with_mail()) if values.get("kind") != "alerts" else None)
    owner = values["digest"].user if values["digest"] else user
    defaults = {"kind": MailingKind.DIGEST, "message_id": f"<{uuid4().hex}@localhost>", "created_at": NOW}
    return Mailing.objects.create(user=owner, **{**defaults, "next_try_at": NOW, **values})


def letter(**values: str) -> EmailContent:
    return EmailContent(
        **{"subject": "Morning brief", "text": "What happened.\n", "html": "<p>What happened.</p>", **values}
    )


def links() -> EmailLinks:
    return EmailLinks(1, NOW, "morning", 7)


def use_smtp(settings: Settings, port: int, **values: Any) -> None:
    """Let mail go to that port of this machine."""
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", port
    for name, value in values.items():
        setattr(settings, f"EMAIL_{name}", value)
