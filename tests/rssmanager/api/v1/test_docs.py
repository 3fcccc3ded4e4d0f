"""The examples of docs/api.md, run by curl against a running server, and webhooks as they are described there."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django.live_server_helper import LiveServer

from reader.models import Rule, Webhook
from reader.send_to.webhooks import payload
from rssmanager.api.v1.urls import document
from rssmanager.authentication import app_passwords
from rssmanager.authentication.models import Scope
from tests import make
from tests.rssmanager.api.v1.conftest import deliver

PAGE = Path(__file__).parents[4] / "docs" / "api.md"
COMMANDS = [
    command
    for block in re.findall(r"```sh\n(.*?)```", PAGE.read_text(), re.DOTALL)
    for command in block.replace("\\\n", "").strip().splitlines()
]


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(shutil.which("curl") is None, reason="curl isn't installed")
def test_examples_work(live_server: LiveServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("rssmanager.api.v1.feeds", "reader.subscriptions.save_page"):
        monkeypatch.setattr(f"{module}.call_worker", lambda *_: True)
    ada = make.user("ada")
    token = app_passwords.create(ada, name="Script", scopes=tuple(Scope), now=make.NOW)
    [article] = deliver(ada)
    values = {"TOKEN": token, "API": f"{live_server.url}/api/v1", "ARTICLE": str(article.pk)}
    assert len(COMMANDS) == 12
    for command in COMMANDS:
        done = subprocess.run(
            ["sh", "-c", command.replace("curl ", "curl --silent --show-error --fail-with-body ", 1)],
            env=os.environ | values,
            cwd=tmp_path,
            capture_output=True,
            timeout=30,
            check=False,
        )
        assert done.returncode == 0, (command, done.stdout, done.stderr)
        if "-o" not in command:
            json.loads(done.stdout)
    assert Rule.objects.get().stars
    assert "example.org/feed.xml" in (tmp_path / "feeds.opml").read_text()


@pytest.mark.django_db
def test_payload_is_as_described() -> None:
    [described] = re.findall(r"```json\n(.*?)```", PAGE.read_text(), re.DOTALL)
    ada = make.user()
    [article] = deliver(ada)
    row = Webhook(rule=make.rule(ada), article=article, message_id="m")

    def shape(value: object) -> object:
        return {name: shape(one) for name, one in value.items()} if isinstance(value, dict) else None

    assert shape(dict(payload(row, make.NOW))) == shape(json.loads(described))


@pytest.mark.django_db
def test_page_shows_every_endpoint_without_other_hosts(client: Client) -> None:
    assert client.get(reverse("api")).status_code == 302
    client.force_login(make.user())
    text = client.get(reverse("api")).content.decode()
    for path, methods in document()["paths"].items():
        for method in methods:
            assert f"<b>{method.upper()}</b> {path}</code>" in text
    assert re.findall(r'(?:src|href)="(?:https?:)?//[^"]+', text) == []
    answer = Client().get(reverse("openapi"))
    assert (answer.status_code, answer.json()["openapi"]) == (200, "3.1.0")
    assert "max-age=3600" in answer["Cache-Control"]


def test_document_describes_everything_exactly() -> None:
    """No value is just an object, and OPML is OPML."""
    described = document()
    vague: list[str] = []

    def look(place: str, schema: Any) -> None:
        if isinstance(schema, list):
            for part in schema:
                look(place, part)
        if not isinstance(schema, dict):
            return
        is_object = schema.get("type") == "object" and not schema.get("properties")
        if schema == {} or (is_object and schema.get("additionalProperties", True) is True):
            vague.append(place)
        for name, part in schema.items():
            if name not in ("description", "default", "enum", "title", "example"):
                look(f"{place}.{name}", part)

    for name, schema in described["components"]["schemas"].items():
        look(name, schema)
    assert vague == []
    opml = described["paths"]["/opml"]
    assert list(opml["get"]["responses"][200]["content"]) == ["text/x-opml"]
    assert list(opml["post"]["requestBody"]["content"]) == ["text/x-opml", "application/xml", "text/xml"]
    for path, operations in described["paths"].items():
        for method, operation in operations.items():
            for parameter in operation["parameters"]:
                look(f"{method} {path} {parameter['name']}", parameter["schema"])
            answers = [one for status, one in operation["responses"].items() if status not in (202, 204, "4XX")]
            assert all(one.get("content") for one in answers), (method, path)
    assert vague == []


def test_names_have_one_style() -> None:
    described = document()
    names = {name for schema in described["components"]["schemas"].values() for name in schema.get("properties", {})}
    names |= {
        parameter["name"]
        for operations in described["paths"].values()
        for operation in operations.values()
        for parameter in operation["parameters"]
    }
    assert [name for name in names if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name)] == []
    flags = {
        name
        for schema in described["components"]["schemas"].values()
        for name, one in schema.get("properties", {}).items()
        if one.get("type") == "boolean" and not name.startswith(("is_", "was_", "has_"))
    }
    assert flags == {"html", "marks_read", "mutes", "sends", "stars"}  # what is asked for, and what a rule does
