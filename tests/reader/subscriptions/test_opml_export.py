"""Exported feeds can be imported again unchanged."""

import pytest

from feeds.models import Feed
from feeds.subscription_lists.detect import read_subscriptions
from reader.models import Import, Subscription
from reader.subscriptions.importer import import_file
from reader.subscriptions.opml_export import export_list, export_opml
from tests import make

pytestmark = pytest.mark.django_db


def test_strips_credentials_from_addresses() -> None:
    user = make.user()
    make.subscription(user, make.feed("https://ada:secret@paper.example/feed.xml"))
    assert [outline.url for outline in export_list(user)] == ["https://paper.example/feed.xml"]


def test_exports_only_the_users_own_feeds() -> None:
    user = make.user()
    mine = make.subscription(user)
    make.subscription(make.user())
    assert [outline.url for outline in export_list(user)] == [mine.feed.url]


def test_round_trips_folders_names_categories_and_limits() -> None:
    user, other = make.user(), make.user()
    nested = make.folder(user, "Press / Asia", language="zh", item_limit_per_category=5)
    feed = make.feed(language="zh", language_is_fixed=True, max_items=20)
    make.subscription(user, feed, folder=nested, title="我的", category="國際")
    make.subscription(user)
    document = export_opml(user, title="mine", now=make.NOW)
    job: Import = import_file(other, document, name="mine.opml", now=make.NOW, default_max_items=500)
    assert (job.n_added, job.lines.count()) == (2, 0)
    fields = ("feed", "title", "folder__name", "folder__language", "folder__item_limit_per_category", "category")
    of_user = Subscription.objects.filter(user=user).order_by("feed").values_list(*fields)
    assert list(Subscription.objects.filter(user=other).order_by("feed").values_list(*fields)) == list(of_user)
    listed = {feed.source_name: feed for feed in read_subscriptions(document).feeds}
    assert {outline.title for outline in read_subscriptions(document).feeds} == {"我的", str(Feed.objects.latest("pk"))}
    assert (listed["我的"].max_items, listed["我的"].language, listed["我的"].folder) == (20, "zh", ("Press", "Asia"))
