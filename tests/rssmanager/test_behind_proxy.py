"""A browser's first hour through nginx with our example configuration and TLS, at the root and below a path."""

import re
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import which
from urllib.parse import urljoin

import pytest
import requests

from rssmanager.env import PROJECT
from rssmanager.server.supervisor import web_command
from tests.digests.mail_server import free_port
from tests.rssmanager.installation import Installation, installation
from tests.rssmanager.server.test_supervisor import answers, wait_until

EXAMPLE = PROJECT / "rssmanager/deploy/proxies/nginx.conf"
AROUND = """
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    {servers}
}}
"""
PASSWORD = "a long enough phrase"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        which("nginx") is None or which("openssl") is None, reason="nginx and openssl are not both installed here"
    ),
]


@dataclass(frozen=True, slots=True)
class Site:
    """An installation behind a proxy: its URLs with and without TLS, and a browser that trusts it."""

    base: str
    plain: str
    path: str
    browser: requests.Session
    setup_code: str

    def get(self, url: str) -> requests.Response:
        return self._stays_here(self.browser.get(urljoin(f"{self.base}/", url), timeout=60))

    def post(self, url: str, token_of: requests.Response, **data: str) -> requests.Response:
        """Submit a form as browsers do: with its token and the Referer header."""
        token = re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', token_of.text)[0]
        headers = {"Referer": token_of.url, "Origin": self.base.removesuffix(self.path)}
        sent = {"csrfmiddlewaretoken": token, **data}
        return self._stays_here(self.browser.post(urljoin(token_of.url, url), sent, headers=headers, timeout=60))

    def _stays_here(self, answer: requests.Response) -> requests.Response:
        assert [page.url for page in (*answer.history, answer) if not page.url.startswith(f"{self.base}/")] == []
        return answer


@pytest.fixture(params=["", "/reader"], ids=["at the root", "below a path"])
def site(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Site]:
    inner, outer, plain = free_port(), free_port(), free_port()
    base = f"https://localhost:{outer}{request.param}"
    (tmp_path / "data").mkdir()
    with installation(tmp_path / "data", is_bare=True) as reader, ExitStack() as running:
        reader.environment |= {"BASE_URL": base, "DJANGO_SETTINGS_MODULE": "rssmanager.settings"}
        prepared = reader.run("prepare").stdout
        running.enter_context(started(web_command("127.0.0.1", inner), reader))
        wait_until(lambda: answers(f"http://127.0.0.1:{inner}/healthz"), "the reader does not answer")
        _write_settings(tmp_path, request.param, inner=inner, outer=outer, plain=plain)
        running.enter_context(started(["nginx", "-p", str(tmp_path), "-c", str(tmp_path / "nginx.conf")], reader))
        browser = running.enter_context(requests.Session())
        browser.trust_env, browser.verify = False, str(tmp_path / "fullchain.pem")
        site = Site(base, f"http://localhost:{plain}", request.param, browser, prepared.split()[-1])
        wait_until(lambda: _is_up(site), (tmp_path / "error.log").read_text)
        yield site


@contextmanager
def started(command: list[str], reader: Installation) -> Iterator[None]:
    with subprocess.Popen(command, cwd=PROJECT, env=reader.environment) as process:
        try:
            yield
        finally:
            process.terminate()


def _is_up(site: Site) -> bool:
    try:
        return site.browser.get(f"{site.base}/healthz", timeout=5).status_code == 200
    except requests.ConnectionError:
        return False


def _write_settings(folder: Path, path: str, *, inner: int, outer: int, plain: int) -> None:
    """Write our example, adapted as an operator would: name, certificate, ports, path."""
    _make_certificate(folder)
    changes = {
        "/etc/letsencrypt/live/reader.example.org": str(folder),
        "reader.example.org": "localhost",
        "location / {": f"location {path}/ {{",
        "127.0.0.1:8000": f"127.0.0.1:{inner}",
        "listen 443": f"listen 127.0.0.1:{outer}",
        "listen 80": f"listen 127.0.0.1:{plain}",
    }
    servers = "\n".join(line for line in EXAMPLE.read_text().splitlines() if "[::]" not in line)
    for old, new in changes.items():
        assert old in servers
        servers = servers.replace(old, new)
    (folder / "nginx.conf").write_text(AROUND.format(folder=folder, servers=servers))


def _make_certificate(folder: Path) -> None:
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    files = ["-keyout", str(folder / "privkey.pem"), "-out", str(folder / "fullchain.pem")]
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", *files, *names]
    subprocess.run(command, check=True, capture_output=True)


def the_first_hour(site: Site) -> None:
    """Setup, subscribing, static files, signing out and in: all over HTTPS and below the path."""
    setup = site.get("")
    names = {"username": "ada", "email": "", "password1": PASSWORD, "password2": PASSWORD}
    assert site.post("", setup, **names, code="abcde").status_code == 422
    subscribe = site.post("", setup, **names, code=site.setup_code)
    assert (setup.url, subscribe.url) == (f"{site.base}/setup/", f"{site.base}/subscribe/")
    imported = site.post("", subscribe, address="https://paper.invalid/feed")
    assert imported.url.startswith(f"{site.base}/imports/")
    signed_out = site.post(f"{site.path}/logout/", site.get("all/"))
    assert signed_out.url == f"{site.base}/login/"
    response = site.get("starred/")
    assert response.url == f"{site.base}/login/?next={site.path}/starred/"
    assert site.post("", response, username="ada", password=PASSWORD, next=f"{site.path}/starred/").url.endswith(
        "/starred/"
    )


def assets_are_compressed_and_cached(site: Site) -> None:
    page = site.get("login/")
    needed = re.findall(r'(?:src|href)="([^"]+\.(?:js|css|svg|png))"', page.text)
    assert needed
    for url in needed:
        response = site.get(url)
        assert (response.status_code, "immutable" in response.headers["Cache-Control"]) == (200, True), url
    assert page.headers["Content-Encoding"] == "gzip"
    assert "max-age" in page.headers["Strict-Transport-Security"]


def manifest_and_service_worker_are_below_the_path(site: Site) -> None:
    manifest = site.get("manifest.webmanifest").json()
    assert (manifest["scope"], manifest["start_url"]) == (f"{site.path}/", f"{site.path}/")
    assert [site.get(icon["src"]).status_code for icon in manifest["icons"]] == [200] * len(manifest["icons"])
    script = site.get("service-worker.js").text
    assert site.get(re.findall(r'const PAGE = "([^"]+)"', script)[0]).status_code == 200


def cookies_are_limited_to_the_path(site: Site) -> None:
    site.get("setup/")
    cookies = list(site.browser.cookies)
    assert cookies
    assert {(cookie.secure, cookie.path) for cookie in cookies} == {(True, f"{site.path}/")}


def urls_for_other_programs_are_absolute(site: Site) -> None:
    page = site.post(f"{site.path}/digests/feed/", site.get("digests/settings/"), act="renew")
    address = re.findall(r'https://localhost[^"<\s]+/digests/feed/[\w-]+/?', page.text)[0]
    document = site.get(address).text
    assert f'href="{address}"' in document
    assert {url.startswith(f"{site.base}/") for url in re.findall(r'href="([^"]+)"', document)} == {True}
    assert site.get("export.opml").headers["Content-Type"].startswith("text/x-opml")


def http_redirects_to_https(site: Site) -> None:
    response = site.browser.get(f"{site.plain}{site.path}/all/", allow_redirects=False, timeout=60)
    assert (response.status_code, response.headers["Location"]) == (301, f"https://localhost{site.path}/all/")


def refuses_form_from_another_origin(site: Site) -> None:
    setup = site.get("")
    token = re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', setup.text)[0]
    sent = {"csrfmiddlewaretoken": token, "username": "eve", "password1": PASSWORD, "password2": PASSWORD}
    response = site.browser.post(setup.url, sent, headers={"Origin": "https://evil.example"}, timeout=60)
    assert response.status_code == 403
    assert site.get("").url == f"{site.base}/setup/"  # not set up yet


def test_everything_works_behind_nginx(site: Site) -> None:
    """One installation for all checks, because creating it takes longest."""
    http_redirects_to_https(site)
    refuses_form_from_another_origin(site)
    assets_are_compressed_and_cached(site)
    manifest_and_service_worker_are_below_the_path(site)
    cookies_are_limited_to_the_path(site)
    the_first_hour(site)
    urls_for_other_programs_are_absolute(site)
