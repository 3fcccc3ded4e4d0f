"""How lists are shown: orders, unread only, density and thumbnails, remembered for each list."""

import random
from datetime import datetime, timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from feeds.models import Article
from reader.articles.read_state import star
from reader.lists import queries
from reader.models import Delivery, Preferences, Subscription
from reader.scoring.ranked_order import slot_of
from tests import make
from tests.reader.test_ranked_plans import plan_of

pytestmark = pytest.mark.django_db

MENU = {"density": "cards", "has_pictures": "on", "order": "oldest"}


@pytest.fixture
def reader(client: Client) -> User:
    user = make.user()
    client.force_login(user)
    return user


@pytest.fixture
def paper(reader: User) -> Subscription:
    """Sixty articles at shared dates, every fourth read, some rated; some also from another feed, and some that have no
    certain date and come after the others."""
    chance = random.Random(5)
    folder = make.folder(reader, "Mornings")
    paper, twice = (make.subscription(reader, folder=folder) for _ in range(2))
    for number in range(60):
        at = make.NOW - timedelta(hours=chance.randrange(12) if number < 52 else 99)
        date = {"published_at": at} if number < 52 else {"published_at": make.NOW, "date_uncertain": True}
        article = make.article(title=f"Title {number:02}", **date)
        for subscription in (paper, twice)[: 1 + (number % 5 == 0)]:
            delivery = make.delivery(subscription, article, is_read=number % 4 == 0)
            Delivery.objects.filter(pk=delivery.pk).update(published_at=at)
            if number % 7:
                static = float(number % 11)
                Delivery.objects.filter(pk=delivery.pk).update(static_importance=static, slot=slot_of(at))
    return paper


def walk(client: Client, path: str) -> list[int]:
    """The articles of all pages, in order."""
    ids: list[int] = []
    after = ""
    while True:
        page = client.get(path, {"after": after}).context["page"]
        ids += [row.article.pk for row in page.rows]
        after = page.next_cursor
        if not after:
            return ids


def choose(client: Client, name: str, **values: str) -> None:
    assert client.post("/views/", {"list": name, **values}).status_code == 302


def lists(paper: Subscription) -> dict[str, str]:
    return {
        "home": "/all/",
        f"folder.{paper.folder_id}": reverse("folder", args=[paper.folder_id]),
        f"feed.{paper.pk}": reverse("feed", args=[paper.pk]),
    }


@pytest.mark.parametrize("only_unread", [{}, {"only_unread": "on"}], ids=["all", "unread"])
@pytest.mark.parametrize("order", ["unread", "newest", "oldest"])
def test_orders_by_date_have_each_article_once(
    client: Client, paper: Subscription, order: str, only_unread: dict[str, str]
) -> None:
    for name, path in lists(paper).items():
        choose(client, name, density="compact", order=order, **only_unread)
        rows = {row.article_id: row for row in Delivery.objects.all()}
        ids = walk(client, path)
        assert sorted(ids) == sorted(pk for pk, row in rows.items() if not (only_unread and row.is_read))
        keys = [(rows[pk].published_at, pk) for pk in ids]
        if order == "unread":
            unread = [key for key in keys if not rows[key[1]].is_read]
            read = [key for key in keys if rows[key[1]].is_read]
            assert keys == sorted(unread, reverse=True) + sorted(read, reverse=True)
        else:
            assert keys == in_order(keys, order)


def in_order(keys: list[tuple[datetime, int]], order: str) -> list[tuple[datetime, int]]:
    return sorted(keys, reverse=order == "newest")


def test_orders_of_starred_and_tagged_articles(client: Client, reader: User, paper: Subscription) -> None:
    articles, starred_at = list(Article.objects.order_by("pk")), {}
    for number, article in enumerate(articles):
        starred_at[article.pk] = make.NOW + timedelta(minutes=number * 7 % 60)
        star(reader, article.pk, is_starred=True, now=starred_at[article.pk])
    tag = make.tag(reader, "Chess", *articles)
    by_star = walk(client, "/starred/")
    assert by_star == sorted(by_star, key=lambda pk: starred_at[pk], reverse=True)
    keys = [(article.published_at, article.pk) for article in articles]
    for name, path in {"starred": "/starred/", f"tag.{tag.pk}": reverse("tag", args=[tag.pk])}.items():
        for order in ("newest", "oldest"):
            choose(client, name, density="compact", has_pictures="on", order=order)
            expected = [pk for _, pk in in_order(keys, order)]
            assert walk(client, path) == expected
            for place in (1, 51, 52, 58):  # among them the last one with a date, and the first one without
                page = client.get(reverse("article", args=[expected[place]]), {"next": path})
                around = page.context["neighbours"]
                assert [around.previous.pk, around.next.pk] == [expected[place - 1], expected[place + 1]]
    choose(client, "starred", density="compact", has_pictures="on", order="unread")  # isn't offered
    assert walk(client, "/starred/") == by_star


def test_a_ranked_list_names_its_only_order(client: Client, reader: User) -> None:
    menu = client.get("/for-you/").content.decode().partition("data-view>")[2].partition("</form>")[0]
    assert "Most relevant first" in menu
    assert 'name="order"' not in menu
    assert "only_unread" not in client.get("/starred/").content.decode()


@pytest.mark.parametrize("ranked", [1000, 20], ids=["all sorted", "older ones follow"])
def test_most_important_first_has_each_unread_article_once(
    client: Client, paper: Subscription, monkeypatch: pytest.MonkeyPatch, ranked: int
) -> None:
    monkeypatch.setattr(queries, "RANKED", ranked)
    unread = set(Delivery.objects.filter(is_read=False).values_list("article", flat=True))
    for name, path in list(lists(paper).items())[1:]:
        choose(client, name, density="compact", order="important")
        ids = walk(client, path)
        assert (len(ids), set(ids)) == (len(unread), unread)
        if ranked == 1000:
            shown = client.get(path).context["page"].rows
            points = [row.rating.importance for row in shown if row.rating]
            assert points == sorted(points, reverse=True)


def test_all_by_importance_is_the_ranked_list(client: Client, paper: Subscription) -> None:
    choose(client, "home", density="compact", order="important")
    assert walk(client, "/all/") == walk(client, "/important/")


def test_a_list_keeps_its_view_and_others_follow_the_settings(client: Client, paper: Subscription) -> None:
    choose(client, f"feed.{paper.pk}", **MENU)
    page = client.get(reverse("feed", args=[paper.pk])).content.decode()
    assert 'data-density="cards"' in page
    assert 'name="order" value="oldest" checked' in page
    assert 'data-density="compact"' in client.get("/all/").content.decode()
    Preferences.objects.update(density="headlines")
    assert 'data-density="headlines"' in client.get("/all/").content.decode()
    assert 'data-density="cards"' in client.get(reverse("feed", args=[paper.pk])).content.decode()
    choose(client, f"feed.{paper.pk}", density="headlines", has_pictures="on", order="unread")
    assert Preferences.objects.get().list_views == {}


def test_lists_without_orders_keep_density_and_thumbnails(client: Client, reader: User) -> None:
    tag = make.tag(reader, "Chess")
    for name in ("for_you", "important", "starred", f"tag.{tag.pk}"):
        choose(client, name, density="headlines")
    views = Preferences.objects.get().list_views
    assert views == {name: {"density": "headlines", "has_pictures": False} for name in views}
    assert len(views) == 4
    assert 'data-density="headlines"' in client.get("/starred/").content.decode()


def test_nothing_else_is_stored(client: Client, reader: User, paper: Subscription) -> None:
    stranger = make.subscription(make.user())
    for name in ("", "today", "feed", "feed.x", f"feed.{stranger.pk}", "feed.999999", "home.1", "x" * 500):
        assert client.post("/views/", {"list": name, **MENU}).status_code == 404
    choose(client, "home", density="<b>", order="'; --", has_pictures="on")
    assert all(not preferences.list_views for preferences in Preferences.objects.all())


def test_above_and_below_follow_the_order(client: Client, paper: Subscription) -> None:
    path = reverse("feed", args=[paper.pk])
    choose(client, f"feed.{paper.pk}", density="compact", order="oldest", only_unread="on")
    ids = walk(client, path)
    page = client.get(path).content.decode()
    above = page.partition("Mark all above as read")[0].rpartition('formaction="')[2].partition('"')[0]
    up_to = max(Delivery.objects.values_list("pk", flat=True))
    assert f"?which=above&amp;at={ids[0]}&amp;up_to={up_to}&amp;order=oldest&amp;" in above
    here = f"{path}read/?up_to={up_to}&order=oldest"
    client.post(f"{here}&which=above&at={ids[3]}")
    assert walk(client, path) == ids[3:]
    client.post(f"{here}&which=below&at={ids[-2]}")
    assert walk(client, path) == ids[3:-1]
    client.post(f"{here}&which=below&at={ids[5]}")
    assert walk(client, path) == ids[3:6]
    choose(client, f"feed.{paper.pk}", density="compact", order="important")
    assert "Mark all above as read" not in client.get(path).content.decode()
    assert "data-mark-all" in client.get(path).content.decode()


@pytest.mark.parametrize("order", ["newest", "oldest", "important"])
def test_next_follows_the_order(client: Client, paper: Subscription, order: str) -> None:
    for name, path in lists(paper).items():
        Delivery.objects.update(is_read=False)
        choose(client, name, density="compact", order=order, only_unread="on")
        ids = walk(client, path)
        for place in (0, 7, len(ids) - 2):
            neighbours = client.get(reverse("article", args=[ids[place]]), {"next": path}).context["neighbours"]
            assert neighbours.next.pk == ids[place + 1]
            if name != "home" or order != "important":
                assert (neighbours.previous and neighbours.previous.pk) == (ids[place - 1] if place else None)
            Delivery.objects.update(is_read=False)


def test_views_cost_no_query(
    client: Client, paper: Subscription, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    choose(client, "starred", density="headlines")  # so that there are preferences in both cases
    with django_assert_num_queries(16):
        client.get("/all/")
    choose(client, "home", density="headlines", order="oldest")
    with django_assert_num_queries(17):  # read and unread articles
        client.get("/all/")


@pytest.mark.parametrize("ranked", [1000, 20])
def test_orders_are_ranges_of_indexes(paper: Subscription, monkeypatch: pytest.MonkeyPatch, ranked: int) -> None:
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL plans by statistics, which a few rows do not give")
    monkeypatch.setattr(queries, "RANKED", ranked)
    user, folder, now = paper.user, paper.folder, make.NOW
    assert folder is not None
    for deliveries in (queries.all_of(user), queries.of_folder(user, folder), queries.of_subscription(paper)):
        oldest = queries.by_date_page(user, deliveries, None, now=now, oldest_first=True).next_cursor
        ranked_first = queries.by_importance_page(user, deliveries, "", now=now).next_cursor
        with CaptureQueriesContext(connection) as captured:
            queries.by_date_page(user, deliveries, queries.Cursor.decode(oldest), now=now, oldest_first=True)
            queries.by_importance_page(user, deliveries, ranked_first, now=now)
        asked = [query["sql"] for query in captured if "ORDER BY 2 " in query["sql"]]  # published_at
        assert len(asked) >= 3
        for sql in asked:
            lines = plan_of(sql)
            assert any("INDEX delivery_of_" in line and "SEARCH" in line for line in lines)
            assert not [line for line in lines if "TEMP B-TREE" in line]
