"""Whatever order a day of news arrives in, and however many workers take it in, it ends in the same stories."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from rssmanager.env import PROJECT
from tests.feeds.story_corpus import STORIES
from tests.rssmanager.installation import installation

N_ORDERS = 20
NOWHERE = "tests.feeds.arrivals"


@pytest.mark.parametrize("n_workers", [1, 3])
def test_twenty_orders_end_in_the_same_stories(n_workers: int, tmp_path: Path) -> None:
    with installation(tmp_path) as made:
        done = subprocess.run(
            [sys.executable, "-m", NOWHERE, str(n_workers), str(N_ORDERS)],
            cwd=PROJECT,
            env=made.environment,
            capture_output=True,
            text=True,
            timeout=300,
        )
    assert done.returncode == 0, done.stderr
    outcomes = [frozenset(map(frozenset, json.loads(line))) for line in done.stdout.splitlines()]
    assert len(outcomes) == N_ORDERS
    assert set(outcomes) == {STORIES}
