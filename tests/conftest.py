"""Setup of every test: static files served from their folder, and fast password hashing."""

import itertools
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, transaction
from django.db.backends.sqlite3.creation import DatabaseCreation
from django.test import TransactionTestCase
from hypothesis import settings as hypothesis_settings
from pytest_django import DjangoDbBlocker, Settings

from feeds.publishers.known import add_known
from rssmanager.middleware import error_pages
from rssmanager.middleware.readiness import Readiness
from tests import make
from tests.rssmanager.installation import migrated_file

SLOW_FOLDERS = {"attacks", "faults", "fuzzing"}
KEPT_TABLES = {"auth_permission", "django_content_type"}


def empty_tables(_: TransactionTestCase) -> None:
    """Delete all rows after a test that commits.

    `flush` takes up to three seconds on PostgreSQL: it truncates every table, then creates all permissions again.
    """
    tables = sorted(set(connection.introspection.django_table_names(only_existing=True)) - KEPT_TABLES)
    filled = " UNION ALL ".join(f"SELECT '{table}' WHERE EXISTS (SELECT 1 FROM {table})" for table in tables)  # noqa: S608
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(filled)
        for (table,) in cursor.fetchall():
            cursor.execute(f"DELETE FROM {table}")  # noqa: S608 - foreign keys are checked at the end


TransactionTestCase._fixture_teardown = empty_tables


def create_migrated(creation: DatabaseCreation, *args: Any, **named: Any) -> str:
    """Create the suite's SQLite database as a copy, so that `migrate`, which follows, has nothing to do."""
    name: str = create_empty(creation, *args, **named)
    creation.held = sqlite3.connect(name, uri=True)  # a database in memory lasts as long as a connection
    with closing(sqlite3.connect(migrated_file())) as source:
        source.backup(creation.held)
    return name


create_empty, DatabaseCreation._create_test_db = DatabaseCreation._create_test_db, create_migrated


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> None:
    """The database of an installation that was prepared, with all known publishers."""
    with django_db_blocker.unblock():
        add_known()


@pytest.fixture(autouse=True)
def _quick_and_plain(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = {**settings.STORAGES, "staticfiles": plain}  # no collectstatic before a test
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

    monkeypatch.setattr(
        error_pages, "READINESS", Readiness(is_migrated=True)
    )  # no database check before the test's own queries


@pytest.fixture(autouse=True)
def _numbered_from_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Restart the numbers and dates of `make` in each test, so that lists have a fixed order."""
    monkeypatch.setattr(make, "_numbers", itertools.count(1))


def pytest_configure(config: pytest.Config) -> None:
    if "nightly" in config.option.markexpr and not config.getoption("--hypothesis-profile"):
        hypothesis_settings.load_profile("nightly")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Skip files that don't mention vendors if only vendor tests are selected; importing all takes half a minute."""
    if config.option.markexpr != "vendor" or not collection_path.match("test_*.py"):
        return None
    return None if re.search("vendor|at_once", collection_path.read_text()) else True


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Three tiers: by default, neither slow nor nightly tests run; `-m` selects others, but nightly ones only
    if it names them. `-m` in `addopts` couldn't do this, because another `-m` would replace it. Nightly runs repeat
    property tests with more examples."""
    chosen = config.option.markexpr
    for item in items:
        if "nightly" in chosen and getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            item.add_marker(pytest.mark.nightly)
        if SLOW_FOLDERS & set(item.path.parts):
            item.add_marker(pytest.mark.slow)
    left_out = {"nightly"} - set(re.findall(r"\w+", chosen)) if chosen else {"slow", "nightly"}
    deselected = [item for item in items if any(map(item.get_closest_marker, left_out))]
    if deselected:
        config.hook.pytest_deselected(items=deselected)
        items[:] = [item for item in items if item not in set(deselected)]


@pytest.fixture
def polled(monkeypatch: pytest.MonkeyPatch) -> list[list[int]]:
    """The groups of feeds that an import wanted polled; recorded only, because they aren't on this machine."""
    requested: list[list[int]] = []
    monkeypatch.setattr("reader.tasks.recurring.poll_feeds", requested.append)
    return requested


# The suite uses the same few examples each time, and 1,000 nightly; `--hypothesis-profile=explore` uses others.
hypothesis_settings.register_profile("steady", derandomize=True, deadline=None, max_examples=25)
hypothesis_settings.register_profile("nightly", derandomize=True, deadline=None, max_examples=1000)
hypothesis_settings.register_profile("explore", derandomize=False, deadline=None)
hypothesis_settings.load_profile("steady")
