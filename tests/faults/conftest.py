"""What most faults need: publishers that say what they published, a mail server, and a reader with two workers."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.digests.mail_server import RealServer
from tests.faults.published import Publishers, publishing
from tests.rssmanager.installation import Installation, installation


@pytest.fixture
def publishers() -> Iterator[Publishers]:
    with publishing() as made:
        yield made


@pytest.fixture
def mail() -> Iterator[RealServer]:
    made = RealServer()
    yield made
    made.close()


@pytest.fixture
def reader(tmp_path: Path, mail: RealServer) -> Iterator[Installation]:
    with installation(tmp_path) as made:
        made.environment |= {"WORKERS": "2", "EMAIL_URL": f"smtp://127.0.0.1:{mail.port}"}
        made.run("prepare")
        yield made
