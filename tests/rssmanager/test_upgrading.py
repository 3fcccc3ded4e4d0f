"""Databases of other versions: released ones are upgraded, others are recognized."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from pytest_django import DjangoDbBlocker

from rssmanager import doctor
from rssmanager.doctor.databases import UnusableDatabase, check_usable
from rssmanager.env import PROJECT
from tests.rssmanager.installation import APPS, SQLITE, Installation, installation
from tests.rssmanager.releases import ask, released

# Of all migrations that were released. Change none of them: whoever installed one would never get the change.
FROZEN = {
    "digests/migrations/0001_initial.py": "e54305f44844a878",
    "digests/migrations/0002_summary_source.py": "56eaa03c6d138c2d",
    "feeds/migrations/0001_initial.py": "a331d3e83f1d62ce",
    "feeds/migrations/0002_entries.py": "844a86c3941903b6",
    "reader/migrations/0001_initial.py": "5938dd404c3fc58a",
    "reader/migrations/0002_arrival.py": "655697c50adee530",
    "reader/migrations/0003_relevance_scale.py": "cec4754de2c4a53d",
    "reader/migrations/0004_newest_report.py": "4762af25b6a84eff",
    "rssmanager/accounts/migrations/0001_initial.py": "6935ea1c20b79c3b",
    "rssmanager/authentication/migrations/0001_initial.py": "999848278d3d9647",
    "rssmanager/operations/migrations/0001_initial.py": "c9f91adc3b2374ff",
}


@pytest.fixture
def bare(tmp_path: Path) -> Iterator[Installation]:
    with installation(tmp_path, is_bare=True) as site:
        yield site


def test_released_migrations_never_change() -> None:
    files = sorted(path for app in APPS for path in (PROJECT / app).rglob("migrations/[0-9]*.py"))
    hashes = {str(path.relative_to(PROJECT)): hashlib.sha256(path.read_bytes()).hexdigest()[:16] for path in files}
    assert {path: hashes.get(path) for path in FROZEN} == FROZEN
    assert set(hashes) == set(FROZEN), "a new migration: add its hash when it is released"


@pytest.mark.slow
@pytest.mark.vendor
@pytest.mark.parametrize("version", released())
def test_filled_database_of_a_release_is_upgraded(bare: Installation, version: str) -> None:
    releases = "import json; from tests.rssmanager import releases; "
    before = json.loads(ask(bare, f"{releases}print(json.dumps(releases.load({version!r})))"))
    assert len(before) > 40
    bare.run("prepare")
    after = json.loads(ask(bare, f"{releases}print(json.dumps(releases.counts_of({list(before)!r})))"))
    assert {table: (n, after[table]) for table, n in before.items() if after[table] < n} == {}
    assert json.loads(ask(bare, f"{releases}print(json.dumps(releases.pages()))")) == {}


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("app", "name", "reason"),
    [
        ("account", "0001_initial", "was made by a development version before 0.1.0, which can't be upgraded"),
        ("signing_in", "0001_initial", "was made by a development version before 0.1.0, which can't be upgraded"),
        ("operating", "0001_initial", "was made by a development version before 0.1.0, which can't be upgraded"),
        ("feeds", "0999_later", "was made by a newer version (feeds.0999_later)"),
    ],
)
def test_databases_of_other_versions_are_recognized(app: str, name: str, reason: str) -> None:
    check_usable(reads_all=True)
    MigrationRecorder(connection).record_applied(app, name)
    with pytest.raises(UnusableDatabase) as caught:
        check_usable()
    assert str(caught.value) == reason
    finding = next(doctor.examine())
    assert (finding.subject, finding.level, finding.seen) == ("database", "problem", f"the database {reason}")


@pytest.mark.slow
def test_prepare_and_doctor_explain_a_development_database_in_one_sentence(bare: Installation) -> None:
    record = "from django.db import connection; from django.db.migrations.recorder import MigrationRecorder as R; "
    ask(bare, f"{record}R(connection).record_applied('account', '0001_initial')")
    prepared = bare.run("prepare", ok=False)
    assert (prepared.returncode, prepared.stdout) == (1, "")
    assert prepared.stderr == (
        "CommandError: The database of DATABASE_URL was made by a development version before 0.1.0, which can't be "
        "upgraded. Export your data with that version, set DATABASE_URL to a new database, and import it there.\n"
    )
    findings = json.loads(bare.run("doctor", "--json", ok=False).stdout)
    assert "development version" in findings[0]["seen"]


def damage(file: Path) -> None:
    """Overwrite pages in the middle of a SQLite file."""
    content = bytearray(file.read_bytes())
    content[4096:40_960] = b"\xff" * (40_960 - 4096)
    file.write_bytes(bytes(content))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["not a database", "damaged pages"])
def test_broken_sqlite_file_is_called_that(tmp_path: Path, kind: str, django_db_blocker: DjangoDbBlocker) -> None:
    with installation(tmp_path) as site:
        if site.environment["DATABASE_URL"]:
            pytest.skip("only SQLite has a file")
        site.run("backup")
        [backup] = (tmp_path / "backups").iterdir()
        file = tmp_path / SQLITE
        if kind == "not a database":
            file.write_bytes(b"nothing that SQLite has ever written, but long enough for the header of a file" * 9)
        else:
            damage(file)
        found = site.run("doctor", "--json", ok=False)
        assert "Traceback" not in found.stdout + found.stderr
        [finding] = [one for one in json.loads(found.stdout) if one["subject"] == "database"]
        assert finding["seen"] == f"the database is a damaged SQLite file ({file})"
        assert finding["to_do"] == (f"Move it away and restore the newest backup: `python manage.py restore {backup}`.")
        if kind == "not a database":
            prepared = site.run("prepare", ok=False)
            assert "Traceback" not in prepared.stderr
            assert prepared.stderr.startswith("CommandError: The database of DATABASE_URL is a damaged SQLite file")
        file.unlink()
        site.run("restore", str(backup))
        assert json.loads(site.run("doctor", "--json", ok=False).stdout)[0]["level"] == "ok"


def test_a_failing_check_ends_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> doctor.Result:
        raise ValueError("no such column: x\nmore")

    check = doctor.Check("clock", "", broken)
    monkeypatch.setattr(doctor, "CHECKS", (check, check))
    assert [(one.level, one.seen) for one in doctor.examine()] == [
        ("problem", "this check failed: ValueError: no such column: x")
    ] * 2
