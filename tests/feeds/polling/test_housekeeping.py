"""Daily deletion of old records."""

from datetime import timedelta

import pytest

from feeds.models import Article, Poll, Revision
from feeds.polling import housekeeping
from feeds.storage.retention import MAX_REVISIONS
from tests import make
from tests.make import NOW

pytestmark = pytest.mark.django_db


def add_revisions(article: Article, times: int) -> None:
    for n in range(times):
        at = NOW - timedelta(minutes=times - n)
        Revision.objects.create(article=article, replaced_at=at, title=f"Version {n}", content_hash=n)


def test_parse_failures_and_undated_entries_lower_the_reliability() -> None:
    feed = make.feed(last_polled_at=NOW)
    make.poll(feed, "new", n_entries=20, n_read=20, well_formed=True)
    make.poll(feed, "new", n_entries=20, n_read=4, n_uncertain_dates=4, well_formed=True)
    make.poll(feed, "unchanged")
    make.poll(feed, "parse_error")
    assert housekeeping.refresh_scores(now=NOW) == 1
    feed.refresh_from_db()
    assert feed.health_score == 3 / 4
    assert feed.reliability_score == pytest.approx(0.5 * 3 / 4 + 0.25 * 2 / 3 + 0.25 * 20 / 24)


@pytest.mark.parametrize(
    ("was", "hours_apart", "values", "kind"),
    [
        ("blog", 0.5, {}, "breaking"),
        ("breaking", 48, {}, "blog"),
        ("blog", 0.5, {"kind_is_fixed": True}, "blog"),
        ("blog", 0.5, {"status": "paused"}, "blog"),
    ],
    ids=["more", "less", "set-by-hand", "not-polled"],
)
def test_kind_follows_the_rate(was: str, hours_apart: float, values: dict[str, object], kind: str) -> None:
    feed = make.feed(kind=was, **values)
    for number in reversed(range(10)):
        make.item(feed, make.article(published_at=NOW - timedelta(hours=hours_apart * number)))
    undated = make.feed(kind=was)
    make.item(undated, make.article(published_at=NOW, date_uncertain=True))
    assert housekeeping.classify_feeds(now=NOW) == (kind != was)
    feed.refresh_from_db()
    undated.refresh_from_db()
    assert (feed.kind, undated.kind) == (kind, was)


def test_keeps_the_latest_revisions() -> None:
    live, quiet = make.article(), make.article()
    add_revisions(live, MAX_REVISIONS + 5)
    add_revisions(quiet, 2)
    assert housekeeping.delete_old_revisions() == 5
    titles = [revision.title for revision in live.revisions.all()]
    assert titles == [f"Version {n}" for n in reversed(range(5, MAX_REVISIONS + 5))]
    assert quiet.revisions.count() == 2
    assert housekeeping.delete_old_revisions() == 0


def test_deletes_old_polls() -> None:
    feed = make.feed()
    make.poll(feed, started_at=NOW - housekeeping.POLL_RETENTION - timedelta(seconds=1))
    young = make.poll(feed, started_at=NOW - housekeeping.POLL_RETENTION)
    assert housekeeping.delete_old_polls(now=NOW) == 1
    assert list(Poll.objects.all()) == [young]
