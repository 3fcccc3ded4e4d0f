"""A client of the JSON API. Each of its answers is checked against the OpenAPI document."""

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client
from django.urls import resolve
from jsonschema import Draft202012Validator

from feeds.models import Article
from reader.models import Subscription
from rssmanager.api.v1.urls import ENDPOINTS, document
from rssmanager.authentication import app_passwords
from rssmanager.authentication.models import Scope
from tests import make

ROOT = "/api/v1/"


@dataclass(slots=True)
class Script:
    """A program of a user, with an app password of these scopes."""

    user: User
    scopes: Collection[str] = tuple(Scope)
    client: Client = field(default_factory=lambda: Client(enforce_csrf_checks=True))
    password: str = ""

    def __post_init__(self) -> None:
        self.password = app_passwords.create(self.user, name="Script", scopes=self.scopes, now=make.NOW)

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.password}"}

    def ask(self, method: str, path: str, body: Any = None, **query: Any) -> HttpResponse:
        """The answer, after a check against the OpenAPI document."""
        address = f"{ROOT}{path}?{urlencode(query, doseq=True)}" if query else f"{ROOT}{path}"
        data = b"" if body is None else json.dumps(body)
        answer = self.client.generic(method, address, data, content_type="application/json", headers=self.headers)
        check(method, address, answer)
        return answer

    def get(self, path: str, status: int = 200, **query: Any) -> Any:
        return _json(self.ask("GET", path, **query), status)

    def post(self, path: str, body: Any = None, status: int = 200) -> Any:
        return _json(self.ask("POST", path, {} if body is None else body), status)

    def patch(self, path: str, body: Any, status: int = 200) -> Any:
        return _json(self.ask("PATCH", path, body), status)

    def put(self, path: str, body: Any, status: int = 200) -> Any:
        return _json(self.ask("PUT", path, body), status)

    def delete(self, path: str, status: int = 204) -> Any:
        return _json(self.ask("DELETE", path), status)

    def ids(self, path: str = "articles", **query: Any) -> list[int]:
        """The ids of all pages."""
        found: list[int] = []
        while True:
            page = self.get(path, **query)
            found += [row["id"] for row in page["items"]]
            if not page["next"]:
                return found
            query["cursor"] = page["next"]


def _json(answer: HttpResponse, status: int) -> Any:
    assert answer.status_code == status, answer.content
    return answer.json() if answer.content else None


@cache
def _validators(path: str, method: str, status: int) -> dict[str, Draft202012Validator]:
    """By content type, what an answer may be."""
    described = document()
    answers = {str(code): one for code, one in described["paths"][path][method.lower()]["responses"].items()}
    code = "4XX" if status // 100 == 4 else str(status)
    assert code in answers, f"{method} {path} may not answer {status}"
    return {
        kind: Draft202012Validator({**one["schema"], "components": described["components"]})
        for kind, one in answers[code].get("content", {}).items()
    }


def check(method: str, address: str, answer: HttpResponse) -> None:
    """Check an answer of an endpoint against the document."""
    match = resolve(address.partition("?")[0].removeprefix("/api/v1"), ENDPOINTS)
    if answer.status_code == 405 or match.url_name == "unknown":
        return
    validators = _validators("/" + match.route.replace("<int:pk>", "{id}"), method, answer.status_code)
    if not validators:
        assert answer.content == b""
        return
    kind = answer["Content-Type"].partition(";")[0]
    shown = answer.json() if "json" in kind else answer.content.decode()
    errors = [f"{error.json_path}: {error.message}" for error in validators[kind].iter_errors(shown)]
    assert errors == []


@pytest.fixture
def script(db: None) -> Iterator[Script]:
    return Script(make.user("ada"))


def deliver(user: User, n: int = 1, *, subscription: Subscription | None = None, **values: Any) -> list[Article]:
    """New articles of a user."""
    subscription = subscription or make.subscription(user)
    articles = [make.article(feed=subscription.feed, **values) for _ in range(n)]
    for article in articles:
        make.delivery(subscription, article)
    return articles
