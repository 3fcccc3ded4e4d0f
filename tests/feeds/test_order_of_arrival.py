"""A day of news ends in the same stories, in whatever order it arrives and however many workers process it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from rssmanager.env import PROJECT
from tests.feeds.story_corpus import STORIES
from tests.rssmanager.installation import installation

pytestmark = pytest.mark.slow

N_ORDERS = 20
N_KILLS = 4


@pytest.mark.parametrize("n_workers", [1, 3])
def test_twenty_orders_end_in_the_same_stories(n_workers: int, tmp_path: Path) -> None:
    outcomes = arrivals(tmp_path, n_workers, N_ORDERS)
    assert len(outcomes) == N_ORDERS
    assert set(outcomes) == {STORIES}


def test_killed_workers_lose_and_repeat_nothing(tmp_path: Path) -> None:
    assert set(arrivals(tmp_path, 2, 5, N_KILLS)) == {STORIES}


def arrivals(folder: Path, *numbers: int) -> list[frozenset[frozenset[str]]]:
    """The stories of each order, from `tests.feeds.arrivals` run in a separate installation."""
    with installation(folder) as installed:
        done = subprocess.run(
            [sys.executable, "-m", "tests.feeds.arrivals", *map(str, numbers)],
            cwd=PROJECT,
            env=installed.environment,
            capture_output=True,
            text=True,
            timeout=300,
        )
    assert done.returncode == 0, done.stderr
    return [frozenset(map(frozenset, json.loads(line))) for line in done.stdout.splitlines()]
