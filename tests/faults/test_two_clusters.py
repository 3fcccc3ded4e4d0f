"""Two clusters on one database, as on two machines, run everything once."""

from collections import Counter

import pytest

from tests.digests.mail_server import RealServer
from tests.faults.checking import check_whole
from tests.faults.processes import Calls, cluster, follow, make_schedules_due, n_rows, sql, wait_until
from tests.faults.published import Publishers
from tests.faults.test_killing import EVERY_MINUTE, N_PLANS, PLANS
from tests.rssmanager.installation import Installation

pytestmark = pytest.mark.vendor
N_FEEDS, N_ENTRIES = 24, 10


def test_no_feed_digest_or_email_is_handled_by_both(
    reader: Installation, publishers: Publishers, mail: RealServer
) -> None:
    """Schedules can be due in both at the same time; their tasks claim work row by row."""
    reader.prepare()
    follow(reader, publishers.publish(N_FEEDS, N_ENTRIES))
    calls = Calls(reader)
    for task in EVERY_MINUTE:
        calls.make(task)
    with cluster(reader, "one") as one, cluster(reader, "other") as other:
        make_schedules_due(reader)
        wait_until(lambda: n_rows(reader, "reader_delivery", "is_rated") == N_FEEDS * N_ENTRIES, "not everything came")
        reader.run("shell", "--no-imports", "-c", PLANS)
        for _ in range(2):
            for task in EVERY_MINUTE[-2:]:
                calls.make(task)
        wait_until(lambda: n_rows(reader, "digests_digest") == N_PLANS, "not all digests were made")
        calls.make(EVERY_MINUTE[-1])
        wait_until(lambda: not n_rows(reader, "digests_mailing", "state != 'sent'"), "not all mails were sent")
        assert one.process.poll() is None
        assert other.process.poll() is None
    check_whole(reader, publishers.n_entries)
    assert [publishers.n_requests(number) for number in range(N_FEEDS)] == [1] * N_FEEDS
    assert sql(reader, "SELECT count(*), sum(n_new) FROM feeds_poll") == [(N_FEEDS, publishers.n_entries)]
    ids = Counter(str(envelope.message["Message-ID"]) for envelope in mail.received)
    assert (len(ids), set(ids.values())) == (N_PLANS, {1})
