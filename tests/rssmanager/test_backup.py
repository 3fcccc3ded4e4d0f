"""Backups of a whole installation in use, restored into an empty one, with real processes.

Runs on SQLite or PostgreSQL, whichever the suite uses.
"""

import json
import os
import resource
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from shutil import which
from typing import Any

import pytest
from django.conf import settings

from rssmanager.backup.archive import Backup
from tests.rssmanager.installation import Installation, installation

IS_POSTGRESQL = settings.DATABASES["default"]["ENGINE"].endswith("postgresql")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        IS_POSTGRESQL and which("pg_dump") is None, reason="PostgreSQL's client programs are not installed here"
    ),
]

FILL = """
from datetime import timedelta
from django.contrib.auth.models import User
from django.utils import timezone
from feeds.models import Article, Feed
from feeds.search import indexer
from reader.models import ArticleState, Folder
from tests import make
user = User.objects.get(username="owner")
subscription = make.subscription(user, make.feed(title="Harbour Post"), folder=make.folder(user, "Mornings"))
for number in range(30):
    make.delivery(subscription, make.article(title=f"Whale number {number}", feed=subscription.feed))
ArticleState.objects.create(user=user, article=Article.objects.first(), is_starred=True, starred_at=timezone.now())
indexer.queue_articles(Article.objects.values_list("pk", flat=True))
indexer.index_waiting()
"""
FOUND = """
from django.contrib.auth.models import User
from django.utils import timezone
from reader.search.parser import parse
from reader.search.run import n_found
user = User.objects.get(username="owner")
print(n_found(user, parse("whale", today=timezone.localdate()).tree, now=timezone.now()))
"""
# Always writes two rows together: a copy with only one of them is inconsistent.
WRITE = """
from django.db import transaction
from django.contrib.auth.models import Group
print("begun", flush=True)
for number in range(100_000):
    with transaction.atomic():
        Group.objects.create(name=f"left {number}")
        Group.objects.create(name=f"right {number}")
"""
WAITING = """
from datetime import time, timedelta
from django.contrib.auth.models import User
from django.utils import timezone
from digests.models import DigestPlan, Mailing
user, past = User.objects.get(), timezone.now() - timedelta(hours=1)
Mailing.objects.create(user=user, kind="alerts", message_id="<1@x>", created_at=past, next_try_at=past)
DigestPlan.objects.create(user=user, kind="morning", is_on=True, at=time(6), by_mail=True, next_at=past)
"""


def shell(reader: Installation, code: str) -> str:
    return reader.run("shell", "--no-imports", "-c", code).stdout.strip()


def everything(reader: Installation) -> list[dict[str, Any]]:
    """All rows of all tables except sessions and the API's changes, which begin anew."""
    left_out = ("authentication.browsersession", "contenttypes", "reader.change")
    rows = reader.run("dumpdata", *(f"--exclude={table}" for table in left_out)).stdout
    return sorted(json.loads(rows), key=lambda row: (row["model"], str(row["pk"])))


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """One installation for all tests, which may add to it."""
    with installation(tmp_path_factory.mktemp("filled")) as reader:
        shell(reader, FILL)
        yield reader


@pytest.fixture
def used(tmp_path: Path) -> Iterator[Installation]:
    """An installation with an account."""
    with installation(tmp_path / "used") as reader:
        yield reader


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Installation]:
    with installation(tmp_path / "empty", is_bare=True) as reader:
        yield reader


def backed_up(reader: Installation, path: Path) -> Path:
    reader.run("backup", str(path))
    return path


@pytest.mark.vendor
def test_restores_everything_into_an_empty_folder(filled: Installation, empty: Installation, tmp_path: Path) -> None:
    shell(filled, "from rssmanager.authentication.models import BrowserSession; from django.utils.timezone import now;"
          " BrowserSession.objects.create(pk='abc', expire_date=now(), began_at=now(), seen_at=now())")  # fmt: skip
    path = backed_up(filled, tmp_path / "kept.zip")
    assert path.stat().st_mode & 0o777 == 0o600
    output = empty.run("restore", str(path)).stdout
    assert "Restored the backup from 20" in output
    assert everything(empty) == everything(filled)
    assert shell(empty, FOUND) == "30"
    assert (empty.folder / "secret_key").read_text() == (filled.folder / "secret_key").read_text()
    assert (
        empty.ask("__import__('rssmanager.authentication.models', fromlist=['x']).BrowserSession.objects.count()")
        == "0"
    )
    shell(empty, "from tests import make; make.folder(make.user('new'), 'New')")  # ids continue where they were
    assert not list(empty.folder.glob(".rssmanager-backup-*"))


@pytest.mark.vendor
def test_is_consistent_during_writes(filled: Installation, empty: Installation, tmp_path: Path) -> None:
    with filled.start("shell", "--no-imports", "-c", WRITE) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "begun\n"
        try:
            backups = [backed_up(filled, tmp_path / f"{number}.zip") for number in range(3)]
            assert writer.poll() is None
        finally:
            writer.kill()
    empty.run("restore", str(backups[-1]))
    groups = "list(Group.objects.values_list('name', flat=True))"
    names = shell(empty, f"from django.contrib.auth.models import Group; import json; print(json.dumps({groups}))")
    halves = [name.split() for name in json.loads(names)]
    assert {n for half, n in halves if half == "left"} == {n for half, n in halves if half == "right"} != set()


@pytest.mark.vendor
def test_replaces_existing_data_on_request_after_backing_it_up(
    filled: Installation, used: Installation, tmp_path: Path
) -> None:
    path = backed_up(filled, tmp_path / "kept.zip")
    before = everything(used)
    refused = used.run("restore", str(path), ok=False)
    assert refused.returncode == 1
    assert "This installation has data" in refused.stderr
    assert everything(used) == before
    output = used.run("restore", str(path), "--replace").stdout
    assert everything(used) == everything(filled)
    [backup] = (used.folder / "backups").iterdir()
    assert str(backup) in output
    used.run("restore", str(backup), "--replace")
    assert everything(used) == before


@pytest.mark.vendor
def test_only_the_user_may_open_what_is_written(filled: Installation, tmp_path: Path) -> None:
    """Whatever the umask of the shell, and whoever made the folder above."""
    path, before = backed_up(filled, tmp_path / "kept.zip"), os.umask(0o022)
    try:
        with installation(tmp_path / "above" / "new", is_bare=True) as reader:
            reader.run("restore", str(path))
            reader.run("restore", str(path), "--replace")
            reader.run("prepare")
            reader.run("poll", "--all")
            reader.run("score")
            paths = [reader.folder.parent, reader.folder, *reader.folder.rglob("*")]
    finally:
        os.umask(before)
    static = reader.folder / "static"
    modes = {str(path.relative_to(tmp_path)): path.stat().st_mode for path in paths if static not in path.parents}
    assert {"above/new/secret_key", "above/new/prepare.lock", "above/new/backups"} <= modes.keys()
    assert {name: oct(mode) for name, mode in modes.items() if mode & 0o077} == {}


def test_pending_email_is_held_back_after_restoring(used: Installation, empty: Installation, tmp_path: Path) -> None:
    shell(used, WAITING)
    path = backed_up(used, tmp_path / "kept.zip")
    output = empty.run("restore", str(path)).stdout
    assert "1 waiting emails are held back and 1 due digests are skipped." in output
    code = "from digests.models import *; from django.utils import timezone; print({})"
    assert shell(empty, code.format("Mailing.objects.get().state")) == "unsure"
    assert shell(empty, code.format("DigestPlan.objects.get().next_at > timezone.now()")) == "True"


def test_keeps_the_newest(filled: Installation) -> None:
    place = filled.folder / "backups"
    place.mkdir(exist_ok=True)
    for path in place.iterdir():
        path.unlink()
    (place / "rssmanager-2026-01-01-000000.zip").touch()
    (place / "rssmanager-2026-02-01-000000.zip").touch()
    (place / "mine.zip").touch()
    report = json.loads(filled.run("backup", "--keep", "2", "--json").stdout)
    assert [Path(path).name for path in report["removed"]] == ["rssmanager-2026-01-01-000000.zip"]
    assert {path.name for path in place.iterdir()} == {
        "mine.zip", "rssmanager-2026-02-01-000000.zip", Path(report["file"]).name
    }  # fmt: skip
    assert report["n_bytes"] == Path(report["file"]).stat().st_size


def test_never_overwrites_a_file(filled: Installation, tmp_path: Path) -> None:
    (tmp_path / "kept.zip").write_text("mine")
    result = filled.run("backup", str(tmp_path / "kept.zip"), ok=False)
    assert "kept.zip already exists" in result.stderr
    assert (tmp_path / "kept.zip").read_text() == "mine"


@pytest.mark.vendor
def test_full_disk_leaves_nothing_behind(filled: Installation, tmp_path: Path) -> None:
    """Simulated by a limit on file size: the same calls fail."""
    place = tmp_path / "place"
    place.mkdir()

    most = 20_000 if IS_POSTGRESQL else 500_000  # bytes; smaller than a dump or a copy

    def limited() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    process = subprocess.run(
        filled.command("backup", str(place / "kept.zip")), env=filled.environment, preexec_fn=limited,
        capture_output=True, text=True,
    )  # fmt: skip
    assert process.returncode == 1
    assert "CommandError" in process.stderr
    assert list(place.iterdir()) == []
    backed_up(filled, place / "kept.zip")


@pytest.mark.parametrize("after", [0, 0.02, 0.1])
def test_killed_backup_leaves_no_partial_file(filled: Installation, tmp_path: Path, after: float) -> None:
    path = tmp_path / "place" / "kept.zip"
    with filled.start("backup", str(path)) as process:
        kill_at_work(process, path.parent, ".rssmanager-backup-*", after)
    if path.exists():
        with Backup(path) as backup:
            backup.unpack(tmp_path / "database")
    backed_up(filled, path.with_name("next.zip"))
    assert not list(path.parent.glob(".rssmanager-backup-*"))  # the remaining file contains everything


def test_leaves_sibling_folders_alone(filled: Installation, tmp_path: Path) -> None:
    theirs = [tmp_path / ".backup-photos", tmp_path / ".rssmanager-backup-link", tmp_path / "photos"]
    for folder in (theirs[0], theirs[2]):
        folder.mkdir()
        (folder / "1.jpg").write_text("a picture")
    theirs[1].symlink_to(theirs[2])
    (tmp_path / ".rssmanager-backup-file").write_text("a file")
    backed_up(filled, tmp_path / "kept.zip")
    assert [(folder / "1.jpg").read_text() for folder in theirs] == ["a picture"] * 3
    assert (tmp_path / ".rssmanager-backup-file").exists()


def test_damaged_backup_changes_nothing(filled: Installation, tmp_path: Path) -> None:
    path = backed_up(filled, tmp_path / "kept.zip")
    before = everything(filled)
    with_member(path, "database", "nonsense" * 2000)
    result = filled.run("restore", str(path), "--replace", ok=False)
    assert (result.returncode, "CommandError" in result.stderr, "Traceback" in result.stderr) == (1, True, False)
    assert everything(filled) == before


@pytest.mark.vendor
def test_killed_restore_leaves_old_or_new_data(filled: Installation, used: Installation, tmp_path: Path) -> None:
    path = backed_up(filled, tmp_path / "kept.zip")
    old, new = comparable_rows(used), comparable_rows(filled)
    for after in (0, 0.05, 0.4):
        with used.start("restore", str(path), "--replace") as process:
            kill_at_work(process, used.folder, ".rssmanager-backup-*", after)
        assert comparable_rows(used) in (old, new)
    used.run("prepare")
    assert not list(used.folder.glob(".rssmanager-backup-*"))  # the remaining file contains everything
    used.run("restore", str(path), "--replace")
    assert comparable_rows(used) == new
    assert not list(used.folder.glob(".rssmanager-backup-*"))


@pytest.mark.vendor
def test_killed_right_after_restoring_sends_no_email_twice(
    used: Installation, empty: Installation, tmp_path: Path
) -> None:
    """The process kills itself at the first statement after restoring."""
    shell(used, WAITING)
    path = backed_up(used, tmp_path / "kept.zip")
    dying = """
import os
from django.core.management import call_command
from rssmanager.backup import databases
whole = databases.load
def load(*arguments, **named):
    whole(*arguments, **named)
    os._exit(9)
databases.load = load
call_command("restore", {!r})
"""
    assert empty.run("shell", "--no-imports", "-c", dying.format(str(path)), ok=False).returncode == 9
    code = "from digests.models import *; from django.utils import timezone; print({})"
    assert shell(empty, code.format("Mailing.objects.get().state, DigestPlan.objects.get().next_at")) == "unsure None"
    empty.run("prepare")
    assert shell(empty, code.format("DigestPlan.objects.get().next_at > timezone.now()")) == "True"


def test_low_disk_space_is_reported_first(filled: Installation, used: Installation, tmp_path: Path) -> None:
    path, before = backed_up(filled, tmp_path / "kept.zip"), comparable_rows(used)
    little = """
import shutil
from collections import namedtuple
from django.core.management import call_command
shutil.disk_usage = lambda path: namedtuple("Usage", "free")(1000)
call_command("restore", {!r}, "--replace")
"""
    result = used.run("shell", "--no-imports", "-c", little.format(str(path)), ok=False)
    assert "but only 1,000 are free" in result.stderr
    assert comparable_rows(used) == before


def kill_at_work(process: "subprocess.Popen[str]", folder: Path, work: str, after: float) -> None:
    """Kill it `after` seconds after its working folder appears."""
    while process.poll() is None and not list(folder.glob(work)):
        time.sleep(0.002)
    time.sleep(after)
    process.kill()


def comparable_rows(reader: Installation) -> list[dict[str, Any]]:
    """All rows except those held back after restoring."""
    return [row for row in everything(reader) if not row["model"].startswith("digests.")]


def with_member(path: Path, name: str, text: str) -> None:
    """The same archive with different text in one member."""
    with zipfile.ZipFile(path) as old:
        members = {member: old.read(member) for member in old.namelist()} | {name: text.encode()}
    with zipfile.ZipFile(path, "w") as new:
        for member, content in members.items():
            new.writestr(member, content)


@pytest.mark.vendor
def test_reports_missing_postgresql_programs(
    filled: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not IS_POSTGRESQL:
        pytest.skip("SQLite needs none")
    monkeypatch.setitem(filled.environment, "PATH", str(Path(sys.executable).parent))
    result = filled.run("backup", str(tmp_path / "kept.zip"), ok=False)
    assert "pg_dump is not installed; it comes with PostgreSQL's client programs" in result.stderr
