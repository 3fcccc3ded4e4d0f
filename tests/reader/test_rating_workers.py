"""However many workers rate, and whichever are killed in the middle, every copy ends with the same numbers."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from rssmanager.env import PROJECT
from tests.reader.rating_work import BATCH, KILLED_AT, N_ARTICLES
from tests.rssmanager.installation import installation

pytestmark = pytest.mark.slow


def test_workers_at_once_and_workers_killed_lose_nothing(tmp_path: Path) -> None:
    with installation(tmp_path) as made:
        done = subprocess.run(
            [sys.executable, "-m", "tests.reader.rating_work", "2"],
            cwd=PROJECT,
            env=made.environment,
            capture_output=True,
            text=True,
            timeout=120,
        )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["left"] == 2 * N_ARTICLES - BATCH * sum(range(len(KILLED_AT)))  # whole batches, and no part of one
    assert len(found["together"]) == 2 * N_ARTICLES + N_ARTICLES // 4  # a third feed brought some to one person
    assert all(is_rated for *_, is_rated in found["together"])
    assert found["together"] == found["alone"]
