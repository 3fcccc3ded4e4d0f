"""The format of a backup: a ZIP with a manifest, the database and the secret key.

- `manifest.json`: `format` (1), `made_at` (ISO 8601), `version` of the program, `vendor` of the database, and the names
  of all applied `migrations`
- `database`: an SQLite file, or a dump in PostgreSQL's custom format
- `secret_key`: as in `DATA_DIR`; missing if the environment sets the key
"""

import json
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from shutil import copyfileobj
from typing import Any

FORMAT = 1
_CHUNK = 2**20  # bytes
_MAX_TEXT = 2**20  # bytes of a manifest or key
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)


class BackupError(Exception):
    """A backup can't be created or restored; the message says why."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """The description of a backup; `made_at` in ISO 8601."""

    made_at: str
    version: str
    vendor: str
    migrations: tuple[str, ...]


def write(path: Path, manifest: Manifest, *, database: Path, key: str) -> None:
    """Write the file; `key` is "" if there is none to store. Raises OSError."""
    description = json.dumps({"format": FORMAT, **asdict(manifest)}, indent=1)
    with path.open("xb") as file:
        path.chmod(0o600)
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            archive.writestr("manifest.json", description)
            if key:
                archive.writestr("secret_key", key)
            archive.write(database, "database")


class Backup:
    """A backup opened for reading, as a context manager. Raises BackupError for invalid files.

    `n_bytes` is the size of its unpacked database.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._zip = zipfile.ZipFile(path)
        except OSError as error:
            raise BackupError(f"{path} can't be read: {error.strerror or error}.") from error
        except _BROKEN as error:
            raise BackupError(f"{path} is not a backup, or is incomplete: it isn't a readable ZIP file.") from error
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
        """Write the database to a new file. Raises OSError, and BackupError if the backup is damaged."""
        try:
            with self._zip.open("database") as packed, to.open("xb") as file:
                copyfileobj(packed, file, _CHUNK)
        except _BROKEN as error:
            raise BackupError(f"{self._path} is damaged: {error}") from error

    def _manifest(self) -> Manifest:
        try:
            manifest: Any = json.loads(self._text("manifest.json"))
        except (ValueError, RecursionError):
            manifest = None
        if not isinstance(manifest, Mapping) or not isinstance(manifest.get("format"), int):
            raise BackupError(f"{self._path} is not a backup: its manifest.json is invalid.")
        if manifest["format"] > FORMAT:
            raise BackupError(f"{self._path} is from a newer version of RSS Manager. Update first, then restore.")
        match manifest:
            case {"made_at": str(made_at), "version": str(version), "vendor": str(vendor), "migrations": [*migrations]}:
                return Manifest(made_at, version, vendor, tuple(map(str, migrations)))
        raise BackupError(f"{self._path} is not a backup: its manifest.json is incomplete.")

    def _text(self, name: str) -> str:
        try:
            with self._zip.open(name) as file:
                return file.read(_MAX_TEXT).decode()
        except (*_BROKEN, UnicodeDecodeError) as error:
            raise BackupError(f"{self._path} is damaged: {name} can't be read.") from error
