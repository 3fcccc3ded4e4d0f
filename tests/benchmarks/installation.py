"""Separate installations for benchmarks, each with an empty database that is deleted afterwards."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
from psycopg import sql

from rssmanager.env import PROJECT

# Modules that import models can be loaded only after this, so rounds are run by it and not by `python -m`.
_BOOT = "import django, runpy, sys; django.setup(); runpy.run_module(sys.argv.pop(1), {}, '__main__', True)"


class Installation:
    """A reader in a folder, with SQLite there or with the PostgreSQL database of `database_url`."""

    def __init__(self, folder: Path, *, database_url: str = "") -> None:
        self.database = folder / "reader.sqlite3"
        self._url = database_url
        self.environment = os.environ | {
            "DATA_DIR": str(folder),
            "DATABASE_URL": database_url,
            "DJANGO_SETTINGS_MODULE": "rssmanager.settings",
            "REDIS_URL": "",
            "FETCH_ALLOWED_NETWORKS": "127.0.0.0/8",
            "LOG_LEVEL": "WARNING",
            "OMP_NUM_THREADS": "1",
            "OPENBLAS_NUM_THREADS": "1",
        }
        self.manage("migrate", "--verbosity", "0")
        self.manage("createsuperuser", "--noinput", "--username", "bench", "--email", "b@example.org",
                    DJANGO_SUPERUSER_PASSWORD="bench")  # fmt: skip

    def manage(self, *arguments: str, **environment: str) -> str:
        command = [sys.executable, str(PROJECT / "manage.py"), *arguments]
        done = subprocess.run(command, env=self.environment | environment, check=True, capture_output=True, text=True)
        return done.stdout

    def start(self, module: str, *arguments: str, stdin: int | None = None) -> "subprocess.Popen[str]":
        """Start a module of this package in a process of its own; it prints one JSON object."""
        command = [sys.executable, "-c", _BOOT, f"tests.benchmarks.{module}", *arguments]
        return subprocess.Popen(
            command, env=self.environment, cwd=PROJECT, stdin=stdin, stdout=subprocess.PIPE, text=True
        )

    def run(self, module: str, *arguments: str) -> dict[str, Any]:
        """What the module printed. Raises CalledProcessError when it failed."""
        with self.start(module, *arguments) as process:
            printed, _ = process.communicate()
        if process.returncode:
            raise subprocess.CalledProcessError(process.returncode, process.args)
        return dict(json.loads(printed))

    def size(self) -> int:
        """Bytes on disk."""
        if self._url:
            with psycopg.connect(self._url) as connection:
                row = connection.execute("SELECT pg_database_size(current_database())").fetchone()
            return int(row[0]) if row else 0
        with sqlite3.connect(self.database, timeout=30) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return self.database.stat().st_size


@contextmanager
def installation(name: str, *, server_url: str = "") -> Iterator[Installation]:
    """A new reader: SQLite in a temporary folder, or a new database on the server of `server_url`, never that one."""
    folder = Path(tempfile.mkdtemp(prefix="bench-"))
    database = sql.Identifier(f"bench_{name}_{os.getpid()}")
    try:
        if not server_url:
            yield Installation(folder)
            return
        _on_server(server_url, sql.SQL("CREATE DATABASE {}").format(database))
        url = urlsplit(server_url)._replace(path=f"/bench_{name}_{os.getpid()}").geturl()
        yield Installation(folder, database_url=url)
    finally:
        if server_url:
            _on_server(server_url, sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(database))
        shutil.rmtree(folder)


def _on_server(url: str, command: sql.Composed) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(command)
