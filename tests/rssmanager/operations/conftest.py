"""Fixtures shared by tests of monitoring."""

from dataclasses import replace

import pytest
from pytest_django import Settings

TOKEN = "a-token-of-the-monitor"


@pytest.fixture
def measured(settings: Settings) -> None:
    """Settings with metrics enabled."""
    settings.ENV = replace(settings.ENV, METRICS_TOKEN=TOKEN)
