"""Daily deletion of old records."""

from datetime import timedelta

import pytest

from feeds.models import Article, Poll, Revision
from feeds.polling import housekeeping
from feeds.storage.retention import MOST_REVISIONS
from tests import make
from tests.make import NOW

pytestmark = pytest.mark.django_db


def add_revisions(article: Article, times: int) -> None:
    for n in range(times):
        at = NOW - timedelta(minutes=times - n)
        Revision.objects.create(article=article, replaced_at=at, title=f"Version {n}", content_hash=n)


def test_keeps_the_latest_revisions() -> None:
    live, quiet = make.article(), make.article()
    add_revisions(live, MOST_REVISIONS + 5)
    add_revisions(quiet, 2)
    assert housekeeping.delete_old_revisions() == 5
    titles = [revision.title for revision in live.revisions.all()]
    assert titles == [f"Version {n}" for n in reversed(range(5, MOST_REVISIONS + 5))]
    assert quiet.revisions.count() == 2
    assert housekeeping.delete_old_revisions() == 0


def test_deletes_old_polls() -> None:
    feed = make.feed()
    make.poll(feed, started_at=NOW - housekeeping.POLL_RETENTION - timedelta(seconds=1))
    young = make.poll(feed, started_at=NOW - housekeeping.POLL_RETENTION)
    assert housekeeping.delete_old_polls(now=NOW) == 1
    assert list(Poll.objects.all()) == [young]
