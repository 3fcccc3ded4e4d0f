"""For every test: static files as they lie in the folder, and passwords hashed fast."""

import itertools

import pytest
from hypothesis import settings as hypothesis_settings
from pytest_django import Settings

from rssmanager import trouble
from rssmanager.readiness import Readiness
from tests import make


@pytest.fixture(autouse=True)
def _quick_and_plain(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = {**settings.STORAGES, "staticfiles": plain}  # no collectstatic before a test
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

    monkeypatch.setattr(
        trouble, "READINESS", Readiness(is_migrated=True)
    )  # no look at the database before a test's own


@pytest.fixture(autouse=True)
def _numbered_from_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """What `make` numbers and dates begins anew with each test, so that the order of a list does too."""
    monkeypatch.setattr(make, "_numbers", itertools.count(1))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what a database or Redis has a part in: by a fixture, or as programs of its own with an installation."""
    for item in items:
        fixtures = set(getattr(item, "fixturenames", ()))
        runs_programs = hasattr(getattr(item, "module", None), "installation")
        if (
            runs_programs
            or item.get_closest_marker("django_db")
            or fixtures & {"db", "transactional_db", "live_server"}
        ):
            item.add_marker(pytest.mark.stored)


@pytest.fixture
def polled(monkeypatch: pytest.MonkeyPatch) -> list[list[int]]:
    """The feeds that an import had polled, group by group: asked for, not asked, for they are not of this machine."""
    asked: list[list[int]] = []
    monkeypatch.setattr("reader.tasks.poll_feeds", asked.append)
    return asked


# The suite tries the same examples each time; `--hypothesis-profile=explore` tries others.
hypothesis_settings.register_profile("steady", derandomize=True, deadline=None)
hypothesis_settings.register_profile("explore", derandomize=False, deadline=None)
hypothesis_settings.load_profile("steady")
