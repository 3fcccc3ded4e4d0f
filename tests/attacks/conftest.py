"""One running installation for each module."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.attacks.site import Site, attacked


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with TemporaryDirectory() as folder, attacked(Path(folder)) as made:
        yield made
