"""Credentials in a URL are sent to their server and nowhere else."""

import base64
import logging
import traceback
from collections.abc import Iterator

import pytest

from feeds.errors import FetchError
from feeds.fetching import Fetcher, split_credentials, without_credentials
from feeds.fetching.credentials import is_secret_address
from feeds.fetching.result import PERMANENT
from feeds.fetching.url_parsing import Location
from rssmanager.env import PROJECT
from tests.feeds.conftest import MakeFetcher
from tests.feeds.servers import FEED, ScriptedServer, answer, moved, silent
from tests.tables import table


def basic(user_and_password: str) -> str:
    return "Basic " + base64.b64encode(user_and_password.encode()).decode()


@pytest.fixture
def other_port() -> Iterator[ScriptedServer]:
    server = ScriptedServer()
    yield server
    server.close()


@table(
    ("url", "bare", "credentials"),
    [
        ("http://a.example/f", "http://a.example/f", None),
        ("http://u:p@a.example/f", "http://a.example/f", ("u", "p")),
        ("https://u@a.example:8443/f?x#y", "https://a.example:8443/f?x#y", ("u", "")),
        ("http://:p@a.example/", "http://a.example/", ("", "p")),
        ("http://@a.example/", "http://a.example/", None),
        ("http://u:p:q@a.example/", "http://a.example/", ("u", "p:q")),
        ("http://u%40b.example:p%3A%2F@a.example/", "http://a.example/", ("u@b.example", "p:/")),
        ("http://us%C3%A9r:%E5%AF%86@a.example/", "http://a.example/", ("usér", "密")),
        ("http://usér:密@a.example/", "http://a.example/", ("usér", "密")),
        ("http://u:p@ss@a.example/", "http://a.example/", ("u", "p@ss")),
        ("http://a.example/@b", "http://a.example/@b", None),
        ("http://a.example/x//u:p@b", "http://a.example/x//u:p@b", None),
        ("http://a.example?q=u:p@b", "http://a.example?q=u:p@b", None),
        ("http://a.example#u:p@b", "http://a.example#u:p@b", None),
        ("http://a.example\\@b", "http://a.example\\@b", None),
        ("http://u:p@[::1]:80/", "http://[::1]:80/", ("u", "p")),
        ("//u:p@a.example/", "//a.example/", ("u", "p")),
        ("http:/u:p@a.example/", "http:/a.example/", ("u", "p")),
        (" ht\ntp://u:p@a.example/ ", "http://a.example/", ("u", "p")),
        ("ftp://u:p@a.example/", "ftp://a.example/", ("u", "p")),
        ("", "", None),
        ("@", "", None),
    ],
)
def test_splits_credentials_from_urls(url: str, bare: str, credentials: tuple[str, str] | None) -> None:
    assert split_credentials(url) == (bare, credentials)
    assert without_credentials(url) == bare


@pytest.mark.parametrize(
    ("written", "sent"),
    [("me:secret", "me:secret"), ("me", "me:"), ("m%40e:a%3Ab%20c", "m@e:a:b c"), ("usér:%E5%AF%86", "usér:密")],
)
def test_sends_credentials_as_basic_auth(server: ScriptedServer, fetcher: Fetcher, written: str, sent: str) -> None:
    server.on("/feed", answer(200, FEED))

    result = fetcher.fetch(server.url("/feed", credentials=written))

    assert server.requests[0].headers["authorization"] == basic(sent)
    assert result.url == server.url("/feed")


def test_sends_none_when_the_url_has_none(server: ScriptedServer, fetcher: Fetcher) -> None:
    fetcher.fetch(server.on("/feed", answer(200, FEED)))

    assert "authorization" not in server.requests[0].headers


def test_keeps_credentials_within_one_origin(server: ScriptedServer, fetcher: Fetcher) -> None:
    server.on("/feed", moved(301, "/new"))
    server.on("/new", answer(200, FEED))

    result = fetcher.fetch(server.url("/feed", credentials="me:secret"))

    assert [request.headers["authorization"] for request in server.requests] == [basic("me:secret")] * 2
    assert [request.headers.get("referer") for request in server.requests] == [None, None]
    assert (result.url, result.moved_permanently_to) == (server.url("/new"), server.url("/new"))
    assert (result.hops[0].from_url, result.hops[0].to_url) == (server.url("/feed"), server.url("/new"))


@pytest.mark.parametrize("elsewhere", ["host", "port", "name"])
def test_drops_credentials_for_another_origin(
    server: ScriptedServer, other_server: ScriptedServer, other_port: ScriptedServer, fetcher: Fetcher, elsewhere: str
) -> None:
    receiver = {"host": other_server, "port": other_port, "name": server}[elsewhere]
    receiver.on("/new", answer(200, FEED))
    server.on("/feed", moved(301, receiver.url("/new", host="localhost" if elsewhere == "name" else "")))

    result = fetcher.fetch(server.url("/feed", credentials="me:secret"))

    assert result.status == 200
    assert receiver.requests[-1].target == "/new"
    assert "authorization" not in receiver.requests[-1].headers


HOPS = [  # status, from (with a password), to, whether the password follows
    (301, "http://a.example/f", "/new", True),
    (302, "http://a.example/f", "http://A.example:80/new", True),
    (301, "http://a.example/f", "https://a.example/f", True),
    (308, "http://a.example/f", "https://a.example:443/new", True),
    (301, "http://a.example:8080/f", "https://a.example:8080/f", True),
    (302, "http://a.example/f", "https://a.example/f", False),
    (307, "http://a.example/f", "https://a.example/f", False),
    (301, "https://a.example/f", "http://a.example/f", False),
    (308, "https://a.example:8443/f", "http://a.example:8443/f", False),
    (301, "http://a.example/f", "https://a.example:8443/f", False),
    (301, "http://a.example:8080/f", "https://a.example/f", False),
    (301, "http://a.example/f", "http://a.example:443/f", False),
    (301, "http://a.example/f", "http://a.example:8080/f", False),
    (301, "https://a.example/f", "https://www.a.example/f", False),
    (301, "https://www.a.example/f", "https://a.example/f", False),
    (301, "https://a.example/f", "https://b.a.example/f", False),
    (301, "https://a.example/f", "https://a.example./f", False),
    (301, "https://a.example/f", "//b.example/f", False),
    (301, "https://a.example/f", "https://a.example\\@b.example/f", True),  # a.example, as in browsers
    (301, "https://a.example/f", "https://a.example@b.example/f", False),
]


@table(("status", "url", "target", "follows"), HOPS)
def test_credentials_follow_a_redirect(status: int, url: str, target: str, follows: bool) -> None:
    asked = Location.parse(url.replace("://", "://me:secret@"))
    sent = asked.resolve_redirect(target, permanently=status in PERMANENT).credentials
    assert (sent == ("me", "secret")) == follows


def test_credentials_do_not_come_back_after_a_detour(
    server: ScriptedServer, other_server: ScriptedServer, fetcher: Fetcher
) -> None:
    server.on("/feed", moved(302, other_server.on("/detour", moved(302, server.on("/back", answer(200, FEED))))))

    fetcher.fetch(server.url("/feed", credentials="me:secret"))

    assert [request.headers.get("authorization") for request in server.requests] == [basic("me:secret"), None]


def test_a_redirect_may_have_its_own_credentials(server: ScriptedServer, fetcher: Fetcher) -> None:
    server.on("/feed", moved(302, server.url("/new", credentials="guest:pass")))
    server.on("/new", answer(200, FEED))

    result = fetcher.fetch(server.url("/feed", credentials="me:secret"))

    assert server.requests[1].headers["authorization"] == basic("guest:pass")
    assert (result.url, result.hops[0].to_url) == (server.url("/new"), server.url("/new"))


@pytest.mark.parametrize(
    "template",
    [
        "http://me:hunter2@127.0.0.1:{port}/ok",
        "http://me:hunter2@127.0.0.1:{port}/moved",
        "http://me:hunter2@127.0.0.1:{port}/broken",
        "http://me:hunter2@127.0.0.1:{port}/headers",
        "http://me:hunter2@127.0.0.1:{port}/cut",
        "http://me:hunter2@127.0.0.1:{port}/circle",
        "http://me:hunter2@127.0.0.1:{port}/silent",
        "http://me:hunter2@127.0.0.1:{port}/packed",
        "http://me:hunter2@127.0.0.1:{port}/away",
        "https://me:hunter2@127.0.0.1:{port}/no-tls",
        "http://me:hunter2@127.0.0.1:1/closed",
        "http://me:hunter2@127.0.0.1:99999/port",
        "http://me:hunter2@[::zz]/address",
        "http://me:hunter2@/nowhere",
        "ftp://me:hunter2@127.0.0.1/scheme",
        "//me:hunter2@127.0.0.1/relative",
        "http:/me:hunter2@127.0.0.1/one-slash",
        "http://me:hunter2@" + "a" * 70 + ".example/label",
    ],
    ids=lambda template: template.rpartition("/")[2],
)
def test_no_result_and_no_error_contains_a_password(
    server: ScriptedServer, make_fetcher: MakeFetcher, caplog: pytest.LogCaptureFixture, template: str
) -> None:
    caplog.set_level(logging.DEBUG)
    server.on("/ok", answer(200, FEED))
    server.on("/moved", moved(301, f"http://you:hunter2@127.0.0.1:{server.port}/ok"))
    server.on("/broken", b"garbage")
    server.on("/headers", b"HTTP/1.1 200 OK\r\nno colon here\r\nContent-Length: 0\r\n\r\n")
    server.on("/cut", answer(200, FEED)[:-1] + b"")
    server.on("/circle", moved(301, f"http://you:hunter2@127.0.0.1:{server.port}/circle"))
    server.on("/silent", silent(server))
    server.on("/packed", answer(200, b"\x00\x01", content_encoding="zstd"))
    server.on("/away", moved(301, "ftp://you:hunter2@127.0.0.1/"))
    output = ""
    try:
        result = make_fetcher(total_seconds=0.3).fetch(template.format(port=server.port))
        output = repr(result)
    except FetchError as error:
        output = "".join(traceback.format_exception(error)) + error.url + repr(error.__dict__)
    output += caplog.text + "".join(repr(record.__dict__) for record in caplog.records)

    assert output
    for secret in ("hunter2", base64.b64encode(b"me:hunter2").decode(), base64.b64encode(b"you:hunter2").decode()):
        assert secret not in output


RANDOM = "9f8a7b6c5d4e3f2a1b0c"


@table(
    "url, is_secret",
    [
        ("https://ada:pw@paper.example/feed", True),
        ("https://paper.example/feed?token=x", True),
        ("https://paper.example/feed?Access_Token=x", True),
        ("https://paper.example/feed?auth=abc", True),
        ("https://paper.example/feed?format=rss&sig=1", True),
        ("https://paper.example/feed?key=1234567890abcdef", True),
        ("https://paper.example/feed?key=sports", False),
        ("https://paper.example/feed?token=", False),
        (f"https://paper.example/{RANDOM}/feed.xml", True),
        (f"https://paper.example/feed/{RANDOM}.xml", True),
        (f"https://paper.example/feed?member={RANDOM}", True),
        ("https://paper.example/rss/member/ZkX8pQ2vL9sT4wYb/feed", True),
        ("https://paper.example/podcast/12/private/ada.rss", True),
        ("https://paper.example/podcast/0a1b2c3d-1111-2222-3333-444455556666.rss", True),
        ("https://paper.example/rss/secret:ab12cd34ef56ab12cd34/u:ada/", True),
        ("https://paper.example/%39f8a7b6c5d4e3f2a1b0c/feed", True),
        ("https://paper.example/feed?key=abcdefghijklmnop", True),
        ("https://paper.example/feed?access-key=x", True),
        ("https://paper.example/feed?feedSecret=1", True),
        ("https://paper.example/feed/AbCdEfGhIjKlMnOpQr", True),
        ("https://calendar.example/ical/ada/private-0123456789abcdef/basic.ics", True),
        ("https://feeds.acast.com/private/shows/ada", True),
        ("https://paper.example/2026-03-04-rss2-feed10-v3", False),
        ("https://paper.example/feed?author=Ada+Lovelace+1815", False),
        ("http://[broken", True),
        ("", False),
        ("https://paper.example/", False),
        ("https://paper.example/2026/03/04/feed.xml", False),
        ("https://paper.example/feed?format=rss&cat=1234567890123456", False),
        ("https://paper.example/notes-on-the-2025-harbour-fair/feed.xml", False),
        ("https://paper.example/blog-sympy-gsoc2025/feed.xml", False),
        ("https://paper.example/VMP5489734702", False),
        ("https://www.youtube.com/feeds/videos.xml?channel_id=UCXuqSBlHAE6Xw-yeJA0Tunw", False),
        ("https://feeds.redcircle.com/0a1b2c3d-1111-2222-3333-444455556666", False),
        ("https://feeds.redcircle.com/0a1b2c3d-1111-2222-3333-444455556666?token=x", True),
    ],
)
def test_recognizes_addresses_that_are_secrets(url: str, is_secret: bool) -> None:
    assert is_secret_address(url) is is_secret


def test_few_public_feeds_count_as_secret() -> None:
    listed = PROJECT.parent / "shared" / "data" / "opml" / "smallweb-urls.txt"
    if not listed.exists():
        pytest.skip("../shared/data is not here")
    urls = listed.read_text().split()
    assert sum(map(is_secret_address, urls)) <= len(urls) / 2_000
