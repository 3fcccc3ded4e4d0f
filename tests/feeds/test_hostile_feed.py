"""A hostile feed costs a worker bounded time and memory, measured in a separate process."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from feeds.dedup.budgets import DEFAULT
from feeds.dedup.rates import MATCHED_A_DAY
from rssmanager.env import PROJECT
from tests.feeds.hostile_feed import PER_POLL
from tests.rssmanager.installation import installation

N_POLLS = 3
MAX_MB = 400  # of the worker that polls, matches and enriches, models included
_BOOT = "import django, runpy, sys; django.setup(); runpy.run_module(sys.argv.pop(1), {}, '__main__', True)"


@pytest.mark.slow
def test_hostile_feed_costs_bounded_work_and_memory(tmp_path: Path) -> None:
    with installation(tmp_path) as installed:
        done = subprocess.run(
            [sys.executable, "-c", _BOOT, "tests.benchmarks.hostile_feed_round", str(N_POLLS)],
            cwd=PROJECT,
            env=installed.environment
            | {"DJANGO_SETTINGS_MODULE": "rssmanager.settings", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
            capture_output=True,
            text=True,
            timeout=900,
        )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    n_matched = PER_POLL + MATCHED_A_DAY  # the first poll, and one day
    assert (report["n_articles"], report["n_unmatched"]) == (N_POLLS * PER_POLL, N_POLLS * PER_POLL - n_matched)
    assert (report["n_matched"], report["n_enriched"]) == (n_matched, n_matched)
    most = n_matched * DEFAULT.of_one_feed
    assert 0 < report["n_pairs"] <= 3 * most  # by title and text, by names and terms, by meaning
    assert 0 < report["n_links"] <= report["n_pairs"]
    assert report["peak_mb"] <= MAX_MB
