"""Whatever the number of workers, and whichever are killed, all deliveries end with the same ratings."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from rssmanager.env import PROJECT
from tests.reader.rating_work import BATCH, KILLED_AT, N_ARTICLES
from tests.rssmanager.installation import installation

pytestmark = pytest.mark.slow


def test_concurrent_and_killed_workers_lose_nothing(tmp_path: Path) -> None:
    with installation(tmp_path) as site:
        process = subprocess.run(
            [sys.executable, "-m", "tests.reader.rating_work", "2"],
            cwd=PROJECT,
            env=site.environment,
            capture_output=True,
            text=True,
            timeout=120,
        )
    assert process.returncode == 0, process.stderr
    report = json.loads(process.stdout)
    assert report["left"] == 2 * N_ARTICLES - BATCH * sum(range(len(KILLED_AT)))  # only complete batches
    assert len(report["together"]) == 2 * N_ARTICLES + N_ARTICLES // 4  # a third feed delivered some to one user
    assert all(is_rated for *_, is_rated in report["together"])
    assert report["together"] == report["alone"]
