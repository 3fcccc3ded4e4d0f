"""Signing in and out, and error pages."""

import pytest
from django.test import Client

from tests import make

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(("wanted", "goes_to"), [("/starred/", "/starred/"), ("https://evil.example/", "/")])
def test_signing_in_redirects_to_requested_page(client: Client, wanted: str, goes_to: str) -> None:
    make.user("ada")
    response = client.post("/login/", {"username": "ada", "password": "correct horse", "next": wanted})
    assert response["Location"] == goes_to


def test_wrong_password_shows_error(client: Client) -> None:
    make.user("ada")
    response = client.post("/login/", {"username": "ada", "password": "wrong"})
    assert "Please enter a correct username and password." in response.content.decode()
    assert client.get("/")["Location"] == "/login/?next=/"


def test_signing_out_requires_post(client: Client) -> None:
    client.force_login(make.user())
    assert client.get("/logout/").status_code == 405
    assert client.get("/").status_code == 200
    assert client.post("/logout/")["Location"] == "/login/"
    assert client.get("/").status_code == 302


@pytest.mark.parametrize("path", ["/nowhere/", "/articles/1/", "/feeds/99999999999999999999999/"])
def test_not_found_page_is_friendly(client: Client, path: str) -> None:
    client.force_login(make.user())
    response = client.get(path)
    assert response.status_code == 404
    assert "t exist" in response.content.decode()


def test_explains_expired_form() -> None:
    make.user()
    response = Client(enforce_csrf_checks=True).post("/login/", {})
    assert response.status_code == 403
    assert "This form has expired" in response.content.decode()


def test_server_error_page_is_friendly(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: object, **kwargs: object) -> None:
        raise RuntimeError("a bug")

    client = Client(raise_request_exception=False)
    client.force_login(make.user())
    monkeypatch.setattr("reader.views.lists.page_of", fail)
    response = client.get("/all/", headers={"Accept": "text/html"})
    assert response.status_code == 500
    assert "The error is on our side" in response.content.decode()


def test_policy_allows_only_external_images_and_media(client: Client) -> None:
    make.user()
    policy = client.get("/login/")["Content-Security-Policy"]
    directives = {directive.strip() for directive in policy.split(";")}  # in any order
    assert {"default-src 'self'", "script-src 'self'", "require-trusted-types-for 'script'"} <= directives
    assert "unsafe-" not in policy
