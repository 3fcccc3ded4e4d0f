"""Busy worker processes and whole clusters are killed repeatedly, in every stage."""

import time
from datetime import UTC, datetime
from pathlib import Path
from sqlite3 import OperationalError

from tests.digests.mail_server import RealServer
from tests.faults.checking import check_whole
from tests.faults.processes import (
    PATIENCE,
    STOPPING,
    Calls,
    Cluster,
    Stage,
    cluster,
    follow,
    is_there,
    kill,
    let_claims_expire,
    make_feeds_due,
    n_rows,
    pids_at_work,
    sql,
    wait_until,
)
from tests.faults.published import Publishers
from tests.rssmanager.installation import Installation

N_FEEDS, N_ENTRIES, N_PLANS = 25, 20, 2
PLANS = """
from datetime import time, timedelta
from django.utils import timezone
from digests.models import DigestPlan
past = timezone.now() - timedelta(minutes=1)
for kind in ("morning", "weekly"):  # neither is empty after the other
    values = {"is_on": True, "by_mail": True, "at": time(6), "next_at": past}
    DigestPlan.objects.update_or_create(user_id=1, kind=kind, defaults=values)
"""
EVERY_MINUTE = (
    "feeds.tasks.polling.poll_share",
    "feeds.tasks.polling.index_new",
    "feeds.tasks.stories.match_new",
    "feeds.tasks.events.enrich_new",
    "reader.tasks.recurring.deliver_new",
    "reader.tasks.learning.rate",
    "digests.tasks.make.make_due",
    "digests.tasks.mail.send",
)
STAGES = (
    Stage("feeds.tasks.polling.poll_share", "feeds_source"),  # claimed, nothing stored
    Stage("feeds.tasks.polling.poll_share", "feeds_item", 3),  # two feeds stored, a third in part
    Stage("feeds.tasks.polling.index_new", "feeds_search"),
    Stage("feeds.tasks.stories.match_new", "feeds_blockingkey"),
    Stage("feeds.tasks.stories.match_new", "feeds_item"),
    Stage("feeds.tasks.events.enrich_new", "feeds_pending"),  # claimed
    Stage("reader.tasks.recurring.deliver_new", "reader_delivery"),
    Stage("reader.tasks.learning.rate", "reader_assessment", 2),
    Stage("digests.tasks.make.make_due", "digests_mailing"),
    Stage("digests.tasks.mail.send", "digests_mailing", 2),
)
WHOLE = {"feeds.tasks.polling.poll_share", "reader.tasks.recurring.deliver_new", "digests.tasks.make.make_due"}
KILLS = [(stage, is_whole) for stage in STAGES for is_whole in ((False, True) if stage.task in WHOLE else (False,))]


def test_killed_idle_worker_does_not_block_others(reader: Installation) -> None:
    """An idle worker holds the lock of the queue between processes when it dies."""
    calls = Calls(reader)
    with cluster(reader) as workers:
        calls.make("feeds.tasks.polling.sort_new")
        wait_until(lambda: n_tasks_done(reader), "the workers did not begin")
        wait_until(lambda: not pids_at_work(reader), "the workers do not come to rest")
        for pid in below_sentinel(workers):
            if waits_at_the_pipe(pid):
                kill(pid)
        n_tasks = n_tasks_done(reader)
        for _ in range(10):
            calls.make("feeds.tasks.polling.sort_new")
        wait_until(lambda: n_tasks_done(reader) >= n_tasks + 10, "nothing is done any more")


def below_sentinel(workers: Cluster) -> list[int]:
    """The worker processes, the monitor and the pusher."""
    [sentinel] = [pid for pid in workers.parts() if pid in children(workers.process.pid)]
    return children(sentinel)


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def waits_at_the_pipe(pid: int) -> bool:
    return is_there(pid) and "pipe_read" in Path(f"/proc/{pid}/wchan").read_text()


def n_tasks_done(reader: Installation) -> int:
    """The number of tasks completed so far."""
    return int(sql(reader, "SELECT coalesce(sum(n_done), 0) FROM operations_tasktally")[0][0])


def test_kills_in_every_stage_lose_and_duplicate_nothing(
    reader: Installation, publishers: Publishers, mail: RealServer
) -> None:
    """One worker or the whole cluster is killed at each stage. Leases of dead processes (15 minutes for sources, 5 for
    articles, 20 for plans, 10 for mails) are expired, as time would, and nothing else is repaired."""
    follow(reader, publishers.publish(N_FEEDS, N_ENTRIES, published=datetime.now(UTC)))
    reader.run("shell", "--no-imports", "-c", PLANS)
    reader.environment["WORKERS"] = "1"  # so that no other has done a stage's work before
    calls, before = Calls(reader), STOPPING.format(folder=str(reader.folder))
    workers = Cluster(reader, before=before)
    try:
        for stage, is_whole in KILLS:
            stage.stop_at(reader.folder)
            pid = run_until_stopped(reader, calls, stage)
            if is_whole:
                workers.kill()
                workers = Cluster(reader, before=before)
            else:
                assert kill(pid)
            let_claims_expire(reader)
        finish(reader, calls)
    finally:
        workers.kill()
    check_whole(reader, publishers.n_entries)
    ids = [str(envelope.message["Message-ID"]) for envelope in mail.received]
    assert len(ids) == len(set(ids))
    states = sql(reader, "SELECT state, count(*) FROM digests_mailing GROUP BY state")
    assert {state for state, _ in states} <= {"sent", "uncertain"}, states
    assert sum(n for _, n in states) == n_rows(reader, "digests_digest") == N_PLANS


def run_until_stopped(reader: Installation, calls: Calls, stage: Stage) -> int:
    """Run the stage's task, after those before it so that it has work, until a worker stands still in it."""
    until = time.monotonic() + 2 * PATIENCE
    while not stage.stopped(reader.folder):
        assert time.monotonic() < until, f"{stage} was not reached"
        n_done = times_done(reader, stage.task)
        try:
            make_feeds_due(reader)
            for task in EVERY_MINUTE[: EVERY_MINUTE.index(stage.task) + 1]:
                calls.make(task)
        except OperationalError:  # a task from before stands still in a transaction, which locks SQLite
            assert stage.stopped(reader.folder)
        wait_until(
            lambda n=n_done: stage.stopped(reader.folder) or times_done(reader, stage.task) > n,
            f"{stage.task} was not taken",
        )
    return stage.stopped(reader.folder)


def times_done(reader: Installation, task: str) -> int:
    return n_rows(reader, "operations_tasktally") and int(
        sql(reader, f"SELECT coalesce(sum(n_done), 0) FROM operations_tasktally WHERE task = '{task}'")[0][0]  # noqa: S608
    )


def finish(reader: Installation, calls: Calls) -> None:
    """Run the recurring tasks until nothing is left."""
    until = time.monotonic() + 2 * PATIENCE
    while left := what_is_left(reader):
        assert time.monotonic() < until, left
        make_feeds_due(reader)
        n_done = times_done(reader, EVERY_MINUTE[-1])
        for task in EVERY_MINUTE:
            calls.make(task)
        wait_until(lambda n=n_done: times_done(reader, EVERY_MINUTE[-1]) > n, "the workers stand still")


def what_is_left(reader: Installation) -> dict[str, int]:
    rows = {
        "never polled": n_rows(reader, "feeds_feed", "last_success_at IS NULL"),
        "waiting for a stage": n_rows(reader, "feeds_pending"),
        "not rated": n_rows(reader, "reader_delivery", "NOT is_rated"),
        "not delivered": N_FEEDS * N_ENTRIES - n_rows(reader, "reader_delivery"),
        "not sent": n_rows(reader, "digests_mailing", "state = 'waiting'"),
        "not made": N_PLANS - n_rows(reader, "digests_digest"),
    }
    return {name: n for name, n in rows.items() if n}
