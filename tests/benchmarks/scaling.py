"""More workers: one worker process against four in two clusters, on one PostgreSQL and Redis, over many feeds.

The clusters are as two hosts would have them: `qcluster` processes with nothing in common but database and queue. They
are told once that feeds are due and do the rest by themselves: poll, match, enrich, deliver, rate. What is measured is
how long until the last feed was polled, and the last article brought to its follower; then it is counted whether a feed
was polled twice or anything stored twice. All processes share this machine with the servers and the farm of feeds.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import redis

from rssmanager.env import PROJECT
from tests.benchmarks.farm import Farm
from tests.benchmarks.installation import Installation, installation

N_ENTRIES = 3  # of each feed: many feeds are what is measured, not a large archive
PATIENCE = 1800.0  # seconds
DATABASE_URL = "postgres://root@127.0.0.1:5432/test"
REDIS_URL = "redis://127.0.0.1:6379/15"  # a database of its own, which is emptied
ARRANGEMENTS = {"1 worker": (1,), "4 workers in 2 clusters": (2, 2)}

_COUNTS = """
SELECT
  (SELECT count(*) FROM feeds_poll),
  (SELECT count(*) FROM (SELECT 1 FROM feeds_poll GROUP BY feed_id HAVING count(*) > 1) AS twice),
  (SELECT count(*) FROM feeds_item),
  (SELECT count(*) FROM feeds_article),
  (SELECT count(*) FROM feeds_article a WHERE NOT EXISTS (SELECT 1 FROM feeds_item i WHERE i.article_id = a.id)),
  (SELECT count(*) FROM (SELECT 1 FROM feeds_article GROUP BY canonical_url, url HAVING count(*) > 1) AS twice),
  (SELECT count(*) FROM reader_delivery),
  (SELECT count(*) FROM django_q_task WHERE NOT success)
"""
_COUNTED = ("polls", "feeds polled twice", "items", "articles", "articles without a feed", "articles doubled",
            "deliveries", "tasks failed")  # fmt: skip


def run(n_feeds: int) -> dict[str, Any]:
    """Each arrangement with an empty database."""
    with Farm(n_feeds, port=9178, n_entries=N_ENTRIES) as farm:
        opml = farm.get(f"/opml?n={n_feeds}")
        return {
            "n_feeds": n_feeds,
            "rounds": {name: _round(n_feeds, opml, workers) for name, workers in ARRANGEMENTS.items()},
        }


def _round(n_feeds: int, opml: bytes, workers: tuple[int, ...]) -> dict[str, Any]:
    print(f"{n_feeds} feeds, clusters of {workers} workers", file=sys.stderr, flush=True)
    queue = redis.Redis.from_url(REDIS_URL)
    queue.flushdb()
    with installation(f"scaling_{sum(workers)}", server_url=DATABASE_URL) as reader:
        reader.environment["REDIS_URL"] = REDIS_URL
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "farm.opml"
            path.write_bytes(opml)
            reader.manage("import_opml", str(path))
        reader.manage("prepare")
        with psycopg.connect(_libpq(reader), autocommit=True) as connection:
            connection.execute("UPDATE feeds_feed SET next_poll_at = now()")
            with _clusters(reader, workers):
                began = time.monotonic()
                polled = _wait(
                    connection, began, "SELECT count(*) FROM feeds_feed WHERE last_polled_at IS NOT NULL", n_feeds
                )
                brought = _wait(connection, began, "SELECT count(*) FROM feeds_item i WHERE NOT EXISTS (SELECT 1 FROM"
                                " reader_delivery d WHERE d.article_id = i.article_id)", 0)  # fmt: skip
            row = connection.execute(_COUNTS).fetchone()
    queue.flushdb()
    assert row is not None
    return {"workers": list(workers), "polled_s": polled, "brought_s": brought, **dict(zip(_COUNTED, row, strict=True))}


@contextmanager
def _clusters(reader: Installation, workers: tuple[int, ...]) -> Iterator[None]:
    processes = []
    with tempfile.TemporaryDirectory() as folder:
        for number, n_workers in enumerate(workers):
            own = Path(folder) / str(number)  # another host has another disk; the key is the same
            own.mkdir()
            environment = reader.environment | {"DATA_DIR": str(own), "WORKERS": str(n_workers), "SECRET_KEY": "k" * 50}
            command = [sys.executable, str(PROJECT / "manage.py"), "qcluster"]
            processes.append(subprocess.Popen(command, env=environment, cwd=PROJECT, start_new_session=True))
        try:
            yield
        finally:
            for process in processes:
                process.terminate()
            for process in processes:
                try:
                    process.wait(30)
                except subprocess.TimeoutExpired:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()


def _wait(connection: "psycopg.Connection[Any]", began: float, query: str, until: int) -> float:
    """Seconds from the beginning until a query counts so many."""
    while time.monotonic() < began + PATIENCE:
        row = connection.execute(query.encode()).fetchone()
        if row is not None and row[0] == until:
            return time.monotonic() - began
        time.sleep(1)
    raise TimeoutError(f"after {PATIENCE:.0f} s still not {until}: {query}")


def _libpq(reader: Installation) -> str:
    return reader.environment["DATABASE_URL"]


def table(found: Mapping[str, Any]) -> str:
    """The figures for people."""
    names = list(found["rounds"])
    rows = [
        ("all feeds polled, s", "polled_s"),
        ("everything brought, s", "brought_s"),
        *zip(_COUNTED, _COUNTED, strict=True),
    ]
    lines = [
        f"{found['n_feeds']:,} feeds × {N_ENTRIES} entries, PostgreSQL and Redis, all on one machine",
        "",
        f"| | {' | '.join(names)} |",
        f"|---|{'---:|' * len(names)}",
    ]
    for name, key in rows:
        lines.append(f"| {name} | {' | '.join(_figure(found['rounds'][each][key]) for each in names)} |")
    return "\n".join(lines)


def _figure(value: float) -> str:
    return f"{value:,.0f}"
