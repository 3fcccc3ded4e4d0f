"""The disk fills up during polling and reading: nothing is damaged, and work resumes with free space."""

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
from tests.faults.processes import FEW_MODELS, PATIENCE, Calls, cluster, follow, let_claims_expire, n_rows, wait_until
from tests.faults.published import Publishers, document
from tests.faults.test_killing import EVERY_MINUTE
from tests.faults.visitor import Visitor
from tests.feeds.servers import Script, answer
from tests.rssmanager.installation import SQLITE, Installation, installation
from tests.rssmanager.operations.servers import serving

N_FEEDS, N_ENTRIES = 8, 25  # half are stored before; the other half would fill the disk
SIZE = "32m"  # static files take 12 of these
PAGES = ("/", "/all/", "/feeds/1/", "/settings/", "/health/", "/search/?q=harbour")
pytestmark = pytest.mark.skipif(
    settings.DATABASES["default"]["ENGINE"].endswith("postgresql"),
    reason="PostgreSQL's disk is its own, and not the reader's to look after",
)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "disk"
    place.mkdir()
    process = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "faults", str(place)], capture_output=True)
    if process.returncode:
        pytest.skip("no disk can be mounted here, which takes root")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


@pytest.fixture
def reader(tmp_path: Path, disk: Path) -> Iterator[Installation]:
    """An installation with its data on that disk and its logs elsewhere."""
    with installation(tmp_path) as site:
        shutil.move(tmp_path / SQLITE, disk)
        site.environment |= {**FEW_MODELS, "DATA_DIR": str(disk)}
        site.prepare()
        yield site


def test_full_disk_is_reported_and_work_resumes_with_free_space(
    reader: Installation, disk: Path, publishers: Publishers
) -> None:
    """Half of the feeds respond only once the disk is full. Leases of tasks that failed are expired, as
    time would."""
    filler, is_full = disk / "filler", threading.Event()
    for number in range(N_FEEDS):
        whole = answer(200, document(number, N_ENTRIES))
        publishers.add(whole if number < N_FEEDS // 2 else respond_once(is_full, whole))
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


def respond_once(is_so: threading.Event, whole: bytes) -> Script:
    """A response that waits for a condition."""

    def script(connection: socket.socket) -> None:
        is_so.wait(PATIENCE)
        connection.sendall(whole)

    return script


def fill(path: Path) -> None:
    """Fill the disk to the last byte."""
    with path.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(4096))
    assert shutil.disk_usage(path.parent).free == 0


def is_sound(disk: Path) -> bool:
    with closing(sqlite3.connect(disk / "reader.sqlite3", timeout=30)) as connection:
        return connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def is_whole(reader: Installation, calls: Calls) -> bool:
    """Run the recurring tasks; return whether everything is delivered and rated."""
    if not n_rows(reader, "django_q_ormq", "lock < datetime('now')"):
        for task in EVERY_MINUTE[:6]:
            calls.make(task)
    n_there = n_rows(reader, "reader_delivery", "is_rated")
    return n_there == N_FEEDS * N_ENTRIES and not n_rows(reader, "feeds_pending")
