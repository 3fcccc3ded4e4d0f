"""Where data lies, whose it is, and whether it is still there tomorrow."""

import os
import re
import shutil
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from tempfile import TemporaryFile

from django.conf import settings
from django.db import connection
from django.utils import timezone

from feeds.scheduling import spell
from rssmanager.backup.making import backups_in, usual_place
from rssmanager.diagnosis.seen import Seen, note, problem, well

LEAST_FREE_BYTES = 500 * 2**20
BACKUP_AGE = timedelta(days=7)
MOUNTS = Path("/proc/self/mountinfo")
OVER_NETWORK = frozenset({"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "fuse.sshfs", "ceph", "fuse.glusterfs", "afs"})
PASSING = frozenset({"tmpfs", "ramfs"})
MOST_LOOKED_AT = 2000  # files in DATA_DIR


def _folder() -> Path:
    return Path(settings.DATA_DIR)


def writable() -> Seen:
    """By trying: rights, a full quota and a read-only disk look the same from here."""
    try:
        with TemporaryFile(dir=_folder()):
            pass
    except OSError as error:
        return problem(
            f"{_folder()} cannot be written by user {os.getuid()}: {error.strerror}",
            f"Run `chown -R {os.getuid()} {_folder()}` as root, or set DATA_DIR to a folder of this user.",
        )
    return well(f"{_folder()} can be written")


def owners() -> Seen:
    """A command once run as root leaves files that the reader cannot write later."""
    us = os.getuid()
    others = [path for path in islice(_folder().rglob("*"), MOST_LOOKED_AT) if path.lstat().st_uid != us]
    if others:
        return problem(
            f"{others[0]} is another user's, and {len(others) - 1} more",
            f"Run `chown -R {us} {_folder()}` as root, and commands as the user that the reader runs as.",
        )
    return well("all files are this user's")


def network_disk() -> Seen:
    """SQLite needs locks and shared memory that network file systems do not keep."""
    if connection.vendor != "sqlite":
        return well("the database is a server")
    name = str(connection.settings_dict["NAME"])
    kind = kind_of(Path(name), _mounts()) if Path(name).is_absolute() else ""
    if kind in OVER_NETWORK:
        return problem(
            f"SQLite's file is on a network file system ({kind}), where it is damaged sooner or later",
            "Set DATA_DIR to a local disk, or use PostgreSQL by DATABASE_URL.",
        )
    return well("SQLite's file is on a local disk")


def volume() -> Seen:
    """What is in memory, or in a container's own layer, is gone with it."""
    kind = kind_of(_folder(), _mounts())
    if kind in PASSING:
        return problem(f"{_folder()} is in memory ({kind}), and gone after a restart", "Set DATA_DIR to a disk.")
    if kind == "overlay":
        return problem(
            f"{_folder()} is in the container itself, and gone with it",
            "Mount a volume there: `docker run -v reader:/data …`.",
        )
    return well(f"{_folder()} stays ({kind or 'kind unknown'})")


def disk() -> Seen:
    free = shutil.disk_usage(_folder()).free
    if free < LEAST_FREE_BYTES:
        return problem(f"{free // 2**20} MiB free in {_folder()}", "Make room.")
    return well(f"{free // 2**30} GiB free")


def static_files() -> Seen:
    if not (Path(settings.STATIC_ROOT) / "staticfiles.json").exists():
        return problem(
            "style sheets and scripts are not collected: no page can be shown", "Run `python manage.py prepare`."
        )
    return well("style sheets and scripts are collected")


def backups() -> Seen:
    """Those that `backup` made in its usual place; of others nothing is known."""
    to_do = "Run `python manage.py backup --keep 7` every night, and copy it elsewhere."
    now = timezone.now()
    folder = usual_place(now).parent
    newest = max((path.stat().st_mtime for path in backups_in(folder)), default=None)
    if newest is None:
        return note(f"there is no backup in {folder}", to_do)
    age = now - datetime.fromtimestamp(newest, UTC)
    if age > BACKUP_AGE:
        return note(f"the newest backup is {spell(age)} old", to_do)
    return well("a backup was made within a week")


@dataclass(frozen=True, slots=True)
class Mount:
    at: str
    kind: str


def mounts_of(text: str) -> list[Mount]:
    """The lines of Linux's `mountinfo`: the fifth word is where, the first one after the dash what kind."""
    found = []
    for line in text.splitlines():
        where, _, what = line.partition(" - ")
        if what and len(words := where.split(" ")) > 4:
            at = re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), words[4])
            found.append(Mount(at, what.split(" ")[0]))
    return found


def kind_of(path: Path, mounts: list[Mount]) -> str:
    """The kind of file system that a path is on; "" if that is not known."""
    resolved = path.resolve()
    over = [each for each in mounts if resolved.is_relative_to(each.at)]
    return max(over, key=lambda each: len(each.at)).kind if over else ""


def _mounts() -> list[Mount]:
    try:
        return mounts_of(MOUNTS.read_text(encoding="utf-8"))
    except OSError:  # not Linux
        return []
