"""Environment variables: invalid values are refused by name, and the documentation is correct."""

import re
import tomllib
from dataclasses import fields
from ipaddress import ip_network

import pytest
from django.core.exceptions import ImproperlyConfigured

from rssmanager.env import PROJECT, Environment, read_environment
from tests.tables import table

NAMES = [field.name for field in fields(Environment)]


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("environs.Env.read_env", lambda *_, **__: True)  # ignores a developer's own .env


def test_everything_has_a_default() -> None:
    env = read_environment()
    assert (env.WORKERS, env.FETCH_TIMEOUT, env.FETCH_ALLOW_PRIVATE_NETWORKS, env.REDIS_URL) == (2, 30.0, False, "")


@table(
    ("name", "value"),
    [
        ("DATABASE_URL", "mysql://root@localhost/x"),
        ("DATABASE_URL", "nonsense"),
        ("REDIS_URL", "http://127.0.0.1"),
        ("DEBUG", "perhaps"),
        ("BASE_URL", "reader.example.org"),
        ("BASE_URL", "https://reader.example.org/below?a=1"),
        ("BASE_URL", "https://reader.example.org//below"),
        ("BASE_URL", "https://reader.example.org/../below"),
        ("BASE_URL", "https://me:secret@reader.example.org"),
        ("BASE_URL", "https://"),
        ("TIME_ZONE", "Mars/Olympus"),
        ("INTERFACE_LANGUAGE", "tlh"),
        ("LOG_LEVEL", "loud"),
        ("WORKERS", "0"),
        ("WORKERS", "many"),
        ("FETCH_TIMEOUT", "-1"),
        ("FETCH_TIMEOUT", "nan"),
        ("FETCH_MAX_BYTES", "12"),
        ("FETCH_ALLOWED_NETWORKS", "192.168.1.5/24"),
        ("FETCH_ALLOWED_NETWORKS", "home"),
        ("TRUSTED_PROXIES", "proxy.example"),
        ("PROXY_SIGN_IN_HEADER", "Remote_User"),
        ("PROXY_SIGN_IN_HEADER", "Remote-User: ada"),
        ("PROXY_SIGN_IN_HEADER", "Remote-User"),  # without TRUSTED_PROXIES
        ("OIDC_ISSUER", "id.example.org"),
        ("OIDC_ISSUER", "https://id.example.org"),  # without OIDC_CLIENT_ID
        ("EMAIL_URL", "carrier-pigeon://x"),
        ("EMAIL_URL", "smtp+tls://mail.example"),
        ("DECAY_RATES", "0.1"),
        ("DECAY_RATES", "0.1,0.2,0.3,0.4,slow"),
        ("DECAY_RATES", "0.1,0.2,0.4,0.3,0.5"),
        ("DECAY_RATES", "-0.1,0.2,0.3,0.4,0.5"),
        ("DECAY_RATES", "0.1,0.2,0.3,0.4,inf"),
        ("DECAY_RATES", "nan,nan,nan,nan,nan"),
        ("LLM_BASE_URL", "127.0.0.1:8080"),
        ("LLM_BASE_URL", "ftp://models.example/v1"),
        ("LLM_BASE_URL", "http://"),
        ("LLM_BASE_URL", "http://models.example:port/v1"),
        ("LLM_BASE_URL", "https://models.example/v1?key=1"),
        ("LLM_API_KEY", "two words"),
        ("LLM_TIMEOUT", "0"),
        ("LLM_RATE", "0"),
        ("RETENTION_DAYS", "6"),
        ("RETENTION_DAYS", "-1"),
        ("RETENTION_ITEMS", "-1"),
    ],
)
def test_refuses_invalid_values_by_name(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setenv(name, value)
        with pytest.raises(ImproperlyConfigured, match=name):
            read_environment()


@pytest.mark.parametrize(
    ("name", "value", "read"),
    [
        ("DATABASE_URL", "postgres://u:p@db:5432/n", "n"),
        ("REDIS_URL", "redis://127.0.0.1:6379/0", "redis://127.0.0.1:6379/0"),
        ("ALLOWED_HOSTS", "a.example, b.example,", ("a.example", "b.example")),
        ("FETCH_ALLOWED_NETWORKS", "192.168.1.0/24,fd00::/8", (ip_network("192.168.1.0/24"), ip_network("fd00::/8"))),
        ("BASE_URL", "https://reader.example.org/", "https://reader.example.org"),
        ("BASE_URL", "https://example.org:8443/our/reader/", "https://example.org:8443/our/reader"),
        ("LOG_LEVEL", "debug", "DEBUG"),
        ("DECAY_RATES", "", (0.0019, 0.004, 0.0231, 0.069, 0.139)),
        ("DECAY_RATES", "0, 0,0.1,0.5,2", (0.0, 0.0, 0.1, 0.5, 2.0)),
        ("LLM_BASE_URL", "http://[::1]:8080/v1/", "http://[::1]:8080/v1/"),
        ("RETENTION_DAYS", "0", 0),
        ("RETENTION_DAYS", "7", 7),
    ],
)
def test_reads(name: str, value: str, read: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, value)
    value_read = getattr(read_environment(), name)
    assert (value_read["NAME"] if name == "DATABASE_URL" else value_read) == read


def test_refused_secret_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_API_KEY", "sk-very-secret")
    monkeypatch.setenv("LLM_BASE_URL", "https://me:very-secret@models.example")
    assert "very-secret" not in repr(read_environment())
    monkeypatch.setenv("LLM_API_KEY", "sk-very-secret with a space")
    with pytest.raises(ImproperlyConfigured) as refusal:
        read_environment()
    assert "very-secret" not in str(refusal.value)


def test_docs_list_every_variable_with_its_default_and_help() -> None:
    page = (PROJECT / "docs/configuration.md").read_text(encoding="utf-8")
    table = dict(re.findall(r"^\| `([A-Z_]+)` \| (.*) \|$", page, re.MULTILINE))
    expected = {field.name: f"{field.metadata['default']} | {field.metadata['help']}" for field in fields(Environment)}
    assert table == expected


def test_example_file_is_complete_and_valid() -> None:
    example = (PROJECT / ".env.example").read_text(encoding="utf-8")
    assert re.findall(r"^#?([A-Z_]+)=", example, re.MULTILINE) == NAMES


def test_docs_give_a_reason_for_every_dependency() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    names = {re.split(r"[\[~<>=]", requirement)[0].lower() for requirement in project["dependencies"]}
    page = (PROJECT / "docs/dependencies.md").read_text(encoding="utf-8")
    lines = re.findall(r"^\| ([\w, -]+) \| \S", page, re.MULTILINE)
    explained = {name.strip().lower() for line in lines for name in line.split(",")} - {"package"}
    assert explained == names


@pytest.mark.parametrize(
    ("url", "backend", "host", "tls", "ssl"),
    [
        ("", "console", None, False, False),
        ("submission://u:p@mail.example", "smtp", "mail.example", True, False),
        ("smtp://mail.example:25", "smtp", "mail.example", False, False),
        ("smtp://mail.example:465?ssl=True", "smtp", "mail.example", False, True),
    ],
)
def test_mail(url: str, backend: str, host: str | None, tls: bool, ssl: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMAIL_URL", url)
    mail = read_environment().EMAIL_URL
    assert mail["EMAIL_BACKEND"] == f"django.core.mail.backends.{backend}.EmailBackend"
    assert (mail.get("EMAIL_HOST"), mail.get("EMAIL_USE_TLS", False), mail.get("EMAIL_USE_SSL", False)) == (
        host,
        tls,
        ssl,
    )
