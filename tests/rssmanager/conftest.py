"""Fixtures shared by tests of an installation."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from rssmanager.accounts import tasks
from tests.rssmanager.redis_server import RedisServer, serving_redis


@pytest.fixture
def redis_server(tmp_path: Path) -> Iterator[RedisServer]:
    with serving_redis(tmp_path) as server:
        yield server


@pytest.fixture(autouse=True)
def _reset_links_are_sent_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Send them as a worker would; `test_resetting` covers the queueing."""

    def run(task: str, address: str) -> bool:
        assert task == "rssmanager.accounts.tasks.send_reset"
        tasks.send_reset(address)
        return True

    monkeypatch.setattr("rssmanager.accounts.views.password_reset.call_worker", run)
