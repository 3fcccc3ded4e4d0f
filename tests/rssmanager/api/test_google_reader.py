"""The Google Reader API: streams, pages, items, edits, and what must not be seen or changed."""

import gzip
import json
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from lxml import etree

from feeds.models import Article, Feed, FullText
from reader.articles.saved_items import saved_pages_of
from reader.models import (
    ArticleState,
    BulkRead,
    Delivery,
    Engagement,
    Folder,
    Import,
    Subscription,
    Tag,
    TaggedArticle,
)
from reader.stories.collapse import fold_now, queue_fold
from rssmanager.api import streams
from rssmanager.api.streams import READ, READING_LIST, STARRED
from rssmanager.authentication import app_passwords
from rssmanager.authentication.models import AppPassword
from tests import make
from tests.rssmanager.api.conftest import API, App
from tests.tables import table

pytestmark = pytest.mark.django_db

UNREAD = "user/-/state/com.google/kept-unread"
LONG = "00038d7ea4c680ff"  # of article 255


def deliver(app: App, n: int, *, subscription: Subscription | None = None, **values: Any) -> list[int]:
    """New articles of a feed, the latest to arrive first, though it has the oldest date."""
    subscription = subscription or make.subscription(app.user)
    made = [make.delivery(subscription, make.article(feed=subscription.feed, **values)).article_id for _ in range(n)]
    return made[::-1]


def state(app: App) -> dict[int, tuple[bool, bool]]:
    rows = ArticleState.objects.filter(user=app.user).values_list("article_id", "is_read", "is_starred")
    return {pk: (is_read, is_starred) for pk, is_read, is_starred in rows}


def test_item_ids_in_every_form() -> None:
    assert (streams.short_id(255), streams.long_id(255)) == (10**15 + 255, f"tag:google.com,2005:reader/item/{LONG}")
    forms = [f"tag:google.com,2005:reader/item/{LONG}", LONG, "1000000000000255", " 1000000000000255 ", f"0x{LONG}"]
    forms += ["tag:google.com,2005:reader/item/00000000000000ff", "00000000000000ff", "255"]  # without the offset
    assert [streams.article_id_of(form) for form in forms] == [255] * len(forms)
    hostile = ["", "0", "-5", "-1" * 40, "9" * 19, "x", "tag:google.com,2005:reader/item/", "²", "ffffffffffffffff"]
    hostile += ["tag:google.com,2005:reader/item/-0000000000000ff", "1e3", "١"]
    assert [streams.article_id_of(form) for form in hostile] == [None] * len(hostile)


def test_pages_neither_skip_nor_repeat_while_articles_arrive(app: App) -> None:
    subscription = make.subscription(app.user)
    same = make.article(published_at=make.NOW - timedelta(days=1))
    for _ in range(2):  # delivered by two feeds
        make.delivery(make.subscription(app.user), same)
    old = [*deliver(app, 9, subscription=subscription), same.pk]
    seen, continuation = [], {}
    while True:
        page = app.get("stream/items/ids", s=READING_LIST, n=3, **continuation).json()
        seen += [streams.article_id_of(ref["id"]) for ref in page["itemRefs"]]
        deliver(app, 1, subscription=subscription, published_at=make.NOW - timedelta(days=400))
        if "continuation" not in page:
            break
        continuation = {"c": page["continuation"]}
    assert seen == old
    assert app.ids(READING_LIST, n=4, r="o") == app.ids(READING_LIST, n=100)[::-1]


def test_streams_and_filters(app: App) -> None:
    folder = make.folder(app.user, "News/World")
    filed, loose = make.subscription(app.user, folder=folder), make.subscription(app.user)
    three, four = deliver(app, 2, subscription=loose)
    one, two = deliver(app, 2, subscription=filed)
    Subscription.objects.update(added_at=make.NOW - timedelta(days=9))
    make.tag(app.user, "Later", Delivery.objects.get(article=three).article)
    app.post("edit-tag", i=[two, three], a=READ)
    app.post("edit-tag", i=streams.long_id(four), a=STARRED)
    everything = [one, two, three, four]
    assert {
        name: app.ids(name)
        for name in (READING_LIST, READ, UNREAD, STARRED, f"feed/{loose.pk}", f"feed/{filed.feed.url}")
    } == {
        READING_LIST: everything,
        READ: [two, three],
        UNREAD: [one, four],
        STARRED: [four],
        f"feed/{loose.pk}": [three, four],
        f"feed/{filed.feed.url}": [one, two],
    }
    assert app.ids("user/-/label/News/World") == app.ids(f"user/{app.user.pk}/label/News/World") == [one, two]
    assert app.ids("user/-/label/later") == [three]
    assert app.ids(READING_LIST, xt=READ) == [one, four]
    assert app.ids(READING_LIST, xt=[READ, STARRED]) == [one]
    assert app.ids(READING_LIST, it=READ) == app.ids(READING_LIST, xt="user/-/state/com.google/unread") == [two, three]
    assert app.ids("", it=STARRED) == [four]
    at = int(make.NOW.timestamp())
    assert app.ids(READING_LIST, ot=at) == app.ids(READING_LIST, ot=at * 10**6) == everything
    assert app.ids(READING_LIST, ot=at + 3600) == []
    assert app.ids(READING_LIST, nt=at - 1) == []


def test_folded_copies_are_sent_once(app: App) -> None:
    articles = [make.article(source=make.source(), word_count=9 - n) for n in range(3)]
    for article in articles:
        make.delivery(make.subscription(app.user, make.feed(source=article.source)), article)
    make.story(*articles)
    fold_now(queue_fold(Article.objects.all()))
    Delivery.objects.update(was_listed=False)  # as if folded when they were delivered
    [shown] = app.ids(READING_LIST)
    assert [item["id"] for item in app.get("stream/contents/").json()["items"]] == [streams.long_id(shown)]
    app.post("mark-all-as-read", s=READING_LIST)
    assert not Delivery.objects.filter(is_read=False).exists()


def test_items_are_safe_and_complete(app: App) -> None:
    subscription = make.subscription(app.user, folder=make.folder(app.user), title="<i>Own")
    article = make.article(
        feed=subscription.feed,
        title="<script>alert(1)</script> 1 < 2 & 3",
        author="<b>Ann",
        url="javascript:alert(1)",
        markup="<p onclick=x>Hi<script>alert(1)</script></p>",
        media=[{"url": "https://cdn.example/a.mp3", "mime_type": "audio/mpeg"}, {"url": "javascript:x"}],
    )
    make.delivery(subscription, article)
    make.tag(app.user, "Later", article)
    app.post("edit-tag", i=article.pk, a=[STARRED, READ])
    [item] = app.post("stream/items/contents", i=[article.pk, streams.long_id(article.pk), 999]).json()["items"]
    assert item["id"] == streams.long_id(article.pk)
    assert item["title"] == "＜script＞alert(1)＜/script＞ 1 ＜ 2 & 3"
    assert (item["author"], item["summary"]["content"]) == ("＜b＞Ann", "<p>Hi</p>")
    assert (item["canonical"], item["origin"]["streamId"]) == ([{"href": ""}], f"feed/{subscription.pk}")
    assert item["origin"]["title"] == "＜i＞Own"
    labels = ["user/-/label/News", "user/-/label/Later", "user/-/label/Today"]
    assert item["categories"] == [READING_LIST, READ, STARRED, *labels]
    assert [file["href"] for file in item["enclosure"]] == ["https://cdn.example/a.mp3"]
    assert item["published"] == int(article.published_at.timestamp())
    arrived = Delivery.objects.get().arrival
    assert (item["timestampUsec"], item["crawlTimeMsec"]) == (str(arrived), str(arrived // 1000))


def test_atom_escapes_and_names_states(app: App) -> None:
    subscription = make.subscription(app.user, folder=make.folder(app.user, 'A & "B"'))
    [pk] = deliver(app, 1, subscription=subscription, title="<b>]]>&\x0b", markup="<p>Hi</p>", author="<Ann>")
    app.post("edit-tag", i=pk, a=READ)
    answer = app.client.get(f"/api/greader.php/reader/atom/feed/{subscription.pk}?n=9", headers=app.headers)
    [entry] = etree.fromstring(answer.content).iter("{*}entry")
    assert [entry.findtext(f"{{*}}{name}") for name in ("id", "title", "content")] == [
        streams.long_id(pk),
        "＜b＞]]＞&",
        "<p>Hi</p>",
    ]
    assert [category.get("label") for category in entry.iter("{*}category")] == ["reading-list", "read", 'A & "B"']


def test_full_text_is_sent_where_it_is_read(app: App) -> None:
    subscription = make.subscription(app.user, fetches_full_text=True)
    [pk] = deliver(app, 1, subscription=subscription)
    FullText.objects.create(article_id=pk, requested_at=make.NOW, markup="<p>All of it</p>", text="All of it")
    [item] = app.get(f"stream/contents/feed/{subscription.pk}").json()["items"]
    assert item["summary"]["content"] == "<p>All of it</p>"


def test_single_marks_teach_and_many_do_not(app: App) -> None:
    ids = deliver(app, 9)
    app.post("edit-tag", i=ids[0], a=READ, r=UNREAD)
    app.post("edit-tag", i=ids[0], a=READ)  # again
    app.post("edit-tag", i=ids[1], a=STARRED)
    app.post("edit-tag", i=ids[0], r=READ, a=[UNREAD, "user/-/state/com.google/tracking-kept-unread"])
    app.post("edit-tag", i=ids[2:6], a=READ)
    app.post("edit-tag", i=ids[5:], a=STARRED)
    log = Engagement.objects.order_by("pk").values_list("article", "kind", "source")
    assert list(log) == [(ids[0], "opened", "api"), (ids[1], "starred", "api"), (ids[0], "unread", "api")]
    app.post("mark-all-as-read", s=READING_LIST)
    assert log.count() == 3
    assert all(is_read for is_read, _ in state(app).values())
    assert BulkRead.objects.get().n_articles == 5
    app.post("edit-tag", i=ids[1], r=STARRED)
    assert app.ids(STARRED) == sorted(ids[5:], reverse=True)


def test_unread_is_counted_as_in_the_sidebar(app: App) -> None:
    subscription = make.subscription(app.user, folder=make.folder(app.user))
    deliver(app, 3, subscription=subscription)
    deliver(app, 1)
    counts = {row["id"]: row["count"] for row in app.get("unread-count").json()["unreadcounts"]}
    assert (counts[f"feed/{subscription.pk}"], counts["user/-/label/News"], counts[READING_LIST]) == (3, 3, 4)


def test_mark_all_as_read_up_to_a_time(app: App) -> None:
    folder = make.folder(app.user)
    subscription = make.subscription(app.user, folder=folder)
    Subscription.objects.update(added_at=make.NOW - timedelta(days=9))
    subscription.refresh_from_db()
    [early] = deliver(app, 1, subscription=subscription, first_seen_at=make.NOW - timedelta(hours=2))
    [late] = deliver(app, 1, subscription=subscription, published_at=make.NOW - timedelta(days=3))
    at = int((make.NOW - timedelta(hours=1)).timestamp() * 10**6)
    app.post("mark-all-as-read", s="user/-/label/News", ts=at)
    assert (app.ids(READ), app.ids(UNREAD)) == ([early], [late])
    app.post("mark-all-as-read", s=f"feed/{subscription.pk}")
    assert app.ids(UNREAD) == []


def test_mark_all_as_read_keeps_the_fraction(app: App) -> None:
    later, early = deliver(app, 2)
    [late, earlier] = Delivery.objects.order_by("-arrival").values_list("arrival", flat=True)
    assert late - earlier < 1000  # microseconds
    app.post("mark-all-as-read", s=READING_LIST, ts=earlier)
    assert (app.ids(READ), app.ids(UNREAD)) == ([early], [later])
    for nonsense in ("yesterday", "-1", "1.5", "9" * 30):
        assert app.post("mark-all-as-read", s=READING_LIST, ts=nonsense).status_code == 400
    assert app.ids(UNREAD) == [later]
    app.post("mark-all-as-read", s=READING_LIST, ts=late // 10**6)  # in seconds: that whole second
    assert app.ids(UNREAD) == []


def test_following_again_takes_title_and_folder(app: App) -> None:
    subscription = make.subscription(app.user, folder=make.folder(app.user, "Old"), title="Before")
    [pk] = deliver(app, 1, subscription=subscription)
    name = f"feed/{subscription.feed.url}"
    for form, expected in (
        ({}, ("Before", "Old")),
        ({"t": "After"}, ("After", "Old")),
        ({"a": "user/-/label/New"}, ("After", "New")),
    ):
        app.post("subscription/edit", ac="unsubscribe", s=name)
        assert app.post("subscription/edit", ac="subscribe", s=name, **form).content == b"OK"
        [row] = app.get("subscription/list").json()["subscriptions"]
        assert (row["title"], row["categories"][0]["label"]) == expected
    assert app.ids("user/-/label/New") == [pk]


def test_label_without_a_feed_is_a_new_folder(app: App) -> None:
    app.post("subscription/edit", ac="edit", a="user/-/label/One")
    app.post("subscription/edit", ac="edit", s="", a="user/-/label/Two")
    assert list(Folder.objects.order_by("name").values_list("name", flat=True)) == ["One", "Two"]


def test_lists_have_no_made_up_order(app: App) -> None:
    make.subscription(app.user, folder=make.folder(app.user))
    [row] = app.get("subscription/list").json()["subscriptions"]
    assert set(row) == {"id", "title", "categories", "url", "htmlUrl", "iconUrl"}
    assert {key for tag in app.get("tag/list").json()["tags"] for key in tag} == {"id", "type"}


def test_every_subscription_has_an_address(app: App) -> None:
    """Readrops ends its sync at an empty one, and Liferea leaves it out."""
    saved = saved_pages_of(app.user, now=make.NOW)
    [row] = app.get("subscription/list").json()["subscriptions"]
    assert row["url"].endswith(f"/feeds/{saved.pk}/")


def test_form_is_signed_in_by_its_token_alone(app: App) -> None:
    """As older versions of Liferea send it."""
    [pk] = deliver(app, 1)
    other = App(make.user("eve"))
    token = app.get("token").content.decode()
    assert len(token) == 57
    assert len({token, other.get("token").content.decode()}) == 2

    def sent(call: str, **form: object) -> int:
        return app.client.post(f"{API}{call}", form).status_code

    for signed in (token, app.token):
        assert sent("stream/items/contents", i=pk, T=signed) == 200
        assert sent("edit-tag", i=pk, a=READ, T=signed) == 200
        app.post("edit-tag", i=pk, r=READ)
    eves = other.client.post(f"{API}stream/items/contents", {"i": pk, "T": other.token}).json()
    assert eves["items"] == []
    forged = [f"{token[:-1]}{'0' if token[-1] != '0' else '1'}", token.replace(".", ".9", 1), "1.2.3", "1..", "."]
    app.client.force_login(app.user)  # cookies are ignored
    for wrong in (*forged, "", "x", str(app.user.pk).zfill(57)):
        assert sent("edit-tag", i=pk, a=READ, T=wrong) == 401
    assert app.client.post(f"{API}edit-tag?T={token}", {"i": pk, "a": READ}).status_code == 401  # logs keep it
    assert app.client.get(f"{API}user-info?T={token}").status_code == 401
    assert app.ids(UNREAD) == [pk]


def test_write_token_expires_and_ends_with_the_password(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    password = AppPassword.objects.get()
    token = app_passwords.write_token_of(password, now=make.NOW)
    for minutes, works in ((-1, False), (0, True), (30, True), (31, False)):
        found = app_passwords.by_write_token(token, now=make.NOW + timedelta(minutes=minutes))
        assert (found == password) is works
    password.delete()
    assert app_passwords.by_write_token(token, now=make.NOW) is None


def test_guessed_tokens_are_counted(app: App) -> None:
    answers = [app.client.post(f"{API}edit-tag", {"T": f"1.{n}.abc"}).status_code for n in range(30)]
    assert (answers[0], answers[-1]) == (401, 429)


def test_subscriptions_are_followed_renamed_moved_and_left(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[object, ...]] = []
    monkeypatch.setattr("rssmanager.api.editing.call_worker", lambda *given: calls.append(given))
    monkeypatch.setattr("rssmanager.api.quick_add.call_worker", lambda *given: False)
    url = "https://new.example/feed.xml"
    found = app.client.post(f"{API}subscription/quickadd?quickadd={url}", {"quickadd": url}, headers=app.headers)
    name = found.json()["streamId"]
    assert found.json()["numResults"] == 1
    app.post("subscription/edit", ac="edit", s=name, t="Mine", a="user/-/label/Fresh")
    other = f"feed/{url}2"
    app.post("subscription/edit?output=json", ac="subscribe", s=other, t="Other", a="user/-/label/Fresh")
    [one, two] = app.get("subscription/list").json()["subscriptions"]
    assert (one["id"], one["title"], one["url"], one["categories"][0]["label"]) == (name, "Mine", url, "Fresh")
    assert two["title"] == "Other"
    app.post("rename-tag", s="user/-/label/Fresh", dest="user/-/label/Old")
    app.post("edit-tag", a="user/-/label/Empty")
    assert {tag["id"] for tag in app.get("tag/list").json()["tags"]} >= {"user/-/label/Old", "user/-/label/Empty"}
    app.post("subscription/edit", ac="edit", s=name, r="user/-/label/Old")
    assert Subscription.objects.get(pk=name[5:]).folder is None
    app.post("disable-tag", s="user/-/label/Old")
    assert list(Folder.objects.values_list("name", flat=True)) == ["Empty"]
    app.post("subscription/edit", ac="unsubscribe", s=name)
    assert [row["id"] for row in app.get("subscription/list").json()["subscriptions"]] == [two["id"]]
    assert f'xmlUrl="{url}2"' in app.get("subscription/export").content.decode()
    app.client.post(f"{API}subscription/import", b"<opml/>", content_type="text/xml", headers=app.headers)
    assert (bytes(Import.objects.get().data), len(calls)) == (b"<opml/>", 1)
    refused = app.post("subscription/quickadd", quickadd="javascript:x").json()
    assert (refused["numResults"], refused["query"]) == (0, "javascript:x")
    assert "followed" in refused["error"]


def test_labels_tag_articles(app: App) -> None:
    [pk] = deliver(app, 1)
    app.post("edit-tag", i=pk, a="user/-/label/Später")
    assert app.ids("user/-/label/Später") == [pk]
    app.post("rename-tag", s="user/-/label/Später", dest="user/-/label/Bald")
    app.post("edit-tag", i=pk, r="user/-/label/Bald")
    assert (TaggedArticle.objects.count(), Tag.objects.get().name) == (0, "Bald")
    app.post("disable-tag", t="Bald")
    assert not Tag.objects.exists()


def test_read_only_password_changes_nothing(app: App) -> None:
    reading = App(app.user, scopes=())
    [pk] = deliver(app, 1)
    writes = [("edit-tag", {"i": pk, "a": READ}), ("mark-all-as-read", {})]
    writes += [("subscription/quickadd", {"quickadd": "x"})]
    assert [reading.post(call, **form).status_code for call, form in writes] == [403] * 3
    assert (reading.ids(UNREAD), Feed.objects.count()) == ([pk], 1)


@table("path", ["", "/api/greader", "/api/greader.php/", "/api/greader.php/api/greader.php"])
def test_every_address_apps_try(app: App, path: str) -> None:
    answer = app.client.get(f"{path.rstrip('/')}/reader/api/0/user-info/", headers=app.headers)
    assert answer.json()["userName"] == "ada"
    assert app.client.get("/api/greader.php").content == b"OK"
    assert app.client.get("/api/greader.php/reader/api/0/token").status_code == 401
    assert app.get("unknown/call").status_code == 404
    assert app.get("edit-tag", i=1, a=READ).status_code == 405


def rows() -> list[list[tuple[Any, ...]]]:
    return [list(model.objects.order_by("pk").values_list()) for model in (ArticleState, Delivery, Subscription, Tag)]


def test_nothing_of_another_user(app: App) -> None:
    ada = app.user
    folder = make.folder(ada, "Hers")
    subscription = make.subscription(ada, folder=folder, title="Hers")
    [pk] = deliver(app, 1, subscription=subscription, title="zqsecret")
    make.tag(ada, "Kept", Delivery.objects.get().article)
    before = rows()
    eve = App(make.user("eve"))
    names = [f"feed/{subscription.pk}", f"feed/{subscription.feed.url}", "user/-/label/Hers", "user/-/label/Kept"]
    names += [f"user/{ada.pk}/label/Hers"]
    for name in names:
        assert eve.get("stream/items/ids", s=name).status_code == 404
        assert eve.get(f"stream/contents/{name}").status_code == 404
        assert eve.post("mark-all-as-read", s=name).status_code == 404
        assert eve.post("rename-tag", s=name, dest="user/-/label/x").status_code == 404
        assert eve.post("disable-tag", s=name).status_code == 404
    for action in ("edit", "unsubscribe"):
        assert eve.post("subscription/edit", ac=action, s=names[0], t="x").status_code == 404
    for form in ({"a": READ}, {"a": STARRED}, {"a": "user/-/label/Mine"}, {"r": "user/-/label/Kept"}):
        eve.post("edit-tag", i=pk, **form)
    eve.post("mark-all-as-read", s=f"user/{ada.pk}/state/com.google/reading-list")
    calls = ["subscription/list", "tag/list", "unread-count", "subscription/export", "user-info", "stream/contents"]
    answers = [eve.get(call).content.decode() for call in calls]
    answers += [eve.post("stream/items/contents", i=[pk]).content.decode()]
    assert not [text for text in answers if any(secret in text for secret in ("zqsecret", "Hers", "Kept", "ada"))]
    assert rows() == before


HOSTILE = [
    "",
    "-1",
    "0",
    "9" * 30,
    "x",
    "\x00",
    "u.1.1",
    "r..",
    "²",
    "1e9",
    "%",
    "'",
    "u.99999999999999999.1",
    "🙂" * 99,
]


@table("name", ["c", "n", "ot", "nt", "xt", "it", "r", "s", "i", "ts", "output"])
def test_odd_values_are_no_errors(app: App, name: str) -> None:
    deliver(app, 1)
    for value in HOSTILE:
        answers = [
            app.get("stream/items/ids", **{"s": READING_LIST, name: value}),
            app.get("stream/contents/" + READING_LIST, **{name: value}),
            app.post("stream/items/contents", **{name: value}),
            app.post("edit-tag", **{"i": "1", "a": "user/-/label/x", name: value}),
            app.post("mark-all-as-read", **{"s": "feed/1", name: value}),
        ]
        assert {answer.status_code for answer in answers} <= {200, 400, 404}


def n_queries(app: App, call: str, **query: Any) -> int:
    with CaptureQueriesContext(connection) as queries:
        assert app.get(call, **query).status_code == 200
    return len(queries)


def test_queries_do_not_grow(app: App) -> None:
    calls: list[tuple[str, dict[str, Any]]] = [
        ("stream/items/ids", {"s": READING_LIST, "xt": READ, "n": 1000}),
        ("stream/contents/" + READING_LIST, {"n": 50}),
        ("subscription/list", {}),
        ("tag/list", {}),
        ("unread-count", {}),
    ]
    counts = []
    for n in (2, 20):
        for _ in range(n):
            folder = make.folder(app.user, f"Folder {make.fresh_number()}")
            deliver(app, 1, subscription=make.subscription(app.user, folder=folder))
        app.get("stream/contents/" + READING_LIST, n=100)  # sanitizes them
        counts.append([n_queries(app, call, **query) for call, query in calls])
    assert counts[0] == counts[1]
    assert max(counts[0]) <= 10


def test_first_reading_needs_no_query_for_each_article(app: App) -> None:
    deliver(app, 30)
    first, again = (n_queries(app, "stream/contents/" + READING_LIST, n=30) for _ in range(2))
    assert first <= again + 6


@table("call", ["stream/items/ids", "stream/contents/", "subscription/list", "tag/list", "unread-count"])
def test_unchanged_answers_are_not_sent_again(app: App, call: str) -> None:
    """Compressed ones, too, whose bytes differ each time."""
    subscription = make.subscription(app.user, folder=make.folder(app.user))
    deliver(app, 30, subscription=subscription)
    for encoding in ("identity", "gzip"):
        headers = {**app.headers, "Accept-Encoding": encoding}
        first = app.client.get(f"{API}{call}?s={READING_LIST}&n=99", headers=headers)
        again = app.client.get(
            f"{API}{call}?s={READING_LIST}&n=99", headers={**headers, "If-None-Match": first["ETag"]}
        )
        assert (first.status_code, again.status_code, again.content) == (200, 304, b"")
        assert "no-cache" in first["Cache-Control"]
    deliver(app, 1, subscription=subscription)
    make.folder(app.user, "Another")
    Subscription.objects.filter(pk=subscription.pk).update(title="Renamed")
    headers = {**app.headers, "If-None-Match": first["ETag"]}
    assert app.client.get(f"{API}{call}?s={READING_LIST}&n=99", headers=headers).status_code == 200


def test_long_answers_are_compressed(app: App) -> None:
    ids = deliver(app, 60)
    headers = {**app.headers, "Accept-Encoding": "gzip"}
    answer, again = (app.client.get(f"{API}stream/items/ids?s={READING_LIST}&n=99", headers=headers) for _ in range(2))
    assert answer["Content-Encoding"] == "gzip"
    refs = json.loads(gzip.decompress(answer.content))["itemRefs"]
    assert [streams.article_id_of(ref["id"]) for ref in refs] == ids
    assert len({answer.content, again.content}) == 2  # padded at random, so that lengths give nothing away
