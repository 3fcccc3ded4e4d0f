"""Processes that die while polling."""

import os
import signal
from datetime import timedelta
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from django.utils import timezone

from feeds.models import FeedStatus, PollOutcome
from feeds.polling import crash_recovery, leases
from feeds.polling.crash_recovery import Crash, CrashMarker, find_crashes
from tests import make

pytestmark = pytest.mark.vendor


def die(folder: Path, *at: int) -> UUID:
    """Start a process that marks what it works on and is killed there; return the token of its leases."""
    token = uuid4()
    child = os.fork()
    if child == 0:
        marker = CrashMarker(folder, token)
        for feed_id in at:
            marker.set_feed(feed_id)
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    return token


class TestMarkers:
    def test_a_living_process_is_no_crash(self, tmp_path: Path) -> None:
        marker = CrashMarker(tmp_path, uuid4())
        marker.set_feed(7)
        assert list(find_crashes(tmp_path)) == []
        marker.close()
        assert list(find_crashes(tmp_path)) == []
        assert [path.name for path in tmp_path.iterdir()] == ["lock"]

    def test_a_killed_process_is_found_once_with_its_feed(self, tmp_path: Path) -> None:
        token = die(tmp_path, 7, 0, 2**40)
        assert list(find_crashes(tmp_path)) == [Crash(token, 2**40)]
        assert list(find_crashes(tmp_path)) == []

    def test_an_unprocessed_crash_is_found_again(self, tmp_path: Path) -> None:
        token = die(tmp_path, 7)
        for crash in find_crashes(tmp_path):
            assert crash == Crash(token, 7)
            break
        assert list(find_crashes(tmp_path)) == [Crash(token, 7)]

    def test_no_crash_without_a_folder(self, tmp_path: Path) -> None:
        assert list(find_crashes(tmp_path / "none")) == []


@pytest.mark.django_db
def test_releases_all_leases_of_a_dead_process(tmp_path: Path) -> None:
    now = timezone.now()
    feeds = [make.feed(next_poll_at=now) for _ in range(3)]
    token = die(tmp_path)
    assert len(leases.claim(now, token=token, limit=10).feeds) == 3
    assert leases.claim(now, token=uuid4(), limit=10).feeds == ()
    crash_recovery.recover(tmp_path, now)
    assert {feed.pk for feed in leases.claim(now, token=uuid4(), limit=10).feeds} == {feed.pk for feed in feeds}


@pytest.mark.django_db
def test_keeps_leases_of_other_processes(tmp_path: Path) -> None:
    now, token = timezone.now(), uuid4()
    feed = make.feed(next_poll_at=now)
    leases.claim(now, token=token, limit=10)
    die(tmp_path)
    crash_recovery.recover(tmp_path, now)
    feed.source.refresh_from_db()
    assert feed.source.lease_token == token


@pytest.mark.django_db
def test_retries_once_then_backs_off_after_a_crash(tmp_path: Path) -> None:
    now = timezone.now()
    feed = make.feed(next_poll_at=now)
    die(tmp_path, feed.pk)
    crash_recovery.recover(tmp_path, now)
    feed.refresh_from_db()
    assert feed.next_poll_at == now
    assert [(poll.outcome, poll.message) for poll in feed.polls.all()] == [
        (PollOutcome.INTERNAL, "the program crashed while reading this feed")
    ]
    die(tmp_path, feed.pk)
    crash_recovery.recover(tmp_path, now + timedelta(minutes=1))
    feed.refresh_from_db()
    assert feed.next_poll_at is not None
    assert feed.next_poll_at > now + timedelta(minutes=10)
    assert feed.consecutive_failures == 2


@pytest.mark.django_db
def test_ignores_feeds_deleted_or_paused_since(tmp_path: Path) -> None:
    paused = make.feed(status=FeedStatus.PAUSED, next_poll_at=None)
    die(tmp_path, paused.pk)
    die(tmp_path, paused.pk + 1)
    crash_recovery.recover(tmp_path, timezone.now())
    paused.refresh_from_db()
    assert paused.next_poll_at is None
    assert not paused.polls.exists()
