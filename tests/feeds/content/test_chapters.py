"""Chapters of podcasts, from the files that feeds name."""

import json
from collections.abc import Iterator
from dataclasses import replace
from ipaddress import ip_network
from typing import Any

import pytest
from pytest_django import Settings

from feeds.content.chapters import MAX_CHAPTERS, fetch_chapters, parse_chapters
from feeds.content.image_proxy import Busy, image_fetcher, slot
from feeds.normalizing.draft import Chapter
from tests.feeds.servers import ScriptedServer, answer


def chapter(**values: Any) -> dict[str, Any]:
    return {"startTime": 0, "title": "Hello"} | values


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        pytest.param(
            [chapter(startTime=61.5, title=" Cranes &amp;\n ships ", url="https://c.example/"), chapter()],
            (Chapter(0.0, "Hello"), Chapter(61.5, "Cranes & ships", "https://c.example/")),
            id="by their start",
        ),
        pytest.param([chapter(url="javascript:alert(1)")], (Chapter(0.0, "Hello"),), id="no web address"),
        pytest.param([chapter(title="<b>Hello</b>")], (Chapter(0.0, "Hello"),), id="markup"),
        pytest.param([chapter(toc=False), chapter(toc=True)], (Chapter(0.0, "Hello"),), id="only a picture"),
        pytest.param(
            [1, None, {}, chapter(startTime="0"), chapter(startTime=True), chapter(startTime=-1), chapter(title=""),
             chapter(title=3), chapter(startTime=10**400)],
            (),
            id="wrong values",
        ),
        pytest.param({}, (), id="no list"),
    ],
)  # fmt: skip
def test_reads_a_document(items: object, expected: tuple[Chapter, ...]) -> None:
    assert parse_chapters(json.dumps({"version": "1.2.0", "chapters": items}).encode()) == expected


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b'{"chapters": ' + b"[" * 100_000, b"\xff", b"null"])
def test_anything_else_has_no_chapters(content: bytes) -> None:
    assert parse_chapters(content) == ()


def test_limits_the_number() -> None:
    assert len(parse_chapters(json.dumps({"chapters": [chapter()] * 9000}).encode())) == MAX_CHAPTERS


@pytest.fixture
def server(settings: Settings) -> Iterator[ScriptedServer]:
    settings.ENV = replace(settings.ENV, FETCH_ALLOWED_NETWORKS=(ip_network("127.0.0.2/32"),), FETCH_TIMEOUT=5.0)
    image_fetcher.cache_clear()
    server = ScriptedServer("127.0.0.2")
    yield server
    server.close()
    image_fetcher.cache_clear()


def test_fetches_within_limits(server: ScriptedServer, monkeypatch: pytest.MonkeyPatch) -> None:
    document = json.dumps({"chapters": [chapter()]}).encode()
    url = server.on("/c.json", answer(200, document), answer(404, document), answer(200, document + b" " * 2**20))
    assert [fetch_chapters(url) for _ in range(3)] == [(Chapter(0.0, "Hello"),), (), ()]
    assert {"cookie", "referer"} & set(server.requests[0].headers) == set()
    private = ScriptedServer("127.0.0.1")
    try:
        assert fetch_chapters(private.on("/c.json", answer(200, document))) == ()
        assert private.n_connections == 0
    finally:
        private.close()
    monkeypatch.setattr("feeds.content.image_proxy.AT_ONCE", 1)
    with slot("other.example"), pytest.raises(Busy):
        fetch_chapters(url)
