"""The mail server is down for hours while digests are made: emails arrive late, and once."""

from datetime import UTC, datetime, time, timedelta

from digests.delivery.outbox import DELAYS
from tests.digests.mail_server import RealServer, free_port
from tests.faults.checking import check_whole
from tests.faults.clock import Clock, clock_of, needs_clock
from tests.faults.processes import Calls, cluster, follow, n_rows, sql, wait_until
from tests.faults.published import Publishers, document
from tests.faults.test_killing import EVERY_MINUTE
from tests.feeds.servers import answer
from tests.rssmanager.installation import Installation

N_FEEDS, N_FIRST, N_ENTRIES = 3, 4, 6
MINUTE, SECOND = timedelta(minutes=1), timedelta(seconds=1)
PLANS = """
from datetime import time
from django.contrib.auth.models import User
from django.utils import timezone
from digests.edition.kinds import Kind
from digests.schedule.plans import save_plan
now = timezone.now()
for kind, hour in ((Kind.MORNING, 6), (Kind.WEEKLY, 12)):  # neither is empty after the other
    day = now.weekday() if kind is Kind.WEEKLY else None
    save_plan(User.objects.get(), kind, is_on=True, at=time(hour), weekday=day, by_mail=True, n_topics=None, now=now)
"""
MAKE, SEND = EVERY_MINUTE[-2:]
POLL = EVERY_MINUTE[0]
pytestmark = needs_clock


def test_each_email_arrives_once_after_the_server_returns(reader: Installation, publishers: Publishers) -> None:
    """It's down from before 06:00 until 13:00. Time jumps to whatever is due next."""
    port = free_port()
    reader.environment["EMAIL_URL"] = f"smtp://127.0.0.1:{port}"
    for number in range(N_FEEDS):
        publishers.add(answer(200, document(number, N_FIRST)), answer(200, document(number, N_ENTRIES)))
    with clock_of(reader, time(5, 58)) as clock:
        follow(reader, publishers.urls)
        reader.run("shell", "--no-imports", "-c", PLANS)
        calls = Calls(reader)
        with cluster(reader) as workers:
            for task in EVERY_MINUTE:
                calls.make(task)
            wait_until(lambda: n_rows(reader, "reader_delivery", "is_rated") == N_FEEDS * N_FIRST, "feeds did not come")
            waited = go_on_until(clock, clock.now().replace(hour=13), reader, calls)
            assert n_rows(reader, "digests_digest") == n_rows(reader, "digests_mailing", "state = 'waiting'") == 2
            check_delays(waited)

            mail = RealServer(port=port)
            try:
                go_on_until(clock, clock.now().replace(hour=19), reader, calls)
            finally:
                mail.close()
            wait_until(lambda: is_whole(reader, calls), "what came meanwhile is not delivered")
            assert workers.process.poll() is None
    check_whole(reader, N_FEEDS * N_ENTRIES)
    assert sql(reader, "SELECT state, count(*) FROM digests_mailing GROUP BY state") == [("sent", 2)]
    mailings = sql(reader, "SELECT message_id, created_at, sent_at FROM digests_mailing ORDER BY created_at")
    assert sorted(str(envelope.message["Message-ID"]) for envelope in mail.received) == sorted(
        row[0] for row in mailings
    )
    late = [round((moment(sent) - moment(written)) / MINUTE) for _, written, sent in mailings]
    assert late[0] > 7 * 60
    assert late[1] > 60


def go_on_until(clock: Clock, until: datetime, reader: Installation, calls: Calls) -> dict[int, list[int]]:
    """Run what is due, one by one, until that time; return the minutes that each email waited."""
    waited: dict[int, list[int]] = {}
    while (due := next_due(reader)) < until:
        clock.set(max(clock.now(), due + SECOND))
        for task in (POLL, MAKE) if due in plans_due(reader) else (SEND,):
            calls.make(task)
        wait_until(lambda due=due: next_due(reader) > due and not is_held(reader), f"what is due at {due} is not done")
        for pk, n_tries, at in sql(reader, "SELECT id, n_tries, next_try_at FROM digests_mailing"):
            if len(own := waited.setdefault(pk, [])) < n_tries:
                own.append(round((moment(at) - clock.now()) / MINUTE))
    clock.set(until)
    return waited


def next_due(reader: Installation) -> datetime:
    mails = sql(reader, "SELECT next_try_at FROM digests_mailing WHERE state IN ('waiting', 'handing')")
    return min(plans_due(reader) + [moment(at) for (at,) in mails])


def plans_due(reader: Installation) -> list[datetime]:
    return [moment(at) for (at,) in sql(reader, "SELECT next_at FROM digests_digestplan")]


def is_held(reader: Installation) -> bool:
    return bool(n_rows(reader, "digests_mailing", "claimed_until IS NOT NULL"))


def check_delays(waited: dict[int, list[int]]) -> None:
    """Check that delays follow the documented schedule, then one hour each."""
    promised = [delay // MINUTE for delay in DELAYS]
    longest = max(map(len, waited.values()))
    assert longest > len(promised) + 2
    for own in waited.values():
        assert own == (promised + promised[-1:] * longest)[: len(own)]


def is_whole(reader: Installation, calls: Calls) -> bool:
    if not n_rows(reader, "django_q_ormq"):
        for task in EVERY_MINUTE[:6]:
            calls.make(task)
    n_there = n_rows(reader, "reader_delivery", "is_rated")
    return n_there == N_FEEDS * N_ENTRIES and not n_rows(reader, "feeds_pending")


def moment(stored: object) -> datetime:
    """A time as either database returns it, in UTC."""
    return datetime.fromisoformat(str(stored)).replace(tzinfo=UTC)
