"""Cookies last for one fetch, and go only where their rules allow; pages that only lead on are followed."""

import socket

import pytest

from feeds.errors import TooManyRedirects
from feeds.fetching import ACCEPT_PAGE, Fetcher, FetchLimits
from feeds.fetching.cookies import MAX_HEADER
from tests.feeds.conftest import MakeFetcher
from tests.feeds.servers import FEED, ScriptedServer, answer


def redirect(to: str, *cookies: str) -> bytes:
    lines = "".join(f"Set-Cookie: {cookie}\r\n" for cookie in cookies)
    return f"HTTP/1.1 302 Whatever\r\n{lines}Location: {to}\r\nContent-Length: 0\r\n\r\n".encode()


def sent(server: ScriptedServer) -> list[str]:
    return [request.headers.get("cookie", "") for request in server.requests]


def test_cookie_is_sent_back_along_redirects_and_forgotten(server: ScriptedServer, fetcher: Fetcher) -> None:
    server.on("/check", redirect("/feed", "ok=1; Path=/"))
    server.on("/feed", redirect("/check"), answer(200, FEED), redirect("/check"), answer(200, FEED))

    bodies = [fetcher.fetch(server.url("/feed")).body for _ in range(2)]

    assert bodies == [FEED, FEED]
    assert sent(server) == ["", "", "ok=1"] * 2


def test_same_address_with_a_new_cookie_is_no_loop(server: ScriptedServer, fetcher: Fetcher) -> None:
    result = fetcher.fetch(server.on("/feed", redirect("/feed", "seen=1"), answer(200, FEED)))

    assert (result.body, sent(server)) == (FEED, ["", "seen=1"])


def test_same_address_with_the_same_cookie_is_a_loop(server: ScriptedServer, fetcher: Fetcher) -> None:
    with pytest.raises(TooManyRedirects, match="in a loop"):
        fetcher.fetch(server.on("/feed", redirect("/feed", "seen=1")))

    assert sent(server) == ["", "seen=1"]


def test_ever_new_cookies_end_with_the_redirects(server: ScriptedServer, fetcher: Fetcher) -> None:
    with pytest.raises(TooManyRedirects, match="more than 5 times"):
        fetcher.fetch(server.on("/feed", *(redirect("/feed", f"n={n}") for n in range(9))))

    assert len(server.requests) == 6


def test_cookie_survives_a_retry(server: ScriptedServer, fetcher: Fetcher) -> None:
    waiting = b"HTTP/1.1 500 Whatever\r\nSet-Cookie: turn=7\r\nContent-Length: 0\r\n\r\n"

    fetcher.fetch(server.on("/feed", waiting, answer(200, FEED)))

    assert sent(server) == ["", "turn=7"]


@pytest.mark.parametrize(
    ("cookie", "elsewhere"),
    [
        pytest.param("a=1", "", id="of-its-host"),
        pytest.param("a=1; Domain=other.example", "", id="for-a-stranger"),
        pytest.param("a=1; Domain=.example", "", id="for-a-whole-suffix"),
        pytest.param("a=1; Domain=.co.uk", "", id="for-a-suffix-of-two"),
    ],
)
def test_no_cookie_goes_to_another_host(
    server: ScriptedServer, make_fetcher: MakeFetcher, monkeypatch: pytest.MonkeyPatch, cookie: str, elsewhere: str
) -> None:
    resolve_here(monkeypatch, server)
    other = server.url("/feed", host="other.example")
    server.on("/start", redirect(other, cookie))
    server.on("/feed", answer(200, FEED))

    make_fetcher().fetch(server.url("/start", host="first.example"))

    assert sent(server) == ["", elsewhere]


def test_cookie_of_a_domain_goes_to_its_hosts(
    server: ScriptedServer, make_fetcher: MakeFetcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    resolve_here(monkeypatch, server)
    server.on("/start", redirect(server.url("/feed", host="news.paper.com"), "a=1; Domain=paper.com"))
    server.on("/feed", answer(200, FEED))

    make_fetcher().fetch(server.url("/start", host="login.paper.com"))

    assert sent(server) == ["", "a=1"]


def test_secure_cookie_is_not_sent_in_the_clear(server: ScriptedServer, fetcher: Fetcher) -> None:
    server.on("/feed", answer(200, FEED))
    fetcher.fetch(server.on("/start", redirect("/feed", "a=1; Secure")))

    assert sent(server) == ["", ""]


def test_cookies_too_long_for_a_request_are_left_out(server: ScriptedServer, fetcher: Fetcher) -> None:
    cookies = [f"c{n}={'x' * 900}" for n in range(MAX_HEADER // 900 + 1)]
    server.on("/feed", answer(200, FEED))

    fetcher.fetch(server.on("/start", redirect("/feed", *cookies)))

    assert sent(server) == ["", ""]


def resolve_here(monkeypatch: pytest.MonkeyPatch, server: ScriptedServer) -> None:
    """Let every name lead to this server."""
    resolve = socket.getaddrinfo
    monkeypatch.setattr(socket, "getaddrinfo", lambda host, port, **rest: resolve(server.host, port, **rest))


# Pages that only lead on


@pytest.mark.parametrize(
    "meta",
    [
        pytest.param('<meta http-equiv="refresh" content="0; url=/feed">', id="usual"),
        pytest.param("<META CONTENT='3;URL=\"/feed\"' HTTP-EQUIV=Refresh>", id="in-capitals"),
        pytest.param('<meta http-equiv=refresh content="0, url = feed" />', id="comma"),
        pytest.param('<meta http-equiv="refresh" content="0;url=/feed?&amp;x#top">', id="reference"),
    ],
)
def test_page_that_only_leads_on_is_followed(server: ScriptedServer, fetcher: Fetcher, meta: str) -> None:
    target = "/feed?&x" if "amp" in meta else "/feed"
    server.on(target, answer(200, FEED))

    result = fetcher.fetch(server.on("/old", answer(200, f"<html><head>{meta}</head></html>".encode())))

    assert (result.body, result.url, result.moved_permanently_to) == (FEED, server.url(target), "")
    assert [(hop.status, hop.to_url) for hop in result.hops] == [(200, server.url(target))]


@pytest.mark.parametrize(
    "page",
    [
        pytest.param('<meta http-equiv="refresh" content="300; url=/feed"><p>News</p>', id="reloads-later"),
        pytest.param('<meta http-equiv="refresh" content="5"><p>News</p>', id="reloads-itself"),
        pytest.param('<noscript><meta http-equiv="refresh" content="0; url=/feed"></noscript>', id="without-scripts"),
        pytest.param(
            '<link rel="alternate" type="application/rss+xml" href="/rss">'
            '<meta http-equiv="refresh" content="0; url=/feed">',
            id="declares-a-feed",
        ),
        pytest.param('<rss><item>&lt;meta http-equiv="refresh" content="0; url=/feed"&gt;</item></rss>', id="a-feed"),
        pytest.param("<title>refresh</title><meta name=x content='0; url=/feed'>", id="another-meta"),
    ],
)
def test_other_pages_are_returned(server: ScriptedServer, fetcher: Fetcher, page: str) -> None:
    result = fetcher.fetch(server.on("/page", answer(200, page.encode())))

    assert (result.body, result.hops) == (page.encode(), ())


def test_page_that_leads_to_itself_ends(server: ScriptedServer, fetcher: Fetcher) -> None:
    page = b'<meta http-equiv="refresh" content="0; url=/page">'

    with pytest.raises(TooManyRedirects, match="in a loop"):
        fetcher.fetch(server.on("/page", answer(200, page)))


def test_pages_are_only_followed_where_a_feed_is_wanted(server: ScriptedServer) -> None:
    fetcher = Fetcher(FetchLimits(allow_private_networks=True), user_agent="test", accept=ACCEPT_PAGE)
    page = b'<meta http-equiv="refresh" content="0; url=/feed">'

    assert fetcher.fetch(server.on("/page", answer(200, page))).body == page
    fetcher.close()
