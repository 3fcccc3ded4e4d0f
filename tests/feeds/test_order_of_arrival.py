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

N_KILLS = 4


@pytest.mark.parametrize("n_orders", [3, pytest.param(20, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("n_workers", [1, 3])
def test_all_orders_end_in_the_same_stories(n_workers: int, n_orders: int, tmp_path: Path) -> None:
    outcomes = arrivals(tmp_path, n_workers, n_orders)
    assert len(outcomes) == n_orders
    assert set(outcomes) == {STORIES}


@pytest.mark.parametrize("n_orders", [2, pytest.param(5, marks=pytest.mark.nightly)])
def test_killed_workers_lose_and_repeat_nothing(n_orders: int, tmp_path: Path) -> None:
    assert set(arrivals(tmp_path, 2, n_orders, N_KILLS)) == {STORIES}


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
