"""What is forgotten daily."""

from datetime import timedelta

import pytest

from feeds import checkup
from feeds.models import Article, Poll, Revision
from feeds.retention import MOST_REVISIONS
from tests import make
from tests.make import NOW

pytestmark = pytest.mark.django_db


def revise(article: Article, times: int) -> None:
    for n in range(times):
        at = NOW - timedelta(minutes=times - n)
        Revision.objects.create(article=article, replaced_at=at, title=f"Version {n}", content_hash=n)


def test_an_article_that_changes_again_and_again_keeps_its_latest_versions() -> None:
    live, quiet = make.article(), make.article()
    revise(live, MOST_REVISIONS + 5)
    revise(quiet, 2)
    assert checkup.forget_old_revisions() == 5
    titles = [each.title for each in live.revisions.all()]
    assert titles == [f"Version {n}" for n in reversed(range(5, MOST_REVISIONS + 5))]
    assert quiet.revisions.count() == 2
    assert checkup.forget_old_revisions() == 0


def test_polls_are_forgotten_after_their_time() -> None:
    feed = make.feed()
    make.poll(feed, started_at=NOW - checkup.POLLS_KEPT - timedelta(seconds=1))
    young = make.poll(feed, started_at=NOW - checkup.POLLS_KEPT)
    assert checkup.forget_old_polls(now=NOW) == 1
    assert list(Poll.objects.all()) == [young]
