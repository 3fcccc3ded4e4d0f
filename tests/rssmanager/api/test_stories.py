"""What apps get of stories: each once or every copy, and who else reported it."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from feeds.models import Article
from reader.models import Delivery, Folder, Preferences, Quiet, Separation, Subscription
from reader.stories.collapse import fold_now, queue_fold
from rssmanager.api.streams import LABEL, READ, READING_LIST, STARRED
from tests import make
from tests.rssmanager.api.conftest import App

pytestmark = pytest.mark.django_db


def story(app: App, n: int = 3, *, folder: Folder | None = None) -> list[Article]:
    """Articles of a story from feeds named Paper 1 to n, the earliest first, which is shown."""
    articles = []
    for number in range(1, n + 1):
        feed = make.feed(publisher=None, title=f"Paper {number}")
        at = make.NOW + timedelta(minutes=number)
        article = make.article(feed=feed, source=feed.source, word_count=99 - number, published_at=at)
        make.delivery(make.subscription(app.user, feed, folder=folder), article)
        articles.append(article)
    make.story(*articles)
    fold_now(queue_fold(Article.objects.all()))
    Delivery.objects.update(was_listed=False)  # as if folded when they were delivered
    return articles


def html_of(app: App, article: Article) -> str:
    [item] = app.post("stream/items/contents", i=article.pk).json()["items"]
    return str(item["summary"]["content"])


def counts(app: App) -> dict[str, int]:
    return {row["id"]: row["count"] for row in app.get("unread-count").json()["unreadcounts"]}


def test_copies_are_sent_if_wanted(app: App) -> None:
    folder = make.folder(app.user, "Mine")
    ids = [article.pk for article in story(app, folder=folder)]
    label = f"{LABEL}Mine"
    assert app.ids(READING_LIST) == app.ids(label) == ids[:1]
    assert (app.fever("items")["total_items"], len(app.fever("items")["items"])) == (1, 1)
    assert (counts(app)[label], counts(app)[READING_LIST]) == (1, 1)
    Preferences.objects.create(user=app.user, apps_get_copies=True)
    for n in (1, 2, 20, 5000):
        assert app.ids(READING_LIST, n=n) == app.ids(label, n=n) == app.ids(READING_LIST, n=n, xt=READ) == ids[::-1]
    assert app.ids(READING_LIST, n=2, r="o") == ids
    assert (app.fever("items")["total_items"], len(app.fever("items")["items"])) == (3, 3)
    assert app.fever("unread_item_ids")["unread_item_ids"].count(",") == 2
    assert (counts(app)[label], counts(app)[READING_LIST]) == (3, 3)
    app.post("edit-tag", i=ids[1], a=READ)
    assert app.ids(READING_LIST, xt=READ) == [ids[2], ids[0]]
    assert app.ids(READ) == [ids[1]]


def test_quiet_articles_are_never_sent(app: App) -> None:
    ids = [article.pk for article in story(app)]
    Preferences.objects.create(user=app.user, apps_get_copies=True)
    Delivery.objects.filter(article=ids[1]).update(quiet=Quiet.OWN_LIST, is_folded=True)
    assert app.ids(READING_LIST) == [ids[2], ids[0]]


def test_other_sources_are_named_with_links(app: App) -> None:
    first, second, third = story(app)
    shown = html_of(app, first)
    assert shown.startswith("<p>Body of")
    assert "Also reported by" in shown
    links = [f'<a href="{article.url}">Paper {n}</a>' for article, n in ((second, 2), (third, 3))]
    assert ", ".join(links) in shown
    assert f'<a href="{first.url}">Paper 1</a>, ' in html_of(app, third)
    assert app.fever("items")["items"][0]["html"] == shown
    atom = app.client.get(f"/reader/atom/{READING_LIST}", headers=app.headers).content.decode()
    assert "Also reported by" in atom


def test_line_can_be_switched_off(app: App) -> None:
    first, *_ = story(app)
    Preferences.objects.create(user=app.user, apps_get_sources=False)
    assert html_of(app, first) == f"<p>{first.text}</p>"


def test_line_is_in_the_users_language(app: App) -> None:
    first, *_ = story(app)
    english = html_of(app, first)
    Preferences.objects.create(user=app.user, language="ja")
    assert "、<a" in html_of(app, first)  # between the names
    assert "、" not in english


def test_hostile_names_and_links_are_harmless(app: App) -> None:
    first, second, third = story(app)
    Subscription.objects.filter(feed=second.feed).update(title='<script>alert("1")</script>')
    Article.objects.filter(pk=third.pk).update(url="javascript:alert(1)", canonical_url="")
    shown = html_of(app, first)
    assert "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;</a>, Paper 3" in shown
    assert "<script" not in shown
    assert "javascript:" not in shown


def test_only_the_users_feeds_are_named(app: App) -> None:
    first, second, _ = story(app)
    eve = App(make.user("eve"))
    make.delivery(make.subscription(eve.user, first.feed), first)
    assert "Also reported" not in html_of(eve, first)
    make.delivery(make.subscription(eve.user, second.feed, title="Hers"), second)
    assert "Paper" not in html_of(eve, first).partition("Also reported")[2]
    assert "Hers" in html_of(eve, first)
    assert "Hers" not in html_of(app, first)


def test_split_off_and_own_articles_are_not_named(app: App) -> None:
    first, second, third = story(app)
    Separation.objects.create(user=app.user, article=second, made_at=make.NOW)
    assert "Paper 2" not in html_of(app, first)
    assert "Also reported" not in html_of(app, second)
    Subscription.objects.filter(feed=third.feed).update(title="Paper 1")  # the same source
    assert "Also reported" not in html_of(app, first)
    alone = make.article()
    make.delivery(make.subscription(app.user), alone)
    assert "Also reported" not in html_of(app, alone)


def test_starred_article_of_an_unfollowed_feed_has_none(app: App) -> None:
    first, *_ = story(app)
    app.post("edit-tag", i=first.pk, a=STARRED)
    Subscription.objects.filter(feed=first.feed).update(unfollowed_at=make.NOW)
    assert html_of(app, first).startswith("<p>Body of")


def test_names_cost_one_query(app: App) -> None:
    made = []
    for n in (2, 9):
        for _ in range(n):
            story(app, n)
        app.get(f"stream/contents/{READING_LIST}", n=100)  # sanitizes them
        for wants in (False, True):
            Preferences.objects.update_or_create(user=app.user, defaults={"apps_get_sources": wants})
            with CaptureQueriesContext(connection) as queries:
                answer = app.get(f"stream/contents/{READING_LIST}", n=100)
            assert ("Also reported" in answer.content.decode()) == wants
            made.append(len(queries))
    assert made[1] == made[0] + 1
    assert made[:2] == made[2:]
