"""A reader of its own for tests that need whole processes: own folder, own database, its own commands."""

import atexit
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
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


class Installation:
    """Runs `manage.py` with settings of its own; the database is of the same kind as the suite's."""

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
        done = subprocess.run(
            self.command(*arguments), env=self.environment, capture_output=True, text=True, timeout=120
        )
        if ok:
            assert done.returncode == 0, done.stderr
        return done

    def ask(self, expression: str) -> str:
        """What a Python expression over the models gives, as text."""
        code = f"from feeds.models import *; from reader.models import *; print({expression})"
        return self.run("shell", "--no-imports", "-c", code).stdout.strip()


@contextmanager
def installation(folder: Path, *, is_bare: bool = False) -> Iterator[Installation]:
    """A migrated installation with one account, or a bare one without a table; its database is dropped afterwards."""
    original = None if is_bare else _made_once()
    with _database(original) as url:
        made = Installation(folder, url)
        if original:
            made.environment["DJANGO_SUPERUSER_PASSWORD"] = PASSWORD
            if not url:
                folder.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(original.folder / SQLITE, folder / SQLITE)
        yield made


@cache
def _made_once() -> Installation:
    """The one that others are copies of, which takes ten seconds to make; it goes when these tests do."""
    closing = ExitStack()
    atexit.register(closing.close)
    folder = closing.enter_context(TemporaryDirectory())
    made = Installation(Path(folder), closing.enter_context(_database(None)))
    made.environment["DJANGO_SUPERUSER_PASSWORD"] = PASSWORD
    made.run("migrate", "--verbosity", "0")
    made.run("createsuperuser", "--noinput", "--username", "owner", "--email", "owner@example.org")
    return made


@contextmanager
def _database(original: Installation | None) -> Iterator[str]:
    """The URL of a PostgreSQL database of its own, if the suite's is one too: empty, or as that of `original`."""
    config = settings.DATABASES["default"]
    if not config["ENGINE"].endswith("postgresql"):
        yield ""
        return
    name = f"rssmanager_{uuid4().hex[:12]}"
    template = original.environment["DATABASE_URL"].rpartition("/")[2] if original else "template1"
    where = f"{config['USER']}:{config['PASSWORD']}@{config['HOST']}:{config['PORT'] or 5432}"
    with psycopg.connect(f"postgresql://{where}/postgres", autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
        try:
            yield f"postgres://{where}/{name}"
        finally:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')
