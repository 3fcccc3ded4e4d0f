"""An article and a feed that crash the process reading them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.checking import check_whole
from tests.faults.processes import FEW_MODELS, Calls, cluster, follow, let_claims_expire, n_rows, sql, wait_until
from tests.faults.published import Publishers
from tests.feeds.servers import answer
from tests.rssmanager.installation import Installation, installation

MAX_TRIES = 5  # per article and stage; see `feeds.storage.work_queue`
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
