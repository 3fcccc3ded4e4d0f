"""Rows of mail for tests, by plain functions with defaults that a test need not care about."""

import itertools
from datetime import timedelta
from typing import Any
from uuid import uuid4

from django.contrib.auth.models import User

from digests.models import Digest, Mailing, MailingKind
from tests import make
from tests.make import NOW

_numbers = itertools.count(1)


def reader_with_mail(**values: Any) -> User:
    """A user with an address."""
    return make.user(**{"email": f"reader{next(_numbers)}@example.org", **values})


def digest(user: User, **values: Any) -> Digest:
    """A morning brief of a day that the user has none of yet."""
    day = NOW.date() + timedelta(days=next(_numbers))
    times = {"begins_at": NOW - timedelta(days=1), "ends_at": NOW, "made_at": NOW}
    return Digest.objects.create(user=user, **{"kind": "morning", "day": day, "time_zone": "UTC", **times, **values})


def mailing(user: User | None = None, **values: Any) -> Mailing:
    """The mail of a digest, due now."""
    values.setdefault("digest", digest(user or reader_with_mail()) if values.get("kind") != "alerts" else None)
    owner = values["digest"].user if values["digest"] else user
    defaults = {"kind": MailingKind.DIGEST, "message_id": f"<{uuid4().hex}@localhost>", "created_at": NOW}
    return Mailing.objects.create(user=owner, **{**defaults, "next_try_at": NOW, **values})
