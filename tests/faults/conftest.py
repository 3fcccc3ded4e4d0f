"""Fixtures for most fault tests: publishers, a mail server, and an installation with two workers."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.digests.mail_server import RealServer
from tests.faults.processes import FEW_MODELS
from tests.faults.published import Publishers, publishing
from tests.rssmanager.installation import Installation, installation


@pytest.fixture
def publishers() -> Iterator[Publishers]:
    with publishing() as servers:
        yield servers


@pytest.fixture
def mail() -> Iterator[RealServer]:
    server = RealServer()
    yield server
    server.close()


@pytest.fixture
def reader(tmp_path: Path, mail: RealServer) -> Iterator[Installation]:
    with installation(tmp_path) as site:
        site.environment |= {**FEW_MODELS, "EMAIL_URL": f"smtp://127.0.0.1:{mail.port}"}
        yield site
