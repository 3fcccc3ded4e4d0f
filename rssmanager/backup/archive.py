"""The file of a backup: a ZIP of what says what it is, the database as its own tools copy it, and the signing key.

- `manifest.json`: `format` (1), `made_at` (ISO 8601), `version` of the program, `vendor` of the database, and the names
  of all `migrations` that it has had
- `database`: an SQLite file, or a dump in PostgreSQL's custom format
- `secret_key`: as it stands in `DATA_DIR`; not there where the key is given by the environment
"""

import json
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from shutil import copyfileobj
from typing import IO, Any

FORMAT = 1
_PIECE = 2**20  # bytes at a time
_MOST_TEXT = 2**20  # bytes of a manifest or key; nobody's is longer
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)


class BackupError(Exception):
    """Why a backup cannot be made or restored, in a sentence for whoever asked."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a backup says of itself; `made_at` in ISO 8601."""

    made_at: str
    version: str
    vendor: str
    migrations: tuple[str, ...]


def write(path: Path, manifest: Manifest, *, database: Path, key: str) -> None:
    """Write the file; `key` is "" where none is kept. Raises OSError."""
    said = json.dumps({"format": FORMAT, **asdict(manifest)}, indent=1)
    with path.open("xb") as file:
        path.chmod(0o600)
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as made:
            made.writestr("manifest.json", said)
            if key:
                made.writestr("secret_key", key)
            made.write(database, "database")


class Backup:
    """A backup that is read, in a `with`. Raises `BackupError` for what is none or is broken.

    `n_bytes` are those of its database, unpacked.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._zip = zipfile.ZipFile(path)
        except OSError as error:
            raise BackupError(f"{path} cannot be read: {error.strerror or error}.") from error
        except _BROKEN as error:
            raise BackupError(f"{path} is not a backup, or not a whole one: it is no readable ZIP file.") from error
        try:
            self.manifest = self._manifest()
            self.key = self._text("secret_key").strip() if "secret_key" in self._zip.namelist() else ""
            self.n_bytes = self._zip.getinfo("database").file_size
        except KeyError as error:
            self._zip.close()
            raise BackupError(f"{path} is not a backup: a ZIP file without {error.args[0]}.") from error
        except BackupError:
            self._zip.close()
            raise

    def __enter__(self) -> "Backup":
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    def unpack(self, to: Path) -> None:
        """Write the database to a new file. Raises OSError, and `BackupError` where the backup is damaged."""
        try:
            with self._zip.open("database") as packed, to.open("xb") as file:
                copyfileobj(packed, file, _PIECE)
        except _BROKEN as error:
            raise BackupError(f"{self._path} is damaged: {error}") from error

    def _manifest(self) -> Manifest:
        try:
            said: Any = json.loads(self._text("manifest.json"))
        except (ValueError, RecursionError):
            said = None
        if not isinstance(said, Mapping) or not isinstance(said.get("format"), int):
            raise BackupError(f"{self._path} is not a backup: its manifest.json says nothing that is understood.")
        if said["format"] > FORMAT:
            raise BackupError(f"{self._path} was made by a later version of rssmanager. Update first, then restore.")
        match said:
            case {"made_at": str(made_at), "version": str(version), "vendor": str(vendor), "migrations": [*migrations]}:
                return Manifest(made_at, version, vendor, tuple(map(str, migrations)))
        raise BackupError(f"{self._path} is not a backup: its manifest.json lacks something.")

    def _text(self, name: str) -> str:
        try:
            with self._zip.open(name) as file:
                return _bounded(file).decode()
        except (*_BROKEN, UnicodeDecodeError) as error:
            raise BackupError(f"{self._path} is damaged: {name} cannot be read.") from error


def _bounded(file: IO[bytes]) -> bytes:
    return file.read(_MOST_TEXT)
