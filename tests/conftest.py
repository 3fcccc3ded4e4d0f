"""For every test: static files as they lie in the folder, and passwords hashed fast."""

import pytest
from hypothesis import settings as hypothesis_settings
from pytest_django import Settings


@pytest.fixture(autouse=True)
def _quick_and_plain(settings: Settings) -> None:
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = {**settings.STORAGES, "staticfiles": plain}  # no collectstatic before a test
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


# The suite tries the same examples each time; `--hypothesis-profile=explore` tries others.
hypothesis_settings.register_profile("steady", derandomize=True, deadline=None)
hypothesis_settings.register_profile("explore", derandomize=False, deadline=None)
hypothesis_settings.load_profile("steady")
