"""A separate installation for tests that need real processes, with its own folder and database."""

import atexit
import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

import psycopg
from django.conf import settings

from rssmanager.env import PROJECT

SQLITE = "reader.sqlite3"
PASSWORD = "correct horse"
APPS = ("feeds", "reader", "digests", "rssmanager")


class Installation:
    """Runs `manage.py` with its own settings; the database is of the same kind as the suite's."""

    def __init__(self, folder: Path, database_url: str) -> None:
        self.folder = folder
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("FETCH_")},
            "DATA_DIR": str(folder),
            "DATABASE_URL": database_url,
            "REDIS_URL": "",
            "FETCH_ALLOWED_NETWORKS": "127.0.0.0/8",
            "LOG_LEVEL": "WARNING",
        }

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, str(PROJECT / "manage.py"), *arguments]

    def start(self, *arguments: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            self.command(*arguments), env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def run(self, *arguments: str, ok: bool = True) -> "subprocess.CompletedProcess[str]":
        process = subprocess.run(
            self.command(*arguments), env=self.environment, capture_output=True, text=True, timeout=300
        )
        if ok:
            assert process.returncode == 0, process.stderr
        return process

    def prepare(self) -> None:
        """Do what `prepare` does to a migrated installation, with a copy of the static files it would collect."""
        shutil.copytree(_static_files(), Path(self.environment["DATA_DIR"], "static"))
        self.run("shell", "--no-imports", "-c", "from rssmanager.schedules import write_schedules; write_schedules()")

    def ask(self, expression: str) -> str:
        """The value of a Python expression over the models, as text."""
        code = f"from feeds.models import *; from reader.models import *; print({expression})"
        return self.run("shell", "--no-imports", "-c", code).stdout.strip()


@contextmanager
def installation(folder: Path, *, is_bare: bool = False) -> Iterator[Installation]:
    """A migrated installation with one account, or a bare one without tables; drops its database afterwards."""
    is_file = not settings.DATABASES["default"]["ENGINE"].endswith("postgresql")
    template = "" if is_bare or is_file else _template_database()
    with _database(template) as url:
        installation = Installation(folder, url)
        if not is_bare:
            installation.environment["DJANGO_SUPERUSER_PASSWORD"] = PASSWORD
            if is_file:
                folder.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(_template_file(), folder / SQLITE)
        yield installation


@cache
def _template_file() -> Path:
    """The SQLite file that installations are copied from."""
    return _template(SQLITE, _migrations(), _fill)


def migrated_file() -> Path:
    """A SQLite file with empty tables; takes ten seconds to create."""
    sources = [*_migrations(), Path(__file__)]  # so that it is kept apart from the one with an account
    return _template(SQLITE, sources, _migrate)


def _migrations() -> list[Path]:
    """What makes an empty database."""
    triggers = PROJECT / "reader/articles/change_triggers.py"
    return [triggers, *(path for app in APPS for path in (PROJECT / app).rglob("migrations/*.py"))]


@cache
def _static_files() -> Path:
    """The collected and compressed static files; takes ten seconds, too."""
    code = [PROJECT / "requirements.lock", PROJECT / "reader/bundles.py"]
    sources = [*code, *(path for path in (PROJECT / "static").rglob("*") if path.is_file())]
    return _template("static", sources, lambda made: made.run("collectstatic", "--noinput"))


def _template(name: str, sources: Sequence[Path], fill: Callable[[Installation], object]) -> Path:
    """The file or folder that `fill` creates in an installation; kept until one of the sources changes."""
    contents = (bytes(path.relative_to(PROJECT)) + path.read_bytes() for path in sorted(sources))
    version = hashlib.sha256(b"".join(contents)).hexdigest()[:16]
    folder = PROJECT / "var" / "test-template" / version
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / name).exists():
            with TemporaryDirectory(dir=folder) as unfinished:
                fill(Installation(Path(unfinished), ""))
                (Path(unfinished) / name).rename(folder / name)
    return folder / name


@cache
def _template_database() -> str:
    """The PostgreSQL database that installations are copied from; dropped after the test run."""
    closing = ExitStack()
    atexit.register(closing.close)
    url = closing.enter_context(_database(""))
    _fill(Installation(Path(closing.enter_context(TemporaryDirectory())), url))
    return url.rpartition("/")[2]


def _migrate(made: Installation) -> None:
    made.run("migrate", "--verbosity", "0")


def _fill(made: Installation) -> None:
    made.environment["DJANGO_SUPERUSER_PASSWORD"] = PASSWORD
    _migrate(made)
    made.run("createsuperuser", "--noinput", "--username", "owner", "--email", "owner@example.org")


@contextmanager
def _database(template: str) -> Iterator[str]:
    """The URL of a new PostgreSQL database, a copy of `template`; empty if the suite uses SQLite."""
    config = settings.DATABASES["default"]
    if not config["ENGINE"].endswith("postgresql"):
        yield ""
        return
    name = f"rssmanager_{uuid4().hex[:12]}"
    where = f"{config['USER']}:{config['PASSWORD']}@{config['HOST']}:{config['PORT'] or 5432}"
    with psycopg.connect(f"postgresql://{where}/postgres", autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template or "template1"}"')
        try:
            yield f"postgres://{where}/{name}"
        finally:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')
