"""A clock for the processes of an installation that a test can change while they run."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, time, timedelta
from pathlib import Path

import pytest

from tests.faults.processes import is_there
from tests.rssmanager.installation import Installation

LIBRARIES = sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
needs_clock = pytest.mark.skipif(not LIBRARIES, reason="libfaketime is not installed (the package faketime)")
HOUR = timedelta(hours=1)
# libfaketime mistakes the monotonic deadline of Python's sleep for a time of day, and rejects it.
SLEEP = """
import select, time
time.sleep = lambda seconds: select.select([], [], [], seconds) and None
"""


class Clock:
    """The current time for all processes of the installation; they read it on every call."""

    def __init__(self, reader: Installation, at: time) -> None:
        """Start at the next occurrence of this time of day, in UTC, that is at least an hour ahead."""
        self._file = reader.folder / "clock"
        soonest = datetime.now(UTC) + HOUR
        begins = datetime.combine(soonest.date(), at, UTC)
        self.set(begins if begins >= soonest else begins + timedelta(days=1))
        customized = reader.folder / "customized"
        customized.mkdir()
        (customized / "sitecustomize.py").write_text(SLEEP)
        reader.environment |= {
            "PYTHONPATH": str(customized),
            "LD_PRELOAD": str(LIBRARIES[0]),
            "FAKETIME_TIMESTAMP_FILE": str(self._file),
            "FAKETIME_NO_CACHE": "1",
            "DONT_FAKE_MONOTONIC": "1",
            "NO_FAKE_STAT": "1",
        }

    def now(self) -> datetime:
        return datetime.now(UTC) + self._ahead

    def set(self, now: datetime) -> None:
        self._ahead = timedelta(seconds=round((now - datetime.now(UTC)).total_seconds()))
        written = self._file.with_suffix(".new")
        written.write_text(f"{self._ahead.total_seconds():+.0f}")
        written.replace(self._file)  # so that no process reads half of it

    def go(self, by: timedelta) -> None:
        """Jump forward or back."""
        self.set(self.now() + by)


@contextmanager
def clock_of(reader: Installation, at: time) -> Iterator[Clock]:
    """A clock; removes the shared memory that killed processes leave behind."""
    try:
        yield Clock(reader, at)
    finally:
        for path in Path("/dev/shm").glob("*faketime_s*"):  # noqa: S108 - where the library puts it
            if not is_there(int(path.name.rpartition("_")[2])):
                path.unlink(missing_ok=True)
