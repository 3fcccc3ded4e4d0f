"""The Fever API: each command, marking, and what must not be seen or changed."""

from base64 import b64encode
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from feeds.models import Article, Icon
from reader.models import ArticleState, Delivery, Engagement, Subscription
from reader.stories.collapse import fold_now, queue_fold
from rssmanager.authentication import app_passwords
from tests import make
from tests.rssmanager.api.conftest import App
from tests.tables import table

pytestmark = pytest.mark.django_db


def deliver(app: App, n: int, *, subscription: Subscription | None = None, **values: Any) -> list[int]:
    """The items of new articles."""
    subscription = subscription or make.subscription(app.user)
    return [make.delivery(subscription, make.article(feed=subscription.feed, **values)).pk for _ in range(n)]


def listed(answer: dict[str, Any]) -> list[int]:
    return [item["id"] for item in answer["items"]]


def numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",") if part]


@table("query", ["api", "", "api=&groups", "api&mark=item"])
def test_wrong_keys_get_nothing(app: App, query: str) -> None:
    app.client.force_login(app.user)  # cookies are ignored
    for form in ({}, {"api_key": "x"}, {"api_key": app_passwords.fever_key("ada", "correct horse")}):
        assert app.client.post(f"/api/fever.php?{query}", form).json() == {"api_version": 3, "auth": 0}


def test_key_may_come_in_any_way(app: App) -> None:
    key = app_passwords.fever_key("ada", app.password)
    multipart = Client().post("/api/fever.php?api", {"api_key": key.upper()})
    form = Client().post("/api/fever?api", f"api_key={key}", content_type="application/x-www-form-urlencoded")
    slash = Client().post("/api/fever/?api", {"api_key": key})
    query = Client().post(f"/api/fever.php?api&api_key={key}", b"", content_type="text/plain")
    assert [answer.json()["auth"] for answer in (multipart, form, slash, query)] == [1, 1, 1, 1]


def test_groups_feeds_and_icons(app: App) -> None:
    folder = make.folder(app.user, "News")
    icon = Icon.objects.create(
        key=b"1", home_url="https://a.example", due_at=make.NOW, digest="d", mime_type="image/png", content=b"png"
    )
    feed = make.feed(icon=icon, last_success_at=make.NOW, site_url="https://a.example/")
    subscription = make.subscription(app.user, feed, folder=folder, title="<i>Own")
    plain = make.subscription(app.user)
    answer = app.fever("groups&feeds&favicons")
    assert answer["last_refreshed_on_time"] == int(make.NOW.timestamp())
    assert answer["groups"] == [{"id": folder.pk, "title": "News"}]
    assert answer["feeds_groups"] == [{"group_id": folder.pk, "feed_ids": str(subscription.pk)}]
    assert [(row["id"], row["favicon_id"]) for row in answer["feeds"]] == [(subscription.pk, icon.pk), (plain.pk, 0)]
    assert answer["feeds"][0]["title"] == "＜i＞Own"
    assert answer["favicons"] == [{"id": icon.pk, "data": f"image/png;base64,{b64encode(b'png').decode()}"}]


def test_items_page_both_ways(app: App) -> None:
    same = make.article()
    twice = [make.delivery(make.subscription(app.user), same).pk for _ in range(2)]
    items = [twice[0], *deliver(app, 60)]
    first = app.fever("items&since_id=0")
    assert (listed(first), first["total_items"]) == (items[:50], 61)
    assert listed(app.fever(f"items&since_id={items[49]}")) == items[50:]
    assert listed(app.fever(f"items&max_id={items[10]}")) == items[:10][::-1]
    assert listed(app.fever(f"items&with_ids={items[3]},{items[1]},x,999")) == [items[1], items[3]]
    assert numbers(app.fever("unread_item_ids")["unread_item_ids"]) == items


def test_item_is_safe_and_complete(app: App) -> None:
    [pk] = deliver(app, 1, title="<script>x</script>", markup="<p onclick=x>Hi</p>", url="javascript:x", author="Ann")
    app.fever("mark=item&as=saved", id=pk)
    [item] = app.fever("items")["items"]
    delivery = Delivery.objects.get()
    assert item == {
        "id": pk,
        "feed_id": delivery.subscription_id,
        "title": "＜script＞x＜/script＞",
        "author": "Ann",
        "html": "<p>Hi</p>",
        "url": "",
        "is_saved": 1,
        "is_read": 0,
        "created_on_time": int(delivery.published_at.timestamp()),
    }


def test_marking_items(app: App) -> None:
    one, two, three = deliver(app, 3)
    for pk, state in (
        (one, "read"),
        (two, "read"),
        (three, "saved"),
        (two, "saved"),
        (two, "unsaved"),
        (two, "unread"),
    ):
        app.fever(f"mark=item&as={state}&id={pk}")
    assert numbers(app.fever("unread_item_ids")["unread_item_ids"]) == [two, three]
    assert numbers(app.fever("saved_item_ids")["saved_item_ids"]) == [three]
    log = Engagement.active.order_by("pk").values_list("kind", "source")
    assert list(log) == [("opened", "api"), ("starred", "api"), ("unread", "api")]  # two reads at once teach one


def test_marking_feeds_and_groups_up_to_a_time(app: App) -> None:
    folder = make.folder(app.user)
    subscription = make.subscription(app.user, folder=folder)
    Subscription.objects.update(added_at=make.NOW - timedelta(days=9))
    subscription.refresh_from_db()
    deliver(app, 1, subscription=subscription, first_seen_at=make.NOW - timedelta(hours=2))
    [late] = deliver(app, 1, subscription=subscription)
    [other] = deliver(app, 1)

    def unread() -> list[int]:
        return numbers(app.fever("unread_item_ids")["unread_item_ids"])

    before = int((make.NOW - timedelta(hours=1)).timestamp())
    app.fever("mark=feed&as=read", id=subscription.pk, before=before)
    assert unread() == [late, other]
    app.fever(f"mark=group&as=read&id={folder.pk}")
    assert unread() == [other]
    app.fever("mark=group&as=read")  # without an id
    assert unread() == [other]
    app.fever("mark=group&as=read&id=0")
    assert (unread(), Engagement.objects.count()) == ([], 0)


def test_stories_are_hot_links(app: App) -> None:
    articles = [make.article(source=make.source(), word_count=9 - n, published_at=make.NOW) for n in range(3)]
    items = [
        make.delivery(make.subscription(app.user, make.feed(source=article.source)), article).pk for article in articles
    ]
    story = make.story(*articles)
    fold_now(queue_fold(Article.objects.all()))
    [link] = app.fever("links&offset=0&range=3650&page=1")["links"]
    assert (link["id"], link["item_id"], link["temperature"]) == (story.pk, items[0], 99.6)
    assert (link["title"], link["url"]) == (articles[0].title, articles[0].url)
    assert numbers(link["item_ids"]) == items
    assert listed(app.fever("items")) == [items[0]]
    assert app.fever("links&range=0")["links"] == app.fever("links&range=3650&page=2")["links"] == []


def test_nothing_of_another_user(app: App) -> None:
    folder = make.folder(app.user, "Hers")
    [pk] = deliver(app, 1, subscription=make.subscription(app.user, folder=folder, title="Hers"), title="zqsecret")
    eve = App(make.user("eve"))
    answer = eve.fever(f"groups&feeds&favicons&items&with_ids={pk}&links&unread_item_ids&saved_item_ids")
    assert (answer["items"], answer["feeds"], answer["groups"], answer["unread_item_ids"]) == ([], [], [], "")
    subscription = Subscription.objects.get()
    for mark in (f"item&as=read&id={pk}", f"item&as=saved&id={pk}", f"feed&as=read&id={subscription.pk}"):
        eve.fever(f"mark={mark}")
    eve.fever(f"mark=group&as=read&id={folder.pk}")
    assert (ArticleState.objects.count(), Delivery.objects.get().is_read) == (0, False)


def test_read_only_password_marks_nothing(app: App) -> None:
    [pk] = deliver(app, 1)
    reading = App(app.user, scopes=())
    assert reading.fever(f"mark=item&as=read&id={pk}&unread_item_ids")["unread_item_ids"] == str(pk)


def test_odd_values_are_no_errors(app: App) -> None:
    deliver(app, 1)
    names = ("since_id", "max_id", "with_ids", "id", "before", "as", "offset", "range", "page", "mark")
    for name in names:
        for value in ("", "-1", "0", "9" * 30, "x", "%00", "²", "1,2,,x", "9223372036854775807"):
            app.fever(f"items&links&mark=item&as=read&{name}={value}")


def test_queries_do_not_grow(app: App) -> None:
    counts = []
    for n in (2, 20):
        for _ in range(n):
            folder = make.folder(app.user, f"Folder {make.fresh_number()}")
            deliver(app, 1, subscription=make.subscription(app.user, folder=folder))
        app.fever("items")  # sanitizes them
        with CaptureQueriesContext(connection) as queries:
            app.fever("groups&feeds&favicons&items&links&unread_item_ids&saved_item_ids")
        counts.append(len(queries))
    assert counts[0] == counts[1]
    assert counts[0] <= 20
