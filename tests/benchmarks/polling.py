"""The main job under load: two worker processes poll a farm of feeds into an empty SQLite store."""

import json
import os
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rssmanager.env import PROJECT
from tests.benchmarks.farm import Farm

MANAGE = str(PROJECT / "manage.py")


@dataclass(frozen=True, slots=True)
class Measured:
    """One round: seconds of the slower engine, wall and CPU seconds of both whole processes, peak MB of one."""

    name: str
    engine_seconds: float
    wall_seconds: float
    cpu_seconds: float
    peak_mb: float
    n_new: int
    stages: dict[str, float]


class Installation:
    """A reader of its own in a temporary folder."""

    def __init__(self, folder: Path) -> None:
        self.database = folder / "reader.sqlite3"
        self._environment = os.environ | {
            "DATA_DIR": str(folder),
            "DATABASE_URL": "",
            "REDIS_URL": "",
            "FETCH_ALLOWED_NETWORKS": "127.0.0.0/8",
            "LOG_LEVEL": "WARNING",
        }
        self.manage("migrate", "--verbosity", "0")
        self.manage("createsuperuser", "--noinput", "--username", "bench", "--email", "b@example.org",
                    DJANGO_SUPERUSER_PASSWORD="bench")  # fmt: skip

    def manage(self, *arguments: str, **environment: str) -> str:
        command = [sys.executable, MANAGE, *arguments]
        done = subprocess.run(command, env=self._environment | environment, check=True, capture_output=True, text=True)
        return done.stdout

    def follow(self, opml: bytes, folder: Path) -> None:
        path = folder / "farm.opml"
        path.write_bytes(opml)
        self.manage("import_opml", str(path))

    def make_due(self) -> None:
        with sqlite3.connect(self.database, timeout=30) as connection:
            connection.execute("UPDATE feeds_feed SET next_poll_at = '2020-01-01 00:00:00'")
            connection.execute("UPDATE feeds_source SET resting_until = NULL")

    def poll(self, name: str, *, workers: int = 2) -> Measured:
        """Poll everything with `workers` processes at once."""
        self.make_due()
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        began = time.perf_counter()
        command = [sys.executable, MANAGE, "poll", "--json"]
        processes = [
            subprocess.Popen(command, env=self._environment, stdout=subprocess.PIPE, text=True) for _ in range(workers)
        ]
        peaks, reports = [], []
        for process in processes:
            assert process.stdout is not None
            reports.append(json.loads(process.stdout.read()))
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            peaks.append(usage.ru_maxrss / 1024)
        wall = time.perf_counter() - began
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        stages: dict[str, float] = {}
        for report in reports:
            for stage, spent in report["stage_seconds"].items():
                stages[stage] = stages.get(stage, 0.0) + spent
        engine = max(report["seconds"] for report in reports)
        return Measured(name, engine, wall, cpu, max(peaks), sum(report["new"] for report in reports), stages)

    def size(self) -> tuple[int, int]:
        """Articles, and bytes on disk."""
        with sqlite3.connect(self.database, timeout=30) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            (n_articles,) = connection.execute("SELECT count(*) FROM feeds_article").fetchone()
        return n_articles, self.database.stat().st_size


def first_polls(n_feeds: int) -> dict[str, Any]:
    """First poll, 304, unchanged without validators, and two new entries in each feed."""
    with Farm(n_feeds) as farm, tempfile.TemporaryDirectory() as name:
        reader = Installation(Path(name))
        reader.follow(farm.get(f"/opml?n={n_feeds}"), Path(name))
        rounds = [reader.poll("first poll")]
        n_articles, n_bytes = reader.size()
        rounds.append(reader.poll("unchanged, 304"))
        farm.get("/set?cond=0")
        rounds.append(reader.poll("unchanged, 200"))
        farm.get("/tick?k=2")
        rounds.append(reader.poll("2 new in each"))
        return {"rounds": rounds, "n_articles": n_articles, "bytes_per_article": n_bytes / max(1, n_articles)}


def with_latency(n_feeds: int, latency_ms: int) -> Measured:
    """First poll of feeds that each answer late."""
    with Farm(n_feeds, latency_ms=latency_ms) as farm, tempfile.TemporaryDirectory() as name:
        reader = Installation(Path(name))
        reader.follow(farm.get(f"/opml?n={n_feeds}"), Path(name))
        return reader.poll(f"{n_feeds} feeds, {latency_ms} ms before each answer")
