"""Backup files: valid ones can be read, others are refused with a reason."""

import json
import random
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from django.db import connection
from django.utils import timezone

from rssmanager.backup import archive
from rssmanager.backup.archive import Backup, BackupError, Manifest
from rssmanager.backup.restore import restore

DATABASE = random.Random(1).randbytes(100_000)
MANIFEST = Manifest("2026-11-22T04:00:00+00:00", "0.1.0", connection.vendor, ("reader.0001_initial",))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "database").write_bytes(DATABASE)
    archive.write(tmp_path / "kept.zip", MANIFEST, database=tmp_path / "database", key="secret")
    return tmp_path / "kept.zip"


def with_manifest(path: Path, text: str) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("manifest.json", text)
        archive.writestr("database", DATABASE)


def manifest_text(path: Path, **values: object) -> None:
    with_manifest(
        path, json.dumps({"format": 1, "made_at": "", "version": "9.0", "vendor": "", "migrations": []} | values)
    )


def flipped(path: Path) -> None:
    content = bytearray(path.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 50] = bytes(byte ^ 0xFF for byte in content[middle : middle + 50])
    path.write_bytes(content)


def without_database(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("manifest.json", "{}")


def test_reads_what_was_written(path: Path, tmp_path: Path) -> None:
    with Backup(path) as backup:
        assert (backup.manifest, backup.key, backup.n_bytes) == (MANIFEST, "secret", len(DATABASE))
        backup.unpack(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == DATABASE
    assert path.stat().st_mode & 0o777 == 0o600


def test_omits_key_set_by_environment(tmp_path: Path) -> None:
    (tmp_path / "database").write_bytes(DATABASE)
    archive.write(tmp_path / "kept.zip", MANIFEST, database=tmp_path / "database", key="")
    with Backup(tmp_path / "kept.zip") as backup:
        assert backup.key == ""


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        pytest.param(lambda path: path.unlink(), "can't be read: No such file", id="missing"),
        pytest.param(lambda path: path.write_bytes(b"<opml/>"), "isn't a readable ZIP", id="another file"),
        pytest.param(lambda path: path.write_bytes(path.read_bytes()[:-100]), "isn't a readable ZIP", id="cut off"),
        pytest.param(without_database, "manifest.json", id="a manifest that says nothing"),
        pytest.param(lambda path: with_manifest(path, "{"), "manifest.json is invalid", id="no JSON"),
        pytest.param(lambda path: with_manifest(path, "[" * 100_000), "manifest.json is invalid", id="too deep"),
        pytest.param(lambda path: with_manifest(path, '{"format": 1}'), "is incomplete", id="half of it"),
        pytest.param(lambda path: manifest_text(path, format=2), "a newer version", id="a later format"),
        pytest.param(lambda path: zipfile.ZipFile(path, "w").close(), "a ZIP file without", id="empty"),
        pytest.param(flipped, "is damaged", id="flipped bits"),
    ],
)
def test_incomplete_backup_is_explained(path: Path, tmp_path: Path, spoil: Callable[[Path], None], words: str) -> None:
    spoil(path)
    with pytest.raises(BackupError, match=words), Backup(path) as backup:
        backup.unpack(tmp_path / "again")


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("values", "words"),
    [
        pytest.param({"vendor": "oracle"}, "The backup is from oracle.*export_data", id="another database"),
        pytest.param(
            {"vendor": connection.vendor, "migrations": ["reader.9999_x", "gone.0001_initial"]},
            r"from a newer version \(9.0: reader.9999_x\). Update first",
            id="a newer version",
        ),
    ],
)
def test_incompatible_backup_is_refused(path: Path, values: dict[str, object], words: str) -> None:
    manifest_text(path, **values)
    with pytest.raises(BackupError, match=words):
        restore(path, replaces=True, now=timezone.now())
