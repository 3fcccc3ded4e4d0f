"""What several tests of the operator's view need."""

from dataclasses import replace

import pytest
from pytest_django import Settings

TOKEN = "a-token-of-the-monitor"


@pytest.fixture
def measured(settings: Settings) -> None:
    """An installation whose metrics may be read."""
    settings.ENV = replace(settings.ENV, METRICS_TOKEN=TOKEN)
