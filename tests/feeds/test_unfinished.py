"""Processes that die while they poll."""

import os
import signal
from datetime import timedelta
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from django.utils import timezone

from feeds import claiming, unfinished
from feeds.models import FeedStatus, PollOutcome
from feeds.poll_marks import Mark, Marking, left_behind
from tests import make


def die(folder: Path, *at: int) -> UUID:
    """A process that marks what it is at, and is killed there; the token of its leases."""
    token = uuid4()
    child = os.fork()
    if child == 0:
        marking = Marking(folder, token)
        for feed_id in at:
            marking.at(feed_id)
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    return token


class TestMarks:
    def test_a_process_that_lives_leaves_nothing(self, tmp_path: Path) -> None:
        marking = Marking(tmp_path, uuid4())
        marking.at(7)
        assert list(left_behind(tmp_path)) == []
        marking.close()
        assert list(left_behind(tmp_path)) == []
        assert [path.name for path in tmp_path.iterdir()] == ["lock"]

    def test_one_that_was_killed_says_at_which_feed_and_says_it_once(self, tmp_path: Path) -> None:
        token = die(tmp_path, 7, 0, 2**40)
        assert list(left_behind(tmp_path)) == [Mark(token, 2**40)]
        assert list(left_behind(tmp_path)) == []

    def test_what_was_not_dealt_with_is_said_again(self, tmp_path: Path) -> None:
        token = die(tmp_path, 7)
        for mark in left_behind(tmp_path):
            assert mark == Mark(token, 7)
            break
        assert list(left_behind(tmp_path)) == [Mark(token, 7)]

    def test_where_nobody_ever_polled_there_is_none(self, tmp_path: Path) -> None:
        assert list(left_behind(tmp_path / "none")) == []


@pytest.mark.django_db
def test_all_that_a_dead_process_held_is_free_at_once(tmp_path: Path) -> None:
    now = timezone.now()
    feeds = [make.feed(next_poll_at=now) for _ in range(3)]
    token = die(tmp_path)
    assert len(claiming.claim(now, token=token, limit=10).feeds) == 3
    assert claiming.claim(now, token=uuid4(), limit=10).feeds == ()
    unfinished.take_up(tmp_path, now)
    assert {feed.pk for feed in claiming.claim(now, token=uuid4(), limit=10).feeds} == {feed.pk for feed in feeds}


@pytest.mark.django_db
def test_leases_of_others_stay(tmp_path: Path) -> None:
    now, token = timezone.now(), uuid4()
    feed = make.feed(next_poll_at=now)
    claiming.claim(now, token=token, limit=10)
    die(tmp_path)
    unfinished.take_up(tmp_path, now)
    feed.source.refresh_from_db()
    assert feed.source.lease_token == token


@pytest.mark.django_db
def test_a_feed_is_asked_again_at_once_and_waits_after_the_second_time(tmp_path: Path) -> None:
    now = timezone.now()
    feed = make.feed(next_poll_at=now)
    die(tmp_path, feed.pk)
    unfinished.take_up(tmp_path, now)
    feed.refresh_from_db()
    assert feed.next_poll_at == now
    assert [(poll.outcome, poll.message) for poll in feed.polls.all()] == [
        (PollOutcome.INTERNAL, "the program ended while it read this feed")
    ]
    die(tmp_path, feed.pk)
    unfinished.take_up(tmp_path, now + timedelta(minutes=1))
    feed.refresh_from_db()
    assert feed.next_poll_at is not None
    assert feed.next_poll_at > now + timedelta(minutes=10)
    assert feed.failures_running == 2


@pytest.mark.django_db
def test_a_feed_that_was_deleted_or_paused_meanwhile_stays_so(tmp_path: Path) -> None:
    paused = make.feed(status=FeedStatus.PAUSED, next_poll_at=None)
    die(tmp_path, paused.pk)
    die(tmp_path, paused.pk + 1)
    unfinished.take_up(tmp_path, timezone.now())
    paused.refresh_from_db()
    assert paused.next_poll_at is None
    assert not paused.polls.exists()
