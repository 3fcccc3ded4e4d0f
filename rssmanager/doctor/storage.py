"""The data folder: permissions, file system, free space, static files and backups."""

import os
import re
import shutil
import stat
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from tempfile import TemporaryFile

from django.conf import settings
from django.db import connection
from django.utils import timezone

from feeds.polling.schedule import format_duration
from rssmanager.backup.create import backups_in, default_path
from rssmanager.doctor.result import Result, note, ok, problem

MIN_FREE_BYTES = 500 * 2**20
BACKUP_AGE = timedelta(days=7)
MOUNTS = Path("/proc/self/mountinfo")
NETWORK_FILE_SYSTEMS = frozenset(
    {"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "fuse.sshfs", "ceph", "fuse.glusterfs", "afs"}
)
MEMORY_FILE_SYSTEMS = frozenset({"tmpfs", "ramfs"})
MAX_FILES = 2000  # checked in DATA_DIR


def _folder() -> Path:
    return Path(settings.DATA_DIR)


def writable() -> Result:
    """Tested by writing, which also finds full quotas and read-only disks."""
    try:
        with TemporaryFile(dir=_folder()):
            pass
    except OSError as error:
        return problem(
            f"user {os.getuid()} can't write to {_folder()}: {error.strerror}",
            f"Run `chown -R {os.getuid()} {_folder()}` as root, or set DATA_DIR to a folder of this user.",
        )
    return ok(f"{_folder()} is writable")


def owners() -> Result:
    """A command that was run as root leaves files that the app can't write later."""
    us = os.getuid()
    others = [path for path in islice(_folder().rglob("*"), MAX_FILES) if path.lstat().st_uid != us]
    if others:
        return problem(
            f"{others[0]} and {len(others) - 1} other files belong to another user",
            f"Run `chown -R {us} {_folder()}` as root, and run commands as the same user as the app.",
        )
    return ok("all files belong to this user")


def modes() -> Result:
    """Whether other users can open the folder, or any file in it; static files aren't secret."""
    static, name = Path(settings.STATIC_ROOT), str(connection.settings_dict["NAME"])
    database = [Path(name)] if connection.vendor == "sqlite" and Path(name).is_file() else []
    paths = [_folder(), *database, *islice(_folder().rglob("*"), MAX_FILES)]
    open_ones = [path for path in paths if not path.is_relative_to(static) and _is_open(path)]
    if open_ones:
        outside = [f"{name}*"] if database and not database[0].is_relative_to(_folder()) else []
        return problem(
            f"other users of this machine have permissions on {open_ones[0]}"
            + (f" and {len(open_ones) - 1} other files" if len(open_ones) > 1 else ""),
            f"Run `chmod -R go= {' '.join([str(_folder()), *outside])}`. New files are private.",
        )
    return ok(f"only this user can open {_folder()}")


def _is_open(path: Path) -> bool:
    """Whether group or others have any permission; a link has none of its own."""
    try:
        return not path.is_symlink() and bool(path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO))
    except FileNotFoundError:  # deleted in the meantime
        return False


def network_disk() -> Result:
    """SQLite needs locks and shared memory, which network file systems don't support reliably."""
    if connection.vendor != "sqlite":
        return ok("the database is a server")
    name = str(connection.settings_dict["NAME"])
    kind = kind_of(Path(name), _mounts()) if Path(name).is_absolute() else ""
    if kind in NETWORK_FILE_SYSTEMS:
        return problem(
            f"SQLite's file is on a network file system ({kind}), where it will get corrupted",
            "Set DATA_DIR to a local disk, or use PostgreSQL with DATABASE_URL.",
        )
    return ok("SQLite's file is on a local disk")


def volume() -> Result:
    """Data in memory, or in a container's own layer, is lost with it."""
    kind = kind_of(_folder(), _mounts())
    if kind in MEMORY_FILE_SYSTEMS:
        return problem(f"{_folder()} is in memory ({kind}) and lost after a restart", "Set DATA_DIR to a disk.")
    if kind == "overlay":
        return problem(
            f"{_folder()} is in the container itself and lost with it",
            "Mount a volume there: `docker run -v reader:/data …`.",
        )
    return ok(f"{_folder()} is on a persistent file system ({kind or 'unknown'})")


def disk() -> Result:
    free = shutil.disk_usage(_folder()).free
    if free < MIN_FREE_BYTES:
        return problem(f"{free // 2**20} MiB free in {_folder()}", "Free up disk space.")
    return ok(f"{free // 2**30} GiB free")


def static_files() -> Result:
    if not (Path(settings.STATIC_ROOT) / "staticfiles.json").exists():
        return problem(
            "static files haven't been collected, so pages can't be shown", "Run `python manage.py prepare`."
        )
    return ok("static files are collected")


def backups() -> Result:
    """Backups that `backup` created in its default folder; others aren't known."""
    to_do = "Run `python manage.py backup --keep 7` every night, and copy it elsewhere."
    now = timezone.now()
    folder = default_path(now).parent
    newest = max((path.stat().st_mtime for path in backups_in(folder)), default=None)
    if newest is None:
        return note(f"there is no backup in {folder}", to_do)
    age = now - datetime.fromtimestamp(newest, UTC)
    if age > BACKUP_AGE:
        return note(f"the newest backup is {format_duration(age)} old", to_do)
    return ok("the newest backup is less than a week old")


@dataclass(frozen=True, slots=True)
class Mount:
    at: str
    kind: str


def mounts_of(text: str) -> list[Mount]:
    """Parse Linux's `mountinfo`: the fifth field is the mount point, the first one after the dash the type."""
    mounts = []
    for line in text.splitlines():
        where, _, what = line.partition(" - ")
        if what and len(words := where.split(" ")) > 4:
            at = re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), words[4])
            mounts.append(Mount(at, what.split(" ")[0]))
    return mounts


def kind_of(path: Path, mounts: list[Mount]) -> str:
    """The type of file system that a path is on; "" if unknown."""
    resolved = path.resolve()
    parents = [mount for mount in mounts if resolved.is_relative_to(mount.at)]
    return max(parents, key=lambda mount: len(mount.at)).kind if parents else ""


def _mounts() -> list[Mount]:
    try:
        return mounts_of(MOUNTS.read_text(encoding="utf-8"))
    except OSError:  # not Linux
        return []
