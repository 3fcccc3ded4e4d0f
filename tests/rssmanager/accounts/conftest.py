"""A recording task queue, and a user with a pending import."""

from collections.abc import Callable
from io import BytesIO

import pytest
from django.contrib.auth.models import User
from django.test import Client

from rssmanager.accounts.importing import begin
from rssmanager.accounts.models import DataImport
from tests import make

Enqueued = list[tuple[object, ...]]


@pytest.fixture
def enqueued(monkeypatch: pytest.MonkeyPatch) -> Enqueued:
    calls: Enqueued = []
    for module in ("rssmanager.accounts.views.data", "rssmanager.accounts.views.account", "rssmanager.accounts.tasks"):
        monkeypatch.setattr(f"{module}.call_worker", lambda *given: calls.append(given))
    return calls


@pytest.fixture
def preview() -> Callable[[User], DataImport]:
    def make_preview(user: User) -> DataImport:
        file = BytesIO(b'{"kind": "rssmanager", "version": 1}\n{"kind": "tag", "name": "Kept"}')
        return begin(user, file, name="mine.jsonl", now=make.NOW)

    return make_preview


@pytest.fixture
def ada(client: Client) -> User:
    """Signed in just now, so she isn't asked to confirm anything."""
    user = make.user("ada", email="ada@example.org")
    client.force_login(user)
    return user
