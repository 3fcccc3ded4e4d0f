"""For every test: static files as they lie in the folder, and passwords hashed fast."""

import itertools
import re

import pytest
from hypothesis import settings as hypothesis_settings
from pytest_django import Settings

from rssmanager.middleware import error_pages
from rssmanager.middleware.readiness import Readiness
from tests import make

SLOW_FOLDERS = {"faults", "fuzzing"}


@pytest.fixture(autouse=True)
def _quick_and_plain(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = {**settings.STORAGES, "staticfiles": plain}  # no collectstatic before a test
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

    monkeypatch.setattr(
        error_pages, "READINESS", Readiness(is_migrated=True)
    )  # no look at the database before a test's own


@pytest.fixture(autouse=True)
def _numbered_from_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """What `make` numbers and dates begins anew with each test, so that the order of a list does too."""
    monkeypatch.setattr(make, "_numbers", itertools.count(1))


def pytest_configure(config: pytest.Config) -> None:
    if "nightly" in config.option.markexpr and not config.getoption("--hypothesis-profile"):
        hypothesis_settings.load_profile("nightly")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Three tiers: by default neither slow nor nightly tests run; with `-m`, those it chooses, but nightly ones only
    if it names them. An `-m` in `addopts` could not do this: another `-m` would replace it. Nightly, tests of
    properties run again, on more examples."""
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
    """The feeds that an import had polled, group by group: asked for, not asked, for they are not of this machine."""
    asked: list[list[int]] = []
    monkeypatch.setattr("reader.tasks.recurring.poll_feeds", asked.append)
    return asked


# The suite tries the same few examples each time, and 1,000 nightly; `--hypothesis-profile=explore` tries others.
hypothesis_settings.register_profile("steady", derandomize=True, deadline=None, max_examples=25)
hypothesis_settings.register_profile("nightly", derandomize=True, deadline=None, max_examples=1000)
hypothesis_settings.register_profile("explore", derandomize=False, deadline=None)
hypothesis_settings.load_profile("steady")
