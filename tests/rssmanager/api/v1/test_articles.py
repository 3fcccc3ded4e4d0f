"""Lists and articles: pages while new ones come, states and what they teach, highlights, and the number of queries."""

from datetime import timedelta
from itertools import combinations
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from feeds.models import Article
from feeds.normalizing.canonical_url import url_key
from feeds.search.indexer import index_waiting, queue_articles
from reader.models import ArticleState, Delivery, Engagement, Folder, Highlight, Rule, SavedSearch, Tag
from reader.stories.collapse import fold_now, queue_fold
from rssmanager.api import marking
from tests import make
from tests.rssmanager.api.v1.conftest import Script, deliver
from tests.tables import table

pytestmark = pytest.mark.django_db


def test_every_list_has_its_articles(script: Script) -> None:
    user = script.user
    folder, other = make.folder(user), make.subscription(user)
    inside = make.subscription(user, folder=folder)
    first, second = deliver(user, 2, subscription=inside)
    [third] = deliver(user, subscription=other)
    tag = make.tag(user, "Kept", second)
    script.patch(f"articles/{third.pk}", {"is_starred": True, "is_read": True})
    muted = make.muted(make.rule(user), other, make.article(feed=other.feed))
    assert set(script.ids()) == {first.pk, second.pk, third.pk}
    assert set(script.ids(unread=True)) == {first.pk, second.pk}
    assert set(script.ids(folder=folder.pk)) == set(script.ids(feed=inside.pk)) == {first.pk, second.pk}
    assert script.ids(tag=tag.pk) == [second.pk]
    assert script.ids(list="starred") == [third.pk]
    assert script.ids(list="muted") == [muted.pk]
    assert script.ids(order="unread")[-1] == third.pk
    assert script.ids(order="oldest") == script.ids()[::-1]
    for order in ("important", "unread"):
        assert set(script.ids(feed=inside.pk, order=order)) == {first.pk, second.pk}


def test_search_finds_by_query_and_saved_search(script: Script) -> None:
    [comet] = deliver(script.user, title="A comet")
    [moon] = deliver(script.user, title="The moon")
    queue_articles([comet.pk, moon.pk])
    index_waiting(until=None)
    saved = SavedSearch.objects.create(user=script.user, name="Sky", query="moon OR comet")
    assert script.ids(q="comet") == [comet.pk]
    assert set(script.ids(search=saved.pk)) == set(script.ids(search=saved.pk, order="best")) == {comet.pk, moon.pk}
    script.patch(f"articles/{moon.pk}", {"is_read": True})
    assert script.ids(search=saved.pk, unread=True) == [comet.pk]


def test_filters_combine(script: Script) -> None:
    """Each pair of filters finds what both find."""
    user = script.user
    folder = make.folder(user)
    inside, outside = make.subscription(user, folder=folder), make.subscription(user)
    days = [make.NOW - timedelta(days=n) for n in range(3)]
    articles = [
        deliver(user, subscription=feed, title=title, published_at=at)[0]
        for feed in (inside, outside)
        for title in ("A comet", "The moon")
        for at in days
    ]
    queue_articles([article.pk for article in articles])
    index_waiting(until=None)
    tag = make.tag(user, "Kept", *articles[::2])
    story = make.story(articles[5], articles[9])  # which nothing below marks, so one is folded
    fold_now(queue_fold(Article.objects.filter(pk=articles[5].pk)))
    saved = SavedSearch.objects.create(user=user, name="Sky", query="comet")
    script.post("articles/state", {"ids": [article.pk for article in articles[1::3]], "is_read": True}, status=204)
    script.post("articles/state", {"ids": [article.pk for article in articles[::4]], "is_starred": True}, status=204)
    filters: list[dict[str, Any]] = [
        *({"feed": inside.pk}, {"folder": folder.pk}, {"tag": tag.pk}, {"story": story.pk}, {"search": saved.pk}),
        *({"q": "moon"}, {"ids": [article.pk for article in articles[:8]]}, {"unread": True}, {"unread": False}),
        *({"starred": True}, {"starred": False}, {"since": days[1].isoformat()}, {"before": days[1].isoformat()}),
    ]
    found = {str(one): set(script.ids(**one)) for one in filters}
    assert all(found.values())
    assert found[str({"unread": True})] | found[str({"unread": False})] == set(script.ids())
    everything = {article.pk for article in articles}
    assert found[str({"starred": True})] | found[str({"starred": False})] == everything
    [hidden] = everything - set(script.ids())  # folded in the list of everything
    for one, other in combinations(filters, 2):
        if one.keys() != other.keys():
            both = found[str(one)] & found[str(other)]
            assert set(script.ids(limit=2, **one, **other)) - {hidden} == both - {hidden}, (one, other)
    assert script.ids(feed=inside.pk, starred=True, unread=True, q="comet", since=days[2].isoformat()) == [
        articles[0].pk
    ]
    assert (
        script.ids(folder=folder.pk, since=days[1].isoformat(), order="oldest")
        == [article.pk for article in sorted(articles[:6], key=lambda one: (one.published_at, one.pk))][2:]
    )


def test_saved_pages_are_a_list(script: Script) -> None:
    [kept] = deliver(script.user, url="https://paper.example/a", url_key=url_key("https://paper.example/a"))
    assert script.ids(list="saved") == []
    page = script.post("saved", {"url": "https://pages.example/b", "title": "A page"}, status=201)
    assert (page["title"], page["is_saved"], page["url"]) == ("A page", True, "https://pages.example/b")
    assert script.post("saved", {"url": "pages.example/b"})["id"] == page["id"]
    assert script.post("saved", {"url": "paper.example/a"}, status=201)["id"] == kept.pk
    assert set(script.ids(list="saved")) == {page["id"], kept.pk}
    script.patch(f"articles/{page['id']}", {"is_read": True, "is_starred": True})
    assert script.ids(list="saved", unread=True) == [kept.pk]
    assert script.ids(list="saved", starred=True) == [page["id"]]
    script.delete(f"saved/{page['id']}")
    script.delete(f"saved/{page['id']}", status=404)
    assert script.ids(list="saved") == [kept.pk]
    again = script.post("saved", {"url": "https://pages.example/b"}, status=201)
    assert (again["id"], again["is_read"], again["is_starred"]) == (page["id"], True, True)
    [feed] = [row for row in script.get("feeds")["items"] if row["url"] == ""]
    assert script.delete(f"feeds/{feed['id']}", status=409)["detail"].startswith("Saved pages can't be unfollowed.")
    assert set(script.ids(list="saved")) == {page["id"], kept.pk}
    problem = script.post("saved", {"url": "ftp://pages.example"}, status=422)
    assert problem["detail"].startswith("This page can't be saved: ")


@table("query", [{}, {"order": "oldest"}, {"order": "unread"}, {"unread": True}, {"order": "important"}])
def test_pages_stay_while_new_articles_come(script: Script, query: dict[str, Any]) -> None:
    subscription = make.subscription(script.user)
    query = query | {"feed": subscription.pk}
    known = [article.pk for article in deliver(script.user, 9, subscription=subscription)]
    found: list[int] = []
    cursor = ""
    while True:
        page = script.get("articles", limit=2, cursor=cursor, **query)
        found += [row["id"] for row in page["items"]]
        deliver(script.user, 2, subscription=subscription, published_at=make.NOW + timedelta(hours=len(found)))
        if not (cursor := page["next"]) or len(found) > 40:
            break
        if set(known) <= set(found):
            break
    assert len(found) == len(set(found))
    assert set(known) <= set(found)


def test_a_story_is_one_article(script: Script) -> None:
    articles = [*deliver(script.user), *deliver(script.user)]
    make.story(*articles)
    fold_now(queue_fold(type(articles[0]).objects.filter(pk__in=[each.pk for each in articles])))
    [row] = script.get("articles")["items"]
    assert row["story"]["n_more"] == 1
    [member] = script.get(f"articles/{row['id']}")["members"]
    assert {row["id"], member["id"]} == {each.pk for each in articles}
    assert script.post("articles/read", {}) == {"n_articles": 1, "undo_id": 1}
    assert not Delivery.objects.filter(is_read=False).exists()


def test_article_is_sanitized_and_explained(script: Script) -> None:
    subscription = make.subscription(script.user, title="Own <name>")
    [article] = deliver(
        script.user,
        subscription=subscription,
        title="<b>A</b> & B",
        markup="<p onclick=x>Text<script>x</script></p>",
        media=[{"url": "https://a.example/a.mp3", "mime_type": "audio/mpeg", "length": 7}, {"url": "javascript:x"}],
    )
    shown = script.get(f"articles/{article.pk}")
    assert (shown["title"], shown["source"], shown["html"]) == ("<b>A</b> & B", "Own <name>", "<p>Text</p>")
    assert shown["files"] == [{"url": "https://a.example/a.mp3", "type": "audio/mpeg", "length": 7}]
    assert (shown["feed_id"], shown["is_read"], shown["why"]) == (subscription.pk, False, None)
    assert script.get("articles")["items"][0]["html"] is None
    assert script.get("articles", html=True)["items"][0]["html"] == "<p>Text</p>"


def kinds() -> list[tuple[str, str]]:
    return list(Engagement.objects.order_by("pk").values_list("kind", "source"))


def test_one_article_teaches_as_in_the_interface(script: Script) -> None:
    [article] = deliver(script.user)
    path = f"articles/{article.pk}"
    shown = script.patch(path, {"is_read": True, "is_starred": True, "vote": "liked", "add_tags": ["Kept", "Two"]})
    assert (shown["is_read"], shown["is_starred"], shown["vote"], shown["tags"]) == (
        True,
        True,
        "liked",
        ["Kept", "Two"],
    )
    assert kinds() == [("starred", "api"), ("opened", "api"), ("liked", "api")]
    shown = script.patch(path, {"is_read": False, "is_starred": False, "vote": None, "remove_tags": ["kept"]})
    assert (shown["is_read"], shown["is_starred"], shown["vote"], shown["tags"]) == (False, False, None, ["Two"])
    assert script.patch(path, {}) == shown


def test_many_articles_teach_nothing(script: Script) -> None:
    articles = deliver(script.user, marking.FEW + 1)
    ids = [article.pk for article in articles]
    script.post("articles/state", {"ids": [*ids, 999], "is_read": True, "is_starred": True}, status=204)
    assert kinds() == []
    assert ArticleState.objects.filter(is_read=True, is_starred=True).count() == len(ids)


def test_list_is_marked_read_up_to_a_time_and_undone(script: Script) -> None:
    folder = make.folder(script.user)
    subscription = make.subscription(script.user, folder=folder)
    subscription.added_at = make.NOW - timedelta(days=9)
    subscription.save()
    deliver(script.user, subscription=subscription)
    [late] = deliver(script.user, subscription=subscription, first_seen_at=make.NOW + timedelta(hours=1))
    deliver(script.user)
    done = script.post("articles/read", {"folder": folder.pk, "until": make.NOW.isoformat()})
    assert done["n_articles"] == 1
    assert script.ids(folder=folder.pk, unread=True) == [late.pk]
    assert script.post(f"articles/read/{done['undo_id']}/undo")["n_articles"] == 1
    script.post(f"articles/read/{done['undo_id']}/undo", status=409)
    assert script.post("articles/read", {"feed": subscription.pk})["n_articles"] == 2
    assert len(script.ids(unread=True)) == 1
    script.post("articles/read", {"feed": subscription.pk, "folder": folder.pk}, status=422)
    script.post("articles/read", {"until": "2026-03-04T12:00:00"}, status=422)


def test_highlights(script: Script) -> None:
    [article] = deliver(script.user)
    made = script.post(f"articles/{article.pk}/highlights", {"quote": " Body ", "note": "Why"}, status=201)
    assert (made["quote"], made["note"], made["article_id"]) == ("Body", "Why", article.pk)
    assert script.patch(f"highlights/{made['id']}", {"note": "Because"})["note"] == "Because"
    script.post(f"articles/{article.pk}/highlights", {"quote": " "}, status=422)
    assert script.ids("highlights") == [made["id"]]
    assert script.get(f"articles/{article.pk}")["highlights"] == [made | {"note": "Because"}]
    script.delete(f"highlights/{made['id']}")
    assert not Highlight.objects.exists()


def test_today_is_the_front_page(script: Script) -> None:
    assert script.ids(list="today") == []
    problem = script.get("today", status=404)
    assert problem["detail"] == "There is no front page yet. Open Today once."


def test_queries_do_not_grow(script: Script) -> None:
    user = script.user
    paths = ("articles?html=1", "articles?order=unread", "feeds", "folders", "tags", "rules", "counts", "stories")
    counts = []
    for n in (3, 12):
        for _ in range(n):
            folder = make.folder(user, f"F{make.fresh_number()}")
            articles = deliver(user, 2, subscription=make.subscription(user, folder=folder))
            make.tag(user, f"t{make.fresh_number()}", articles[0])
            make.rule(user)
            make.story(articles[0], *deliver(user))
        script.get("articles", html=True)  # which sanitizes
        found = {}
        for path in paths:
            with CaptureQueriesContext(connection) as queries:
                assert script.client.get(f"/api/v1/{path}", headers=script.headers).status_code == 200
            found[path] = len(queries)
        counts.append(found)
    assert counts[0] == counts[1]
    assert (Folder.objects.count(), Tag.objects.count(), Rule.objects.count()) == (15, 15, 15)
    assert max(counts[0].values()) <= 20, counts[0]
