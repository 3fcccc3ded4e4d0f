"""`prepare` run by several processes at once, like services that start together."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.rssmanager.installation import Installation, installation

pytestmark = [pytest.mark.slow, pytest.mark.vendor]

PATIENCE = 120.0  # seconds
N_AT_ONCE = 2


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Installation]:
    with installation(tmp_path, is_bare=True) as site:
        yield site


def test_services_that_start_together_prepare_one_database(reader: Installation) -> None:
    begun = [reader.start("prepare") for _ in range(N_AT_ONCE)]
    ended = [(*process.communicate(timeout=PATIENCE), process.returncode) for process in begun]
    assert [(status, error) for _, error, status in ended] == [(0, "")] * N_AT_ONCE
    assert reader.run("migrate", "--check").returncode == 0
