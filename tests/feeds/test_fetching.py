"""Requests and responses of a Fetcher, over real sockets."""

import socket
import zlib
from pathlib import Path

import brotli
import pytest

from feeds.errors import ConnectionFailed, FetchError, ForbiddenAddress
from feeds.fetching import ACCEPT_PAGE, Fetcher, FetchLimits
from tests.feeds.conftest import MakeFetcher
from tests.feeds.servers import FEED, ScriptedServer, answer, gzipped
from tests.tables import table

# The request


def test_sends_user_agent_and_accept(server: ScriptedServer, fetcher: Fetcher) -> None:
    result = fetcher.fetch(server.on("/feed", answer(200, FEED, content_type="application/rss+xml")))

    assert (result.status, result.body, result.url) == (200, FEED, server.url("/feed"))
    assert (result.n_tries, result.hops, result.n_bytes) == (1, (), len(FEED))
    assert result.headers["content-type"] == "application/rss+xml"
    [request] = server.requests
    assert request.method == "GET"
    assert request.headers == {
        "host": f"127.0.0.1:{server.port}",
        "user-agent": "rssmanager/test (+https://reader.example/)",
        "accept": "application/rss+xml, application/atom+xml, application/xml, text/xml;q=0.9, "
        "application/feed+json;q=0.8, application/json;q=0.7, */*;q=0.5",
        "accept-encoding": "gzip, deflate",
    }


def test_sends_back_the_validators_it_was_given(server: ScriptedServer, fetcher: Fetcher) -> None:
    url = server.on("/feed", answer(304, etag='"v2"'))

    result = fetcher.fetch(url, etag='W/"v1"', last_modified="Tue, 17 Feb 2026 08:00:00 GMT")

    assert (result.status, result.body, result.headers["etag"]) == (304, b"", '"v2"')
    assert server.requests[0].headers["if-none-match"] == 'W/"v1"'
    assert server.requests[0].headers["if-modified-since"] == "Tue, 17 Feb 2026 08:00:00 GMT"


@pytest.mark.parametrize(
    "stored", ['"a"\r\nX-Injected: 1', '"\u65b0"', '"a\x00b"'], ids=["line-break", "chinese", "nul"]
)
def test_omits_validators_that_no_header_allows(server: ScriptedServer, fetcher: Fetcher, stored: str) -> None:
    result = fetcher.fetch(server.on("/feed", answer(200, FEED)), etag=stored, last_modified=stored)

    assert result.status == 200
    assert not {"if-none-match", "if-modified-since", "x-injected"} & server.requests[0].headers.keys()


def test_a_latin_1_etag_is_sent_back_unchanged(server: ScriptedServer, fetcher: Fetcher) -> None:
    url = server.on("/feed", answer(200, FEED, etag='"é"'))

    fetcher.fetch(url, etag=fetcher.fetch(url).headers["etag"])

    assert server.requests[1].headers["if-none-match"] == '"é"'


def test_never_keeps_a_cookie(server: ScriptedServer, fetcher: Fetcher) -> None:
    url = server.on("/feed", answer(200, FEED, set_cookie="id=1; Path=/"))

    results = [fetcher.fetch(url), fetcher.fetch(url)]

    assert [result.headers.get("set-cookie") for result in results] == [None, None]
    assert "cookie" not in server.requests[1].headers


def test_uses_no_proxy_and_no_netrc(
    server: ScriptedServer, fetcher: Fetcher, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login me password secret")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")

    assert fetcher.fetch(server.on("/feed", answer(200, FEED))).status == 200
    assert "authorization" not in server.requests[0].headers


def test_keeps_a_connection_open_between_polls(server: ScriptedServer, fetcher: Fetcher) -> None:
    url = server.on("/feed", answer(200, FEED), answer(304), answer(200, FEED))

    assert [fetcher.fetch(url).status for _ in range(3)] == [200, 304, 200]
    assert server.n_connections == 1


@pytest.mark.parametrize(
    ("typed", "target"),
    [
        ("/a b", "/a%20b"),
        ("/ünï?q=ö", "/%C3%BCn%C3%AF?q=%C3%B6"),
        ("/新闻.xml", "/%E6%96%B0%E9%97%BB.xml"),
        ("/100%.xml", "/100%25.xml"),
        ("/x/../feed", "/feed"),
        ("/feed#top", "/feed"),
        ("?format=rss", "/?format=rss"),
        ("", "/"),
        ("/fe\ned\t", "/feed"),
        ("\\feed", "/feed"),
        ("//feed", "//feed"),
    ],
)
def test_encodes_any_path_in_ascii(server: ScriptedServer, fetcher: Fetcher, typed: str, target: str) -> None:
    server.on(target, answer(200, FEED))

    result = fetcher.fetch(f"  {server.url(typed)}\n")

    assert [request.target for request in server.requests] == [target]
    assert (result.status, result.url) == (200, server.url(target))


def test_resolves_an_international_host_by_its_ascii_name(
    server: ScriptedServer, fetcher: Fetcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    lookups: list[str] = []

    def look_up(host: str, port: int, **_: object) -> list[object]:
        lookups.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    server.on("/feed", answer(200, FEED))

    result = fetcher.fetch(server.url("/feed", host="BÜCHER.example"))

    assert (lookups, result.status) == (["xn--bcher-kva.example"], 200)
    assert server.requests[0].headers["host"] == f"xn--bcher-kva.example:{server.port}"
    assert result.url == f"http://xn--bcher-kva.example:{server.port}/feed"


@table(
    ("url", "error"),
    [
        ("", FetchError),
        ("   ", FetchError),
        ("feed.xml", FetchError),
        ("example.com/feed", FetchError),
        ("localhost:8000/feed", FetchError),
        ("//example.com/feed", FetchError),
        ("http://", FetchError),
        ("http:///feed", FetchError),
        ("http://./feed", FetchError),
        ("http:feed", FetchError),
        ("http://[::1/feed", FetchError),
        ("http://[fe80::zz]/feed", FetchError),
        ("http://example.com:99999/feed", FetchError),
        ("http://example.com:port/feed", FetchError),
        ("http://exa mple.com/feed", FetchError),
        ("http://exa\x00mple.com/feed", FetchError),
        ("http://%00.example/feed", FetchError),
        ("http://" + "a" * 64 + ".example/feed", FetchError),
        ("http://" + "a." * 200 + "example/feed", FetchError),
        ("http://example.com/" + "a" * 9000, FetchError),
        ("http://\ud800.example/feed", FetchError),
        ("http://example.com/\ud800", FetchError),
        ("file:///etc/passwd", ForbiddenAddress),
        ("ftp://example.com/feed", ForbiddenAddress),
        ("gopher://127.0.0.1:11211/_stats", ForbiddenAddress),
        ("javascript:alert(1)", ForbiddenAddress),
        ("data:text/xml,<rss/>", ForbiddenAddress),
        ("feed://example.com/rss", ForbiddenAddress),
    ],
)
def test_rejects_invalid_urls(fetcher: Fetcher, waits: list[float], url: str, error: type[FetchError]) -> None:
    with pytest.raises(error) as raised:
        fetcher.fetch(url)

    assert isinstance(raised.value, ForbiddenAddress) == (error is ForbiddenAddress)
    assert str(raised.value).endswith(".")


# The answer


@pytest.mark.parametrize("status", [200, 204, 206, 300, 304, 400, 401, 403, 404, 410, 418, 429, 451])
def test_returns_other_statuses_immediately(
    server: ScriptedServer, fetcher: Fetcher, waits: list[float], status: int
) -> None:
    result = fetcher.fetch(server.on("/feed", answer(status)))

    assert (result.status, result.n_tries, len(server.requests), waits) == (status, 1, 1, [])


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_returns_a_redirect_without_location(server: ScriptedServer, fetcher: Fetcher, status: int) -> None:
    result = fetcher.fetch(server.on("/feed", answer(status)))

    assert (result.status, result.hops, result.moved_permanently_to) == (status, (), "")


@pytest.mark.parametrize("status", [429, 503])
def test_does_not_retry_a_503_with_retry_after(
    server: ScriptedServer, fetcher: Fetcher, waits: list[float], status: int
) -> None:
    result = fetcher.fetch(server.on("/feed", answer(status, retry_after="3600")))

    assert (result.status, result.headers["retry-after"], result.n_tries, waits) == (status, "3600", 1, [])


def test_joins_repeated_headers(server: ScriptedServer, fetcher: Fetcher) -> None:
    raw = b"HTTP/1.1 200 OK\r\nCache-Control: public\r\ncache-control: max-age=60\r\nContent-Length: 0\r\n\r\n"

    assert fetcher.fetch(server.on("/feed", raw)).headers["cache-control"] == "public, max-age=60"


RAW_DEFLATE = zlib.compressobj(wbits=-15)
DEFLATED_RAW = RAW_DEFLATE.compress(FEED) + RAW_DEFLATE.flush()


@pytest.mark.parametrize(
    "script",
    [
        pytest.param(b"HTTP/1.0 200 OK\r\n\r\n" + FEED, id="http-1.0-until-closed"),
        pytest.param(b"HTTP/1.1 200 OK\r\n\r\n" + FEED, id="no-length-until-closed"),
        pytest.param(b"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n" + FEED, id="length-no-number"),
        pytest.param(b"HTTP/1.1 200\r\n\r\n" + FEED, id="no-reason"),
        pytest.param(b"HTTP/1.1 100 Continue\r\n\r\n" + answer(200, FEED), id="interim-answer"),
        pytest.param(
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
            b"%x;ext=1\r\n%b\r\n%X\r\n%b\r\n0\r\nTrailer: 1\r\n\r\n" % (10, FEED[:10], len(FEED) - 10, FEED[10:]),
            id="chunked",
        ),
        pytest.param(gzipped(FEED), id="gzip"),
        pytest.param(gzipped(FEED, layers=2), id="gzip-twice"),
        pytest.param(answer(200, zlib.compress(FEED), content_encoding="deflate"), id="deflate"),
        pytest.param(answer(200, DEFLATED_RAW, content_encoding="deflate"), id="raw-deflate"),
        pytest.param(answer(200, FEED, content_encoding="gzip"), id="plain-called-gzip"),
        pytest.param(answer(200, FEED, content_encoding="deflate"), id="plain-called-deflate"),
        pytest.param(answer(200, FEED, content_encoding="br"), id="plain-called-br"),
        pytest.param(answer(200, brotli.compress(FEED), content_encoding="br"), id="brotli"),
        pytest.param(answer(200, FEED, content_encoding="UTF-8"), id="a-charset-for-a-coding"),
        pytest.param(answer(200, FEED, content_encoding="identity"), id="identity"),
    ],
)
def test_reads_the_body_however_it_is_framed(server: ScriptedServer, fetcher: Fetcher, script: bytes) -> None:
    assert fetcher.fetch(server.on("/feed", script)).body == FEED


@pytest.mark.parametrize(
    ("script", "error", "message"),
    [
        pytest.param(b"", ConnectionFailed, "closed the connection", id="nothing"),
        pytest.param(b"\x00\xff\x80 garbage\r\n\r\n", ConnectionFailed, "invalid HTTP", id="garbage"),
        pytest.param(b"<rss></rss>", ConnectionFailed, "invalid HTTP", id="http-0.9"),
        pytest.param(b"HTTP/1.1 9999 OK\r\n\r\n", ConnectionFailed, "invalid HTTP", id="status-out-of-range"),
        pytest.param(b"HTTP/1.1 abc\r\n\r\n", ConnectionFailed, "invalid HTTP", id="status-no-number"),
        pytest.param(b"HTTP/1.1 200 OK\r\nX: " + b"a" * 70_000, ConnectionFailed, "invalid HTTP", id="long-header"),
        pytest.param(
            b"HTTP/1.1 200 OK\r\n" + b"X: 1\r\n" * 101 + b"\r\n",
            ConnectionFailed,
            "invalid HTTP",
            id="101-headers",
        ),
        pytest.param(
            b"HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n", ConnectionFailed, "cut short", id="nothing-of-its-length"
        ),
        pytest.param(
            b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 9\r\n\r\n" + FEED,
            ConnectionFailed,
            "invalid HTTP",
            id="two-lengths",
        ),
        pytest.param(
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\nabc",
            ConnectionFailed,
            "cut short",
            id="bad-chunk",
        ),
        pytest.param(
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\nabc",
            ConnectionFailed,
            "invalid HTTP",
            id="negative-chunk",
        ),
        pytest.param(
            answer(200, b"\x1f\x8b\x08" + b"\x00" * 7 + b"\xff" * 20, content_encoding="gzip"),
            FetchError,
            "damaged gzip",
            id="bad-gzip",
        ),
        pytest.param(answer(200, b"\xff" * 20, content_encoding="br"), FetchError, "damaged br", id="brotli"),
        pytest.param(
            answer(200, b"(\xb5/\xfd", content_encoding="zstd"), FetchError, "as zstd, which was not", id="zstd"
        ),
        pytest.param(gzipped(FEED, layers=3), FetchError, "compressed 3 times", id="three-layers"),
    ],
)
def test_explains_a_broken_response(
    server: ScriptedServer, fetcher: Fetcher, script: bytes, error: type[FetchError], message: str
) -> None:
    with pytest.raises(error, match=message) as raised:
        fetcher.fetch(server.on("/feed", script))

    assert type(raised.value) is error
    assert raised.value.url == server.url("/feed")
    assert len(server.requests) == (3 if error is ConnectionFailed else 1)


CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    "script",
    [
        pytest.param(b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n" + FEED, id="shorter-than-its-length"),
        pytest.param(b"HTTP/1.1 200 OK\r\nContent-Length: 2000000\r\n\r\n" + FEED, id="much-shorter"),
        pytest.param(CHUNKED + b"%x\r\n%s\r\n" % (len(FEED), FEED), id="no-last-chunk"),
        pytest.param(CHUNKED + b"%x\r\n%s\r\nxyz\r\n" % (len(FEED), FEED), id="bad-last-chunk"),
        pytest.param(CHUNKED + b"20\r\n%s\r\nfff\r\n%s" % (FEED[:32], FEED[32:]), id="half-a-chunk"),
    ],
)
def test_complete_feed_is_read_though_its_framing_is_wrong(
    server: ScriptedServer, fetcher: Fetcher, script: bytes
) -> None:
    result = fetcher.fetch(server.on("/feed", script))

    assert (result.body, result.is_partial, result.n_tries) == (FEED, True, 1)


def test_feed_that_ends_early_is_tried_again_then_read_as_far_as_it_came(
    server: ScriptedServer, fetcher: Fetcher
) -> None:
    cut = answer(200, FEED)[:-9]

    assert fetcher.fetch(server.on("/cut", cut)).body == FEED[:-9]
    assert len(server.requests) == 3
    again = fetcher.fetch(server.on("/again", cut, answer(200, FEED)))
    assert (again.body, again.is_partial, again.n_tries) == (FEED, False, 2)


def test_pages_and_pictures_that_end_early_are_refused(server: ScriptedServer) -> None:
    limits = FetchLimits(allow_private_networks=True, retry_waits=())
    fetcher = Fetcher(limits, user_agent="test", accept=ACCEPT_PAGE)

    with pytest.raises(ConnectionFailed, match="cut short"):
        fetcher.fetch(server.on("/page", answer(200, FEED)[:-9]))
    fetcher.close()


def test_an_error_page_cannot_hide_its_status(server: ScriptedServer, make_fetcher: MakeFetcher) -> None:
    fetcher = make_fetcher(max_bytes=10)
    broken = b"HTTP/1.1 410 Gone\r\nContent-Encoding: br\r\nContent-Length: 99999999\r\n\r\nfarewell"

    result = fetcher.fetch(server.on("/feed", broken))

    assert (result.status, result.body) == (410, b"")


def test_ignores_bytes_after_the_body(server: ScriptedServer, fetcher: Fetcher) -> None:
    url = server.on("/feed", answer(200, FEED) + answer(200, b"smuggled"), answer(200, b"honest"))

    assert [fetcher.fetch(url).body for _ in range(2)] == [FEED, b"honest"]
