"""Articles that were set aside, of all feeds and of one."""

import pytest

from feeds.models import Pending, Stage, Unindexed
from feeds.storage.set_aside import set_aside
from feeds.time_limit import MAX_TRIES
from tests import make

pytestmark = pytest.mark.django_db


def test_names_what_could_not_be_done_with_which() -> None:
    feed = make.feed()
    first, second, waiting = (make.article(title=title) for title in ("First", "Second", "Waiting"))
    make.item(feed, first)
    Pending.objects.create(article=first, stage=Stage.MATCH, n_tries=MAX_TRIES)
    Pending.objects.create(article=second, stage=Stage.ENRICH, n_tries=MAX_TRIES)
    Pending.objects.create(article=waiting, stage=Stage.MATCH, n_tries=MAX_TRIES - 1)
    Unindexed.objects.update_or_create(article=first, defaults={"n_tries": MAX_TRIES})
    assert [(row.article.title, row.work) for row in set_aside(limit=9)] == [
        ("Second", "ENRICH"),
        ("First", "MATCH"),
        ("First", "INDEX"),
    ]
    assert [(row.article.title, row.work) for row in set_aside(limit=9, feed=feed)] == [
        ("First", "MATCH"),
        ("First", "INDEX"),
    ]
    assert [row.work for row in set_aside(limit=1)] == ["ENRICH", "INDEX"]
