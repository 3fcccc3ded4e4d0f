"""What several tests of the operator's view need."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pytest_django import Settings

from tests.rssmanager.redis_server import RedisServer, serving_redis

TOKEN = "a-token-of-the-monitor"


@pytest.fixture
def measured(settings: Settings) -> None:
    """An installation whose metrics may be read."""
    settings.ENV = replace(settings.ENV, METRICS_TOKEN=TOKEN)


@pytest.fixture
def redis_server(tmp_path: Path) -> Iterator[RedisServer]:
    with serving_redis(tmp_path) as server:
        yield server
