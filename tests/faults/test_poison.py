"""Articles and feeds that crash or hang the process reading them hold up nothing else, with one worker."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from feeds.time_limit import MAX_TRIES
from tests.faults.checking import check_whole
from tests.faults.processes import (
    FEW_MODELS,
    PATIENCE,
    Calls,
    cluster,
    follow,
    let_claims_expire,
    n_rows,
    sql,
    wait_until,
)
from tests.faults.published import Publishers
from tests.feeds.servers import answer
from tests.rssmanager.installation import Installation, installation

# A segmentation fault, as in a library that can't handle a text.
CRASH = """
import ctypes
from feeds.stories import near_duplicate_stage
read = near_duplicate_stage.subjects_of
def subjects_of(*arguments, **named):
    found = read(*arguments, **named)
    if any("poison" in repr(subject.title).lower() for subject in found.values()):
        ctypes.string_at(0)
    return found
near_duplicate_stage.subjects_of = subjects_of
"""
# Articles with the word hang the stage: in Python, or in C code that holds the interpreter. Limits are shorter.
HANG = """
import ctypes
from datetime import timedelta
from feeds import time_limit
from feeds.storage import work_queue
from feeds.stories import near_duplicate_stage
time_limit.ALONE_SECONDS, time_limit.FULL_SECONDS, time_limit._WATCHDOG_SECONDS = 1.0, 3.0, 4.0
work_queue.LEASE = timedelta(seconds=15)
read = near_duplicate_stage.subjects_of
def hang_in_python():
    while True:
        try:
            for _ in iter(int, 1):
                pass
        except Exception:
            pass
def hang_in_c():
    ctypes.PyDLL(None).sleep(3600)
def subjects_of(*arguments, **named):
    found = read(*arguments, **named)
    if any("poison" in repr(subject.title).lower() for subject in found.values()):
        HOW()
    return found
near_duplicate_stage.subjects_of = subjects_of
"""
HANG_OF_PARSER = """
from feeds.polling import poller
poller.READ_SECONDS = 1.0
read = poller.read_document
def read_document(body, **named):
    while b"Poison" in body:
        pass
    return read(body, **named)
poller.read_document = read_document
"""
# A task of three seconds at most, and one that waits for ever, which costs no CPU time.
HANG_OF_TASK = """
import ctypes
from django.conf import settings
settings.Q_CLUSTER["timeout"] = 3
from reader.tasks import sending
sending.send_articles = lambda: ctypes.PyDLL(None).sleep(3600)
"""
CRASH_OF_PARSER = """
import ctypes
from feeds.polling import poller
read = poller.read_document
def read_document(body, **named):
    if b"Poison" in body:
        ctypes.string_at(0)
    return read(body, **named)
poller.read_document = read_document
"""
POISON = (
    b"<rss version='2.0'><channel><title>P</title><item><guid isPermaLink='false'>p</guid><title>Poison</title>"
    b"<link>https://poison.example/1</link><description>zyx wvu tsr</description></item></channel></rss>"
)


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Installation]:
    with installation(tmp_path) as site:
        site.environment |= {**FEW_MODELS, "WORKERS": "1"}
        yield site


def poisons(publishers: Publishers, n: int) -> list[str]:
    """Feeds of one article each that hangs the stage for comparing; no two are alike."""
    texts = (b"zyx wvu tsr", b"qpo nml kji", b"hgf edc ba9")[:n]
    bodies = [
        POISON.replace(b"zyx wvu tsr", text).replace(b"https://", b"https://" + text[:3] + b".") for text in texts
    ]
    return [publishers.add(answer(200, body)) for body in bodies]


@pytest.mark.parametrize("how", ["hang_in_python", "hang_in_c"])
def test_hanging_articles_are_set_aside_and_block_no_others(
    reader: Installation, publishers: Publishers, how: str
) -> None:
    n_hanging = 3 if how == "hang_in_python" else 1  # each ends three workers in C
    publishers.publish(5, 10)
    poisons(publishers, n_hanging)
    follow(reader, publishers.urls)
    reader.prepare()
    calls = Calls(reader)
    with cluster(reader, before=HANG.replace("HOW", how)):

        def is_over() -> bool:
            if not n_rows(reader, "django_q_ormq", "lock <= CURRENT_TIMESTAMP"):
                for task in ("feeds.tasks.stories.match_new", "feeds.tasks.events.enrich_new"):
                    calls.make(task)
            free = "(claimed_until IS NULL OR claimed_until < CURRENT_TIMESTAMP)"  # released, or expired
            given_up = n_rows(reader, "feeds_pending", f"n_tries >= {MAX_TRIES} AND {free}")
            n_waiting = n_rows(reader, "feeds_pending", f"n_tries < {MAX_TRIES} OR NOT {free}")
            n_come = n_rows(reader, "feeds_article")
            return n_come == publishers.n_entries + n_hanging and not n_waiting and given_up == n_hanging

        wait_until(is_over, "the others were held up", patience=3 * PATIENCE)
    output = reader.run("doctor", ok=False).stdout
    assert f"{n_hanging} articles couldn't be compared" in output, output


def test_feed_hanging_its_parser_blocks_no_others(reader: Installation, publishers: Publishers) -> None:
    poison = publishers.add(answer(200, POISON))  # due first
    follow(reader, [poison, *publishers.publish(25, 4)])
    calls = Calls(reader)
    with cluster(reader, before=HANG_OF_PARSER) as workers:
        calls.make("feeds.tasks.polling.poll_share")
        calls.make("reader.tasks.recurring.deliver_new")
        wait_until(lambda: n_rows(reader, "reader_delivery") == publishers.n_entries, "the others were held up")
        assert "after death" not in workers.log.read_text()
    assert n_rows(reader, "feeds_poll", "message = 'reading this feed took too long'") == 1


def test_task_that_never_ends_is_ended_and_counted(reader: Installation, publishers: Publishers) -> None:
    follow(reader, publishers.publish(2, 4))
    calls = Calls(reader)
    with cluster(reader, before=HANG_OF_TASK):
        calls.make("reader.tasks.sending.send_articles")
        calls.make("feeds.tasks.polling.poll_share")
        wait_until(lambda: n_rows(reader, "feeds_article") == publishers.n_entries, "the others were held up")
    [(n_failed,)] = sql(reader, "SELECT n_failed FROM operations_tasktally WHERE task LIKE '%send_articles'")
    assert n_failed == 1


def test_crashing_article_is_given_up_and_blocks_no_others(reader: Installation, publishers: Publishers) -> None:
    """Claims of crashed processes, five minutes each, are expired as time would."""
    publishers.publish(5, 10)
    publishers.add(answer(200, POISON))
    follow(reader, publishers.urls)
    calls = Calls(reader)
    with cluster(reader, before=CRASH) as workers:

        def n_crashes() -> int:
            return workers.log.read_text().count("after death")

        calls.make("feeds.tasks.polling.poll_share")
        calls.make("reader.tasks.recurring.deliver_new")
        wait_until(lambda: n_rows(reader, "reader_delivery") == publishers.n_entries + 1, "not everything came")
        for n in range(MAX_TRIES):
            calls.make("feeds.tasks.stories.match_new")
            wait_until(lambda n=n: n_crashes() > n, "it did not crash")
            let_claims_expire(reader)
        calls.make("feeds.tasks.stories.match_new")
        calls.make("feeds.tasks.events.enrich_new")
        wait_until(lambda: n_rows(reader, "feeds_pending") == 1, "the others were held up")
        assert n_crashes() == MAX_TRIES
    check_whole(reader, publishers.n_entries + 1, n_given_up=1)
    output = reader.run("doctor", ok=False).stdout
    assert "1 articles couldn't be compared" in output, output


def test_feed_crashing_its_parser_blocks_no_others(reader: Installation, publishers: Publishers) -> None:
    """Nothing is repaired or expired by the test: the next poll handles dead processes."""
    poison = publishers.add(answer(200, POISON))  # due first
    follow(reader, [poison, *publishers.publish(25, 4)])
    calls = Calls(reader)
    with cluster(reader, before=CRASH_OF_PARSER) as workers:
        for n in range(1, 3):
            calls.make("feeds.tasks.polling.poll_share")
            wait_until(lambda n=n: workers.log.read_text().count("after death") >= n, "it did not crash")
        calls.make("feeds.tasks.polling.poll_share")
        calls.make("reader.tasks.recurring.deliver_new")
        wait_until(lambda: n_rows(reader, "reader_delivery") == publishers.n_entries, "the others were held up")
    check_whole(reader, publishers.n_entries)
    message = "'the program crashed while reading this feed'"
    [(n_said, next_poll_at, polled_at)] = sql(
        reader,
        "SELECT count(p.id), max(f.next_poll_at), max(p.started_at) FROM feeds_feed f JOIN feeds_poll p"  # noqa: S608 - our own
        f" ON p.feed_id = f.id WHERE p.message = {message} AND f.last_success_at IS NULL",
    )
    assert n_said == 2
    assert next_poll_at > polled_at
    assert publishers.n_requests(0) == 2
