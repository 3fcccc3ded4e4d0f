"""Today, For you, Important and Stories as labels: what is in them, in which order, page by page, and for whom."""

from datetime import timedelta
from itertools import chain
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from lxml import etree

from digests.models import Digest
from feeds.models import Article
from reader.lists.queries import for_you_page, important_page
from reader.models import BulkRead, Delivery, Folder, Preferences, Subscription, Tag, TaggedArticle
from reader.scoring.ranked_order import slot_of
from reader.stories.collapse import fold_now, queue_fold
from rssmanager.api import lists
from rssmanager.api.lists import Listed
from rssmanager.api.streams import LABEL, READ, READING_LIST, STARRED, article_id_of, long_id
from tests import make
from tests.digests import kept
from tests.rssmanager.api.conftest import App
from tests.tables import table

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[object, ...]]:
    """The tasks that were queued for a front page."""
    queued: list[tuple[object, ...]] = []

    def call(*given: object) -> bool:
        queued.append(given)
        return True

    monkeypatch.setattr("digests.today.refresh.call_worker", call)
    return queued


def rated(app: App, n: int, *, subscription: Subscription | None = None) -> list[int]:
    """New articles, each more important than the last but less relevant."""
    subscription = subscription or make.subscription(app.user)
    now, ids = timezone.now(), []
    for number in range(n):
        at = now - timedelta(hours=1, minutes=number)
        delivery = make.delivery(subscription, make.article(feed=subscription.feed, published_at=at))
        Delivery.objects.filter(pk=delivery.pk).update(
            static_importance=10 + 6 * number,
            slot=slot_of(at),
            sensitivity=3,
            decay_key=-number,
            is_rated=True,
        )
        ids.append(delivery.article_id)
    return ids


def story(app: App, n: int = 3, **values: Any) -> list[int]:
    """Articles of a story, the first of which is shown."""
    articles = [make.article(source=make.source(), word_count=9 - number, **values) for number in range(n)]
    for article in articles:
        make.delivery(make.subscription(app.user, make.feed(source=article.source)), article)
    make.story(*articles)
    fold_now(queue_fold(Article.objects.all()))
    return [article.pk for article in articles]


def front_page(app: App, n: int) -> list[int]:
    """The leads of a front page with so many topics, in its order."""
    subscription = make.subscription(app.user)
    topics = [kept.topic(subscription, n_related=1, importance=90.0 - number) for number in range(n)]
    made = kept.front_page(app.user, *topics, made_at=timezone.now())
    rows = made.topics.order_by("position")
    leads = [row.articles.get(position=0).article_id for row in rows]
    for pk in leads:
        if not Delivery.objects.filter(user=app.user, article=pk).exists():
            make.delivery(subscription, Article.objects.get(pk=pk))
    return [pk for pk in leads if pk is not None]


def offered(app: App, **headers: str) -> list[str]:
    tags = app.client.get("/api/greader.php/reader/api/0/tag/list", headers=app.headers | headers).json()["tags"]
    return [tag["id"] for tag in tags if tag["id"].startswith(LABEL)]


def test_ranked_lists_keep_their_order(app: App) -> None:
    ids = rated(app, 30)
    important = [row.article.pk for row in important_page(app.user, None, now=timezone.now(), size=30).rows]
    for_you = [row.article.pk for row in for_you_page(app.user, None, now=timezone.now(), size=30).rows]
    assert (important, for_you) == (ids[::-1], ids)
    for n in (7, 20, 100):
        assert app.ids(f"{LABEL}Important", n=n) == important
        assert app.ids(f"{LABEL}For you", n=n) == for_you
    contents = app.get(f"stream/contents/{LABEL}Important", n=3).json()
    assert [item["id"] for item in contents["items"]] == [long_id(pk) for pk in important[:3]]
    assert f"{LABEL}Important" in contents["items"][0]["categories"]
    [own] = app.post("stream/items/contents", i=important[0]).json()["items"]
    assert own["categories"][2:] == [f"{LABEL}{name}" for name in ("For you", "Important")]


def test_lists_end_after_the_first_articles(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lists, "MOST", 10)
    ids = rated(app, 15)
    for n in (3, 5, 10, 200):
        assert app.ids(f"{LABEL}For you", n=n) == ids[:10]


def test_pages_stay_while_articles_are_read_and_arrive(app: App) -> None:
    ids = rated(app, 9)
    page = app.get("stream/items/ids", s=f"{LABEL}For you", n=3).json()
    app.post("edit-tag", i=ids[:2], a=READ)
    rated(app, 2)  # as relevant as the best
    rest = app.ids(f"{LABEL}For you", n=3, c=page["continuation"])
    first = [article_id_of(ref["id"]) for ref in page["itemRefs"]]
    assert [*first, *(pk for pk in rest if pk in ids)] == ids


def test_filters_apply(app: App) -> None:
    ids = rated(app, 4)
    app.post("edit-tag", i=ids[1], a=STARRED)
    name = f"{LABEL}For you"
    assert app.ids(name, it=STARRED) == [ids[1]]
    assert app.ids(name, xt=STARRED) == [ids[0], *ids[2:]]
    assert app.ids(name, it=READ) == app.ids(name, ot=int(timezone.now().timestamp()) + 9999) == []


def test_today_has_the_leads_of_its_topics(app: App, asked: list[tuple[object, ...]]) -> None:
    leads = front_page(app, 6)
    rated(app, 3)
    for n in (1, 4, 100):
        assert app.ids(f"{LABEL}Today", n=n) == leads
    assert app.ids(f"user/{app.user.pk}/label/Today") == leads
    app.post("edit-tag", i=leads[0], a=READ)
    assert app.ids(f"{LABEL}Today", xt=READ) == leads[1:]
    counts = {row["id"]: row["count"] for row in app.get("unread-count").json()["unreadcounts"]}
    assert counts[f"{LABEL}Today"] == 5
    assert not {f"{LABEL}Important", f"{LABEL}For you", f"{LABEL}Stories"} & counts.keys()
    assert Digest.objects.get().opened_at is not None
    assert asked == []  # it is new


def test_first_reading_of_today_has_a_front_page_made(app: App, asked: list[tuple[object, ...]]) -> None:
    ids = rated(app, 20)
    assert app.ids(f"{LABEL}Today", n=5) == ids[:12]  # the newest until then, as on the page
    assert asked == [("digests.tasks.make.make_today", app.user.pk)]


def test_a_newer_front_page_is_read_from_its_beginning(app: App) -> None:
    front_page(app, 5)
    page = app.get("stream/items/ids", s=f"{LABEL}Today", n=2).json()
    newer = front_page(app, 5)
    assert app.ids(f"{LABEL}Today", n=2, c=page["continuation"]) == newer


def test_stories_have_one_article_each(app: App) -> None:
    old = story(app, published_at=make.NOW - timedelta(days=2))
    new = story(app, published_at=make.NOW)
    rated(app, 2)
    for n in (1, 20):
        assert app.ids(f"{LABEL}Stories", n=n) == [new[0], old[0]]


def test_marking_a_list_marks_what_it_has(app: App) -> None:
    in_story = story(app)
    [alone] = rated(app, 1)
    app.post("mark-all-as-read", s=f"{LABEL}Stories")
    unread = Delivery.objects.filter(user=app.user, is_read=False).values_list("article_id", flat=True)
    assert list(unread) == [alone]
    assert BulkRead.objects.get().n_articles == len(in_story)  # which can be undone
    late = int((timezone.now() - timedelta(days=900)).timestamp())
    app.post("mark-all-as-read", s=f"{LABEL}Important", ts=late)
    assert list(unread.all()) == [alone]
    app.post("mark-all-as-read", s=f"{LABEL}Important")
    assert not unread.all().exists()


def test_own_folders_and_tags_go_first(app: App) -> None:
    rated(app, 2)
    [filed] = rated(app, 1, subscription=make.subscription(app.user, folder=make.folder(app.user, "Important")))
    tagged = make.tag(app.user, "for YOU", Delivery.objects.get(article=filed).article)
    names = ["Today", "For you (RSS Manager)", "Important (RSS Manager)", "Stories"]
    assert offered(app) == [*(f"{LABEL}{name}" for name in names), f"{LABEL}Important", f"{LABEL}{tagged.name}"]
    assert app.ids(f"{LABEL}Important") == app.ids(f"{LABEL}For you") == [filed]
    assert len(app.ids(f"{LABEL}Important (RSS Manager)")) == len(app.ids(f"{LABEL}For you (RSS Manager)")) == 3
    app.post("mark-all-as-read", s=f"{LABEL}Important")
    assert Delivery.objects.filter(is_read=True).count() == 1
    app.post("rename-tag", s=f"{LABEL}Important", dest=f"{LABEL}Mine")
    assert Folder.objects.get().name == "Mine"


@table("name", list(Listed))
def test_nothing_can_be_filed_in_a_list(app: App, name: str) -> None:
    [pk] = rated(app, 1)
    subscription, label = Subscription.objects.get(), f"{LABEL}{name}"
    make.folder(app.user, "Mine")
    answers = [
        app.post("edit-tag", i=pk, a=label),
        app.post("edit-tag", a=label),
        app.post("subscription/edit", ac="edit", s=f"feed/{subscription.pk}", a=label),
        app.post("rename-tag", s=label, dest=f"{LABEL}Other"),
        app.post("rename-tag", s=f"{LABEL}Mine", dest=label),
        app.post("disable-tag", s=label),
        app.post("disable-tag", t=name),
    ]
    assert [answer.status_code for answer in answers] == [400] * 7
    assert answers[0].content.decode() == f"{name} is a list that fills itself. Choose another name."
    assert (Tag.objects.count(), TaggedArticle.objects.count(), Folder.objects.get().name) == (0, 0, "Mine")


def test_lists_can_be_switched_off(app: App) -> None:
    [pk] = rated(app, 1)
    assert offered(app) == [f"{LABEL}{name}" for name in Listed]
    for agent in (
        "NetNewsWire (RSS Reader; https://netnewswire.com/)",
        "RSS Guard/4.0.4 (github.com/martinrotter/rssguard)",
    ):
        assert offered(app, **{"User-Agent": agent}) == []
    Preferences.objects.create(user=app.user, apps_get_lists=False)
    assert offered(app) == []
    for name in Listed:
        assert app.get("stream/items/ids", s=f"{LABEL}{name}").status_code == 404
        assert app.post("mark-all-as-read", s=f"{LABEL}{name}").status_code == 404
    assert f"{LABEL}Today" not in app.get("unread-count").content.decode()
    app.post("edit-tag", i=pk, a=f"{LABEL}Today")
    assert Tag.objects.get().name == "Today"


def test_names_are_english_in_every_language(app: App) -> None:
    Preferences.objects.create(user=app.user, language="de")
    assert offered(app) == [f"{LABEL}{name}" for name in ("Today", "For you", "Important", "Stories")]


def test_nothing_of_another_user(app: App) -> None:
    front_page(app, 5)
    story(app)
    rated(app, 3)
    eve = App(make.user("eve"))
    before = list(Delivery.objects.order_by("pk").values_list())
    for name in Listed:
        assert eve.ids(f"{LABEL}{name}") == eve.ids(f"user/{app.user.pk}/label/{name}") == []
        assert eve.get(f"stream/contents/{LABEL}{name}").json()["items"] == []
        eve.post("mark-all-as-read", s=f"{LABEL}{name}")
    assert list(Delivery.objects.order_by("pk").values_list()) == before


def test_articles_of_unfollowed_feeds_are_left_out(app: App) -> None:
    leads = front_page(app, 5)
    Subscription.objects.filter(user=app.user).update(unfollowed_at=make.NOW)
    [pk] = rated(app, 1)
    assert not set(app.ids(f"{LABEL}Today")) & set(leads)
    assert app.ids(f"{LABEL}Important") == [pk]


HOSTILE = ["x", "0~", "~", "1~x", "99~u.1.1", "1~u.1.1", "²~1", "9" * 99]
HOSTILE += ["100~1_0x1p3_1", "-1~1_0x1p3_1", "1~1_0x1p3_1", "1~99999999999999999999_0x1p3_1"]


@table("name", list(Listed))
def test_odd_continuations_are_no_errors(app: App, name: str) -> None:
    rated(app, 3)
    for value in HOSTILE:
        assert app.get("stream/items/ids", s=f"{LABEL}{name}", c=value).status_code in (200, 400)
        assert app.get(f"stream/contents/{LABEL}{name}", c=value, n=value, xt=value).status_code in (200, 400)


def test_atom_of_a_list_is_named_after_it(app: App) -> None:
    rated(app, 2)
    answer = app.client.get(f"/reader/atom/{LABEL}For you?n=1", headers=app.headers)
    feed = etree.fromstring(answer.content)
    assert feed.findtext("{*}title") == "For you"
    [entry] = feed.iter("{*}entry")
    assert f"{LABEL}For you" in [category.get("term") for category in entry.iter("{*}category")]


def test_queries_do_not_grow(app: App) -> None:
    counts = []
    for n in (2, 30):
        front_page(app, n)
        for _ in range(n):
            story(app, 2)
        rated(app, n)
        for name in Listed:
            app.get(f"stream/contents/{LABEL}{name}", n=100)  # sanitizes them
        found = []
        for name in Listed:
            with CaptureQueriesContext(connection) as queries:
                assert app.get(f"stream/contents/{LABEL}{name}", n=20).status_code == 200
            found.append(len(queries))
        counts.append(found)
    assert max(chain(*counts)) <= 17  # a ranked list needs one statement more if its streams are long


def test_reading_list_has_none_of_it(app: App) -> None:
    ids = rated(app, 3)
    items = app.get(f"stream/contents/{READING_LIST}").json()["items"]
    assert [item["id"] for item in items] == [long_id(pk) for pk in ids[::-1]]
    assert not [name for item in items for name in item["categories"] if name.startswith(LABEL)]
