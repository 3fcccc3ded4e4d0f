"""The disk is full while feeds are polled and people read: nothing is damaged, and all goes on once there is room."""

import shutil
import socket
import sqlite3
import subprocess
import threading
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest
from django.conf import settings

from tests.faults.checking import check_whole
from tests.faults.processes import PATIENCE, Calls, cluster, follow, let_claims_expire, n_rows, wait_until
from tests.faults.published import Publishers, document
from tests.faults.test_killing import EVERY_MINUTE
from tests.faults.visitor import Visitor
from tests.feeds.servers import Script, answer
from tests.rssmanager.installation import Installation, installation
from tests.rssmanager.monitoring.servers import serving

N_FEEDS, N_ENTRIES = 8, 25  # of which half are there before; the other half would fill what the disk has left
SIZE = "32m"  # of which static files take 12
PAGES = ("/", "/all/", "/feeds/1/", "/settings/", "/health/", "/search/?q=harbour")
pytestmark = pytest.mark.skipif(
    settings.DATABASES["default"]["ENGINE"].endswith("postgresql"),
    reason="PostgreSQL's disk is its own, and not the reader's to look after",
)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "disk"
    place.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "faults", str(place)], capture_output=True)
    if done.returncode:
        pytest.skip("no disk can be mounted here, which takes root")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


@pytest.fixture
def reader(tmp_path: Path, disk: Path) -> Iterator[Installation]:
    """Its data on that disk; what its processes write to their logs is elsewhere."""
    with installation(tmp_path, is_bare=True) as made:
        made.environment |= {"DATA_DIR": str(disk), "WORKERS": "2", "DJANGO_SUPERUSER_PASSWORD": "correct horse"}
        made.run("prepare")
        made.run("createsuperuser", "--noinput", "--username", "owner", "--email", "owner@example.org")
        yield made


def test_it_is_said_and_all_goes_on_when_there_is_room(
    reader: Installation, disk: Path, publishers: Publishers
) -> None:
    """Half of the feeds answer only once the disk is full. Leases of tasks that failed with it are let expire, as the
    clock would."""
    filler, is_full = disk / "filler", threading.Event()
    for number in range(N_FEEDS):
        whole = answer(200, document(number, N_ENTRIES))
        publishers.add(whole if number < N_FEEDS // 2 else when(is_full, whole))
    follow(reader, publishers.urls)
    calls = Calls(reader)
    calls.make("feeds.tasks.polling.sort_new")
    with serving(reader) as server, cluster(reader) as workers:
        visitor = Visitor(server, reader)
        calls.make("feeds.tasks.polling.poll_share")
        wait_until(lambda: n_rows(reader, "feeds_item") == N_FEEDS // 2 * N_ENTRIES, "the first feeds did not come")
        calls.make("digests.tasks.recurring.start_due_work")
        visitor.get("/")
        wait_until(lambda: visitor.get("/").status_code == 200, "there is no front page")

        fill(filler)
        is_full.set()
        wait_until(lambda: "disk is full" in workers.log.read_text(), "the workers say nothing")
        for path in PAGES:
            assert visitor.get(path).status_code == 200, path
        refused = visitor.post("/subscribe/", address=publishers.urls[0])
        assert (refused.status_code, "The disk is full" in refused.text) == (503, True), refused.text
        assert "disk" in visitor.get("/readyz").json()["not_ready"]
        failed = reader.run("backup", ok=False)
        assert (failed.returncode, "disk is full" in failed.stderr) == (1, True), failed.stderr
        assert "Traceback" not in failed.stderr
        assert not list(disk.rglob("*.zip")) + list(disk.rglob(".rssmanager-backup-*"))
        assert n_rows(reader, "feeds_feed", "last_success_at IS NULL"), "there was room for everything"
        assert is_sound(disk)

        filler.unlink()
        assert visitor.post("/subscribe/", address=publishers.urls[0]).status_code == 200
        let_claims_expire(reader)
        wait_until(lambda: is_whole(reader, calls), "the work does not come to an end", patience=2 * PATIENCE)
        assert workers.process.poll() is None
        assert is_sound(disk)
        reader.run("backup")
    check_whole(reader, N_FEEDS * N_ENTRIES)


def when(is_so: threading.Event, whole: bytes) -> Script:
    """An answer that comes not before."""

    def script(connection: socket.socket) -> None:
        is_so.wait(PATIENCE)
        connection.sendall(whole)

    return script


def fill(path: Path) -> None:
    """Up to the last byte."""
    with path.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(4096))
    assert shutil.disk_usage(path.parent).free == 0


def is_sound(disk: Path) -> bool:
    with closing(sqlite3.connect(disk / "reader.sqlite3", timeout=30)) as connection:
        return connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def is_whole(reader: Installation, calls: Calls) -> bool:
    """Whether everything is delivered and rated; the tasks of the minutes that follow are called."""
    if not n_rows(reader, "django_q_ormq", "lock < datetime('now')"):
        for task in EVERY_MINUTE[:6]:
            calls.make(task)
    n_there = n_rows(reader, "reader_delivery", "is_rated")
    return n_there == N_FEEDS * N_ENTRIES and not n_rows(reader, "feeds_pending")
