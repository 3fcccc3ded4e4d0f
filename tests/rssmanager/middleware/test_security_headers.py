"""Security headers of every response, and Django's deployment checks."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.test import Client
from pytest_django import Settings

from reader.views import lists
from rssmanager.accounts.models import DataImport
from rssmanager.env import PROJECT
from rssmanager.middleware import error_pages
from rssmanager.middleware.readiness import Readiness, Unready
from rssmanager.middleware.security_headers import add_headers
from tests import make
from tests.digests.test_views_access import ADDRESSES as OF_DIGESTS
from tests.digests.test_views_access import World as DigestWorld
from tests.digests.test_views_access import world as digest_world
from tests.reader import conftest as of_reader
from tests.reader.conftest import World
from tests.reader.test_views_access import ADDRESSES as OF_READER
from tests.rssmanager.accounts import conftest as of_account
from tests.rssmanager.accounts.test_views_access import ADDRESSES as OF_ACCOUNT

pytestmark = pytest.mark.django_db

of_digests, make_world, enqueued, preview = digest_world, of_reader.make_world, of_reader.enqueued, of_account.preview

EXPECTED = {
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "Strict-Transport-Security": "max-age=31536000",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
BROWSER = {"Accept": "text/html"}
MAY_BE_SHARED = ("/manifest.webmanifest", "/service-worker.js", "/samples/")  # contain no user data
WITHOUT_POLICY = ("/healthz", "/readyz")  # plain text for programs, sent before other middleware: no page to protect


def check(answer: HttpResponse, path: str) -> None:
    is_frame = "/player/" in path  # within an article's page
    expected = EXPECTED | ({"X-Frame-Options": "SAMEORIGIN"} if is_frame else {})
    assert {name: answer.headers.get(name) for name in expected} == expected, path
    assert "camera=(), " in answer.headers["Permissions-Policy"], path
    if not path.startswith(MAY_BE_SHARED):
        stored = {directive.strip() for directive in answer.headers.get("Cache-Control", "").split(",")}
        assert stored & {"private", "no-store"}, path
    if path not in WITHOUT_POLICY:
        assert ("default-src 'none'" if is_frame else "default-src 'self'") in answer.headers[
            "Content-Security-Policy"
        ], path
    for name, cookie in answer.cookies.items():
        assert (cookie["secure"], cookie["httponly"], cookie["samesite"]) == (True, True, "Lax"), (path, name)


class CheckingClient(Client):
    """A test client over HTTPS that checks the headers of each response."""

    n_answers = 0

    def request(self, **asked: object) -> HttpResponse:
        response = super().request(**asked | {"wsgi.url_scheme": "https"})
        check(response, str(asked["PATH_INFO"]))
        self.n_answers += 1
        return response


@pytest.fixture
def visitor(settings: Settings) -> CheckingClient:
    """A client with the settings of an HTTPS `BASE_URL`."""
    settings.SECURE_HSTS_SECONDS = 365 * 24 * 3600
    settings.SESSION_COOKIE_SECURE = settings.CSRF_COOKIE_SECURE = True
    return CheckingClient(raise_request_exception=False)


@pytest.mark.slow
def test_reader_responses_have_all_headers(visitor: CheckingClient, make_world: Callable[..., World]) -> None:
    world = make_world()
    visitor.force_login(world.user)
    for address in OF_READER:
        if address.method == "get":
            assert address.ask(visitor, world) == address.status
    assert visitor.n_answers > 40


def test_digest_responses_have_all_headers(visitor: CheckingClient, of_digests: DigestWorld, enqueued: object) -> None:
    visitor.force_login(of_digests.user)
    for of_digest in OF_DIGESTS:
        if of_digest.method == "get":
            assert of_digest.ask(visitor, of_digests) == of_digest.status
    assert visitor.n_answers > 3


def test_account_responses_have_all_headers(visitor: CheckingClient, preview: Callable[[User], DataImport]) -> None:
    user = make.user("ada", email="ada@example.org")
    visitor.force_login(user)
    job = preview(user)
    for address in OF_ACCOUNT:
        if address.method == "get":
            assert address.ask(visitor, job) == address.status
    assert visitor.n_answers > 4


@pytest.mark.parametrize(
    "path", ["/", "/login/", "/forgotten/", "/offline/", "/service-worker.js", "/admin/", "/healthz"]
)
def test_anonymous_responses_have_all_headers(visitor: CheckingClient, path: str) -> None:
    make.user()
    assert visitor.get(path).status_code in (200, 302)


class TestErrors:
    def test_400(self, visitor: CheckingClient) -> None:
        assert visitor.get("/login/", headers=BROWSER | {"host": "evil.example"}).status_code == 400

    def test_403(self, visitor: CheckingClient) -> None:
        visitor.handler.enforce_csrf_checks = True
        assert visitor.post("/login/", headers=BROWSER).status_code == 403

    def test_404(self, visitor: CheckingClient) -> None:
        visitor.force_login(make.user())
        assert visitor.get("/nothing/here/", headers=BROWSER).status_code == 404

    def test_405(self, visitor: CheckingClient) -> None:
        visitor.force_login(make.user())
        assert visitor.post("/all/", headers=BROWSER).status_code == 405

    def test_500(self, visitor: CheckingClient, monkeypatch: pytest.MonkeyPatch) -> None:
        def fail(*_: object, **__: object) -> None:
            raise LookupError

        monkeypatch.setattr(lists, "page_of", fail)
        visitor.force_login(make.user())
        assert visitor.get("/all/", headers=BROWSER).status_code == 500

    def test_503(self, visitor: CheckingClient, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(error_pages, "READINESS", Readiness())
        monkeypatch.setattr(Readiness, "problem", lambda *_: Unready.UNAVAILABLE)
        assert visitor.get("/all/", headers=BROWSER).status_code == 503
        assert visitor.get("/readyz").status_code == 503


def test_keeps_headers_set_by_a_view() -> None:
    own = HttpResponse(headers={"Cross-Origin-Resource-Policy": "cross-origin"})
    assert add_headers(lambda _: own)(HttpRequest()).headers["Cross-Origin-Resource-Policy"] == "cross-origin"


def checked(base_url: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"]
    environment = os.environ | {"BASE_URL": base_url, "DATA_DIR": str(folder), "DEBUG": "false", "SECRET_KEY": ""}
    return subprocess.run(command, cwd=PROJECT, env=environment, capture_output=True, text=True)


@pytest.mark.slow
def test_deployment_check_passes_with_https(tmp_path: Path) -> None:
    response = checked("https://reader.example.org", tmp_path)
    assert (response.returncode, response.stderr) == (0, "")


@pytest.mark.slow
def test_deployment_check_warns_without_https(tmp_path: Path) -> None:
    response = checked("http://reader.example.org", tmp_path)
    assert response.returncode == 1
    assert "security.W004" in response.stderr
