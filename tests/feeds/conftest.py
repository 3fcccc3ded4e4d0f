"""A server on loopback, and a Fetcher that may connect to it."""

from collections.abc import Callable, Iterator

import pytest

from feeds.fetching import Fetcher, FetchLimits
from tests.feeds.servers import PATIENCE, ScriptedServer

MakeFetcher = Callable[..., Fetcher]


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    server = ScriptedServer()
    yield server
    server.close()


@pytest.fixture
def other_server() -> Iterator[ScriptedServer]:
    server = ScriptedServer("127.0.0.2")
    yield server
    server.close()


@pytest.fixture
def waits() -> list[float]:
    return []


@pytest.fixture
def make_fetcher(waits: list[float]) -> Iterator[MakeFetcher]:
    fetchers: list[Fetcher] = []

    def make(**limits: object) -> Fetcher:
        fetcher = Fetcher(
            FetchLimits(**({"allow_private_networks": True, "total_seconds": PATIENCE} | limits)),
            user_agent="rssmanager/test (+https://reader.example/)",
            wait=waits.append,
        )
        fetchers.append(fetcher)
        return fetcher

    yield make
    for fetcher in fetchers:
        fetcher.close()


@pytest.fixture
def fetcher(make_fetcher: MakeFetcher) -> Fetcher:
    return make_fetcher()
