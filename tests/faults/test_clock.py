"""The clock is set back by an hour and ahead by a day while the system is running."""

import socket
import threading
from collections import Counter
from datetime import UTC, datetime, time, timedelta

from tests.digests.mail_server import RealServer
from tests.faults.checking import check_whole
from tests.faults.clock import HOUR, clock_of, needs_clock
from tests.faults.processes import (
    PATIENCE,
    Calls,
    cluster,
    follow,
    kill_those_at,
    make_schedules_due,
    n_rows,
    sql,
    wait_until,
)
from tests.faults.published import Publishers, document
from tests.faults.test_killing import EVERY_MINUTE, times_done
from tests.feeds.servers import Script, answer
from tests.rssmanager.installation import Installation

N_FEEDS, N_ENTRIES = 4, 5
DAY = timedelta(days=1)
POLLS = (
    "feeds.tasks.polling.poll",
    "feeds.tasks.polling.poll_share",
)  # a schedule can be earlier than its task
SOON = 75  # seconds in which a cluster checks its schedules twice and runs their tasks
PLAN = """
from datetime import time
from django.contrib.auth.models import User
from django.utils import timezone
from digests.models import DigestPlan
plan = {"is_on": True, "by_mail": True, "at": time(6), "next_at": timezone.now()}
DigestPlan.objects.update_or_create(user=User.objects.get(), kind="morning", defaults=plan)
"""
pytestmark = needs_clock


def test_clock_changes_repeat_and_stop_nothing(reader: Installation, publishers: Publishers, mail: RealServer) -> None:
    """07:30 becomes 06:30 during a poll, which kills its worker; then 06:30 of the
    next day, when the next morning brief is due. After each change the cluster continues by its schedules alone."""
    reader.prepare()
    publishers.publish(N_FEEDS, N_ENTRIES)
    requested = threading.Event()
    with clock_of(reader, time(7, 30)) as clock:
        follow(reader, publishers.urls)
        make_schedules_due(reader, clock.now())
        calls = Calls(reader)
        with cluster(reader) as workers:
            for task in EVERY_MINUTE:
                calls.make(task)
            wait_until(lambda: n_rows(reader, "reader_delivery", "is_rated") == N_FEEDS * N_ENTRIES, "no feeds came")
            reader.run("shell", "--no-imports", "-c", PLAN)
            for task in EVERY_MINUTE[-2:]:
                calls.make(task)
            wait_until(lambda: n_rows(reader, "digests_mailing", "state = 'sent'"), "no digest was sent")
            publishers.add(silent_once(requested), answer(200, document(N_FEEDS, N_ENTRIES)))
            follow(reader, publishers.urls[N_FEEDS:])
            calls.make("feeds.tasks.polling.poll_share")
            assert requested.wait(PATIENCE)

            clock.go(-HOUR)
            assert kill_those_at(reader, *POLLS)
            before = times_done(reader, POLLS[0])
            wait_until(
                lambda: (
                    times_done(reader, POLLS[0]) > before
                    and not n_rows(reader, "feeds_source", "leased_until IS NOT NULL")
                ),
                "the schedules stand still",
                patience=SOON,
            )
            assert [publishers.n_requests(number) for number in range(N_FEEDS + 1)] == [1] * (N_FEEDS + 1)
            assert n_rows(reader, "digests_digest") == n_rows(reader, "digests_mailing") == len(mail.received) == 1

            clock.go(DAY)
            wait_until(
                lambda: n_rows(reader, "digests_mailing", "state = 'sent'") == 2, "no digest of the day after",
                patience=2 * SOON,
            )  # fmt: skip
            wait_until(lambda: is_whole(reader, clock.now()), "the work does not come to an end", patience=SOON)
            assert workers.process.poll() is None
            assert n_rows(reader, "django_q_schedule", f"next_run > '{clock.now() + DAY + HOUR:%Y-%m-%d %H:%M}'") == 0
        latest = sql(reader, "SELECT max(published_at), max(first_seen_at) FROM feeds_article")[0]
        assert max(moment(latest_time) for latest_time in latest) <= clock.now()
    assert [publishers.n_requests(number) for number in range(N_FEEDS + 1)] == [2] * (N_FEEDS + 1)
    check_whole(reader, (N_FEEDS + 1) * N_ENTRIES)
    ids = Counter(str(envelope.message["Message-ID"]) for envelope in mail.received)
    assert (len(ids), set(ids.values())) == (2, {1})


def silent_once(asked: threading.Event) -> Script:
    """Stays silent once, so that the poll is still running when the clock changes."""

    def script(connection: socket.socket) -> None:
        asked.set()
        connection.settimeout(PATIENCE)
        connection.recv(1)

    return script


def is_whole(reader: Installation, now: datetime) -> bool:
    """Whether everything is delivered and rated, and every feed was polled today."""
    n_there = n_rows(reader, "reader_delivery", "is_rated")
    n_before = n_rows(reader, "feeds_feed", f"last_polled_at < '{now - HOUR:%Y-%m-%d %H:%M}'")
    return n_there == (N_FEEDS + 1) * N_ENTRIES and not n_before and not n_rows(reader, "feeds_pending")


def moment(stored: object) -> datetime:
    """A time as either database returns it, in UTC."""
    return datetime.fromisoformat(str(stored)).replace(tzinfo=UTC)
