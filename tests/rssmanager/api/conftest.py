"""An app with a password of its own, and what it asks."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client

from rssmanager.api import quick_add
from rssmanager.api.streams import article_id_of
from rssmanager.authentication import app_passwords
from tests import make

API = "/api/greader.php/reader/api/0/"


@dataclass(slots=True)
class App:
    """An app of a user, signed in at the Google Reader API."""

    user: User
    scopes: Collection[str] = app_passwords.OF_READING_APPS
    client: Client = field(default_factory=lambda: Client(enforce_csrf_checks=True))
    password: str = ""
    token: str = ""

    def __post_init__(self) -> None:
        self.password = app_passwords.create(self.user, name="Phone", scopes=self.scopes, now=make.NOW)
        answer = self.client.post(
            "/api/greader.php/accounts/ClientLogin", {"Email": self.user.get_username(), "Passwd": self.password}
        )
        self.token = answer.content.decode().partition("Auth=")[2].strip()

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"GoogleLogin auth={self.token}"}

    def get(self, call: str, **query: Any) -> HttpResponse:
        return self.client.get(f"{API}{call}?{urlencode(query, doseq=True)}", headers=self.headers)

    def post(self, call: str, **form: Any) -> HttpResponse:
        return self.client.post(f"{API}{call}", form, headers=self.headers)

    def ids(self, stream: str, **query: Any) -> list[int]:
        """The ids of a stream, following its continuations."""
        found: list[int] = []
        while True:
            answer = self.get("stream/items/ids", s=stream, output="json", **query).json()
            found += [article_id_of(ref["id"]) or 0 for ref in answer["itemRefs"]]
            if not (continuation := answer.get("continuation")):
                return found
            query["c"] = continuation

    def fever(self, query: str, **form: Any) -> dict[str, Any]:
        key = app_passwords.fever_key(self.user.get_username(), self.password)
        answer = self.client.post(f"/api/fever.php?api&{query}", {"api_key": key, **form})
        assert answer.status_code == 200
        return answer.json()


@pytest.fixture(autouse=True)
def no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing waits for a worker, since there is none."""
    monkeypatch.setattr(quick_add, "WAIT", 0.0)


@pytest.fixture
def app(db: None) -> Iterator[App]:
    return App(make.user("ada"))
