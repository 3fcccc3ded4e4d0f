"""Which redirects are followed, how far, and what is recorded."""

import pytest

from feeds.errors import FetchError, ForbiddenAddress, TooManyRedirects
from feeds.fetching import Fetcher
from tests.feeds.servers import FEED, ScriptedServer, answer, moved


@pytest.mark.parametrize(
    ("statuses", "moved_for_good"),
    [
        ((301,), True),
        ((308,), True),
        ((301, 308, 301), True),
        ((302,), False),
        ((303,), False),
        ((307,), False),
        ((301, 302), False),
        ((302, 301), False),
        ((301, 308, 301, 308, 307), False),
    ],
    ids=str,
)
def test_follows_redirects_and_knows_permanent_ones(
    server: ScriptedServer, fetcher: Fetcher, statuses: tuple[int, ...], moved_for_good: bool
) -> None:
    for index, status in enumerate(statuses):
        server.on(f"/{index}", moved(status, f"/{index + 1}"))
    final = server.on(f"/{len(statuses)}", answer(200, FEED))

    result = fetcher.fetch(server.url("/0"), etag='"v1"')

    assert (result.status, result.body, result.url) == (200, FEED, final)
    assert [hop.status for hop in result.hops] == list(statuses)
    assert (result.hops[0].from_url, result.hops[-1].to_url) == (server.url("/0"), final)
    assert result.moved_permanently_to == (final if moved_for_good else "")
    assert {request.headers["if-none-match"] for request in server.requests} == {'"v1"'}


@pytest.mark.parametrize(
    ("header", "target"),
    [
        ("/new/feed", "/new/feed"),
        ("new", "/old/new"),
        ("../new", "/new"),
        ("?page=2", "/old/feed?page=2"),
        ("/new#section", "/new"),
        ("/a b", "/a%20b"),
        ("/caf\u00c3\u00a9", "/caf%C3%A9"),
        ("/caf\u00e9", "/caf%C3%A9"),
        ("//{host}/new", "/new"),
        ("HTTP://{host}/new", "/new"),
    ],
    ids=["absolute", "relative", "parent", "query", "fragment", "space", "utf-8", "latin-1", "no-scheme", "upper-case"],
)
def test_reads_locations_as_browsers_do(server: ScriptedServer, fetcher: Fetcher, header: str, target: str) -> None:
    server.on("/old/feed", moved(301, header.format(host=f"127.0.0.1:{server.port}")))
    server.on(target, answer(200, FEED))

    result = fetcher.fetch(server.url("/old/feed"))

    assert (result.status, server.requests[1].target) == (200, target)
    assert result.moved_permanently_to == server.url(target)


def test_gives_up_after_five_redirects(server: ScriptedServer, fetcher: Fetcher, waits: list[float]) -> None:
    for index in range(6):
        server.on(f"/{index}", moved(302, f"/{index + 1}"))

    with pytest.raises(TooManyRedirects, match="more than 5 times"):
        fetcher.fetch(server.url("/0"))

    assert (len(server.requests), waits) == (6, [])


@pytest.mark.parametrize("targets", [("/0",), ("/1", "/0"), ("/1", "/2", "/1")], ids=["itself", "back", "later"])
def test_detects_a_redirect_loop(server: ScriptedServer, fetcher: Fetcher, targets: tuple[str, ...]) -> None:
    for index, target in enumerate(targets):
        server.on(f"/{index}", moved(301, target))

    with pytest.raises(TooManyRedirects, match="in a loop"):
        fetcher.fetch(server.url("/0"))

    assert len(server.requests) == len(targets)


@pytest.mark.parametrize(
    ("target", "error"),
    [
        ("file:///etc/passwd", ForbiddenAddress),
        ("ftp://example.com/feed", ForbiddenAddress),
        ("http://[::1", FetchError),
        ("http://:80/", FetchError),
    ],
)
def test_follows_only_http_and_https(
    server: ScriptedServer, fetcher: Fetcher, target: str, error: type[FetchError]
) -> None:
    with pytest.raises(error):
        fetcher.fetch(server.on("/feed", moved(301, target)))

    assert len(server.requests) == 1
