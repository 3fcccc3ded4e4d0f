"""Forwarding headers are trusted only from the operator's own proxies."""

from dataclasses import replace
from ipaddress import ip_network

import pytest
from django.test import Client, RequestFactory
from pytest_django import Settings

from rssmanager.middleware.trusted_proxies import client_address, is_from_proxy, trust_proxy_headers

PROXY, OTHER_PROXY, VISITOR, LIAR = "10.0.0.2", "10.0.7.7", "203.0.113.9", "198.51.100.1"


@pytest.fixture
def _trusting(settings: Settings) -> None:
    networks = (ip_network("10.0.0.0/16"), ip_network("fd00::/8"))
    settings.ENV = replace(settings.ENV, TRUSTED_PROXIES=networks)


@pytest.mark.usefixtures("_trusting")
@pytest.mark.parametrize(
    ("peer", "forwarded", "found"),
    [
        pytest.param(VISITOR, "", VISITOR, id="no proxy"),
        pytest.param(VISITOR, LIAR, VISITOR, id="said by a stranger"),
        pytest.param(PROXY, VISITOR, VISITOR, id="said by a proxy"),
        pytest.param(PROXY, "", PROXY, id="a proxy that says nothing"),
        pytest.param(PROXY, f"{LIAR}, {VISITOR}", VISITOR, id="what the visitor wrote stands left"),
        pytest.param(PROXY, f"{LIAR}, {VISITOR}, {OTHER_PROXY}", VISITOR, id="two proxies"),
        pytest.param(PROXY, f"{OTHER_PROXY}, {LIAR}, {VISITOR}", VISITOR, id="a proxy's address written by a visitor"),
        pytest.param(PROXY, OTHER_PROXY, OTHER_PROXY, id="a visitor among the proxies"),
        pytest.param(PROXY, f"{LIAR}, nonsense", PROXY, id="nonsense, and what is left of it"),
        pytest.param(PROXY, f"{VISITOR}:4711", VISITOR, id="with a port"),
        pytest.param(PROXY, "[2001:db8::7]:4711", "2001:db8::7", id="IPv6 with a port"),
        pytest.param("::ffff:10.0.0.2", "::ffff:203.0.113.9", VISITOR, id="IPv4 written as IPv6"),
        pytest.param("fd00::1", "2001:db8::7", "2001:db8::7", id="IPv6"),
        pytest.param("", VISITOR, "", id="a Unix socket"),
    ],
)
def test_client_address(peer: str, forwarded: str, found: str) -> None:
    headers = {"X-Forwarded-For": forwarded} if forwarded else {}
    assert client_address(RequestFactory().get("/", headers=headers, REMOTE_ADDR=peer)) == found


@pytest.mark.parametrize("peer", ["127.0.0.1", PROXY, "::1"])
def test_trusts_no_proxy_by_default(peer: str) -> None:
    request = RequestFactory().get("/", headers={"X-Forwarded-For": LIAR}, REMOTE_ADDR=peer)
    assert (client_address(request), is_from_proxy(request)) == (peer, False)


@pytest.mark.usefixtures("_trusting")
@pytest.mark.parametrize(("peer", "is_secure"), [(PROXY, True), (VISITOR, False)])
def test_only_a_trusted_proxy_can_declare_https(peer: str, is_secure: bool) -> None:
    request = RequestFactory().get("/", headers={"X-Forwarded-Proto": "https"}, REMOTE_ADDR=peer)
    trust_proxy_headers(lambda request: request)(request)  # type: ignore[arg-type, return-value]
    assert request.is_secure() is is_secure


@pytest.mark.django_db
def test_forms_work_behind_https_without_trusted_proxies(settings: Settings) -> None:
    settings.CSRF_TRUSTED_ORIGINS = ["https://reader.example"]
    settings.ALLOWED_HOSTS = ["reader.example"]
    client = Client(enforce_csrf_checks=True, headers={"host": "reader.example", "x-forwarded-proto": "https"})
    page = client.get("/setup/")
    form = {"csrfmiddlewaretoken": page.context["csrf_token"], "username": ""}
    answers = [
        client.post("/setup/", form, headers={"origin": origin}).status_code
        for origin in ("https://reader.example", "https://evil.example")
    ]
    assert answers == [422, 403]
