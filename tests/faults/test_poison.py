"""An article, and a feed, on which whatever reads it crashes, with the whole process."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.checking import check_whole
from tests.faults.processes import Calls, cluster, follow, let_claims_expire, n_rows, sql, wait_until
from tests.faults.published import Publishers
from tests.feeds.servers import answer
from tests.rssmanager.installation import Installation, installation

MOST_TRIES = 5  # of one article in one stage; `feeds.storage.work_queue`
# A segmentation fault, as a library has it that a text leads astray.
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
    with installation(tmp_path) as made:
        made.environment["WORKERS"] = "1"
        yield made


def test_an_article_that_crashes_its_reader_is_set_aside_after_some_tries_and_holds_up_nobody(
    reader: Installation, publishers: Publishers
) -> None:
    """Claims of the crashed, five minutes each, are let expire as the clock would."""
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
        for n in range(MOST_TRIES):
            calls.make("feeds.tasks.stories.match_new")
            wait_until(lambda n=n: n_crashes() > n, "it did not crash")
            let_claims_expire(reader)
        calls.make("feeds.tasks.stories.match_new")
        calls.make("feeds.tasks.events.enrich_new")
        wait_until(lambda: n_rows(reader, "feeds_pending") == 1, "the others were held up")
        assert n_crashes() == MOST_TRIES
    check_whole(reader, publishers.n_entries + 1, n_given_up=1)
    said = reader.run("doctor", ok=False).stdout
    assert "1 articles couldn't be compared" in said, said


def test_a_feed_that_crashes_its_parser_waits_and_holds_up_nobody(reader: Installation, publishers: Publishers) -> None:
    """Nothing is repaired, and no claim set into the past: whoever polls next looks after the dead."""
    poison = publishers.add(answer(200, POISON))  # the first to be due
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
    said = "'the program crashed while reading this feed'"
    [(n_said, next_poll_at, polled_at)] = sql(
        reader,
        "SELECT count(p.id), max(f.next_poll_at), max(p.started_at) FROM feeds_feed f JOIN feeds_poll p"  # noqa: S608 - our own
        f" ON p.feed_id = f.id WHERE p.message = {said} AND f.last_success_at IS NULL",
    )
    assert n_said == 2
    assert next_poll_at > polled_at
    assert publishers.n_requests(0) == 2
