"""Every connection to a URL written by others goes through the network guard."""

import ast
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from feeds.content.full_text_queue import request_full_texts
from feeds.models import FullText, FullTextStatus, Poll
from feeds.polling.engine import make_fetcher, make_page_fetcher, poll_due
from feeds.tasks.full_text import fetch_pages
from reader.models import Import, ImportKind, ImportStatus
from reader.tasks.recurring import run_import
from rssmanager.env import PROJECT
from tests import make
from tests.feeds.servers import FEED, ScriptedServer, answer
from tests.tables import table

ROOMS = ("feeds", "reader", "digests", "rssmanager")
_NETWORK = {
    "requests",
    "urllib3",
    "socket",
    "ssl",
    "http",
    "smtplib",
    "ftplib",
    "xmlrpc",
    "asyncio",
    "aiohttp",
    "httpx",
}

# The modules that use the network, and their peers.
SPEAKERS = {
    "feeds/fetching": "what strangers write, by the guard",
    "reader/llm": "the model that the operator named",
    "digests/delivery": "the mail server that the operator named",
    "rssmanager/demo": "a server of its own on loopback",
    "rssmanager/doctor": "the addresses that the operator named, for doctor",
    "rssmanager/operations/worker_heartbeat.py": "nobody; it asks for the name of its own host",
    "rssmanager/server/web.py": "nobody; it listens for browsers",
    "rssmanager/server/supervisor.py": "nobody; it tries whether somebody could be listened to at a port",
}


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    server = ScriptedServer()
    server.on("/", answer(200, FEED))
    server.on("/feed", answer(200, FEED))
    yield server
    server.close()


def _polling(url: str) -> str:
    feed = make.feed(url)
    make.subscription(make.user(), feed)
    poll_due(only=[feed.pk])
    return Poll.objects.get(feed=feed).message


def _following(kind: str) -> Callable[[str], str]:
    def follow(url: str) -> str:
        job = make.job(make.user(), kind=kind, name=url, status=ImportStatus.WAITING)
        run_import(job.pk)
        job = Import.objects.get(pk=job.pk)
        return " ".join([job.message, *job.lines.values_list("reason", flat=True)])

    return follow


def _commanding(url: str) -> str:
    make.user("ada")
    with pytest.raises(CommandError) as refused:
        call_command("subscribe", url, user="ada")
    return str(refused.value)


def _reading_a_page(url: str) -> str:
    article = make.article(url=url)
    request_full_texts([article.pk], now=make.NOW)
    fetch_pages()
    full_text = FullText.objects.get(article=article)
    assert full_text.status == FullTextStatus.FAILED
    return full_text.error


DOORS: dict[str, Callable[[str], str]] = {
    "polling a feed": _polling,
    "following an address, and discovery": _following(ImportKind.ADDRESS),
    "a list at an address": _following(ImportKind.LIST),
    "the command to subscribe": _commanding,
    "the full text of an article": _reading_a_page,
}


@pytest.mark.django_db
@table("host", ["127.0.0.1", "localhost", "2130706433", "[::ffff:127.0.0.1]", "good.example@127.0.0.1"])
@table("door", DOORS.values(), ids=DOORS.keys())
def test_no_connection_reaches_this_machine(
    server: ScriptedServer, polled: list[list[int]], door: Callable[[str], str], host: str
) -> None:
    message = door(f"http://{host}:{server.port}/feed")

    assert server.n_connections == 0
    assert "public address" in message


@pytest.mark.parametrize("make_one", [make_fetcher, make_page_fetcher])
def test_environment_proxy_is_not_used(
    server: ScriptedServer, monkeypatch: pytest.MonkeyPatch, make_one: Callable[..., object]
) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{server.port}")
        monkeypatch.setenv(name.upper(), f"http://127.0.0.1:{server.port}")
    monkeypatch.delenv("no_proxy", raising=False)
    fetcher = make_one()
    try:
        with pytest.raises(Exception, match="public address"):
            fetcher.fetch("http://169.254.169.254/latest/meta-data/")  # type: ignore[attr-defined]
    finally:
        fetcher.close()  # type: ignore[attr-defined]
    assert server.n_connections == 0


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{name.name}" for name in node.names)


def test_only_listed_modules_use_the_network() -> None:
    """Add other modules to the table, with a test that they use the guard."""
    speaking = {
        str(path.relative_to(PROJECT))
        for room in ROOMS
        for path in (PROJECT / room).rglob("*.py")
        for name in _imported(path)
        if (name.partition(".")[0] in _NETWORK and name not in ("http", "http.HTTPStatus"))
        or name.startswith("urllib.request")
    }
    assert {path for path in speaking if not path.startswith(tuple(SPEAKERS))} == set()
    assert {place for place in SPEAKERS if not any(path.startswith(place) for path in speaking)} == set()
