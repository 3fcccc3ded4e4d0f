"""Pages of lists."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from reader.articles.read_state import star
from reader.lists.queries import PAGE_SIZE
from reader.models import Delivery, Folder, Subscription
from tests import make

pytestmark = pytest.mark.django_db

HTMX = {"HTTP_HX_REQUEST": "true"}


@pytest.fixture
def reader(client: Client) -> User:
    user = make.user()
    client.force_login(user)
    return user


def make_deliveries(subscription: Subscription, n: int, *, is_read: bool = False) -> list[Delivery]:
    return [
        make.delivery(subscription, make.article(title=f"Title {number:03}", reading_seconds=100), is_read=is_read)
        for number in range(n)
    ]


def titles(client: Client, path: str) -> list[str]:
    return [row.article.title for row in client.get(path).context["page"].rows]


def test_row_shows_source_times_and_other_feeds(client: Client, reader: User) -> None:
    first, second = make.subscription(reader, title="The Paper"), make.subscription(reader, title="Other")
    article = make.article(
        title="A bridge opens",
        feed=first.feed,
        published_at=timezone.now() - timedelta(hours=2),
        revised_at=timezone.now(),
        reading_seconds=200,
        language="de",
    )
    make.delivery(first, article)
    make.delivery(second, article)
    page = client.get("/all/").content.decode()
    assert page.count('class="row"') == 1
    assert f'<a href="/articles/{article.pk}/?next=%2Fall%2F" data-open>A bridge opens</a>' in page
    assert 'lang="de"' in page
    for words in ("The Paper", ">2 h ago</time>", "also in", "Other", "Updated"):
        assert words in page


def test_lists_unread_before_read(client: Client, reader: User) -> None:
    subscription = make.subscription(reader)
    make_deliveries(subscription, 2, is_read=True)
    make_deliveries(subscription, 1)
    page = client.get("/all/").content.decode()
    assert (page.count('class="row"'), page.count('class="row is-read"')) == (1, 2)
    assert page.index('class="row"') < page.index('class="row is-read"')


def test_pages_lead_to_the_end(client: Client, reader: User) -> None:
    make_deliveries(make.subscription(reader), PAGE_SIZE + 5)
    first = client.get("/all/")
    cursor = first.context["page"].next_cursor
    assert f'href="/all/?after={cursor}"' in first.content.decode()
    second = client.get("/all/", {"after": cursor})
    assert (len(second.context["page"].rows), second.context["page"].next_cursor) == (5, "")
    assert not {row.article.pk for row in first.context["page"].rows} & {
        row.article.pk for row in second.context["page"].rows
    }


def test_htmx_gets_only_the_next_rows(client: Client, reader: User) -> None:
    make_deliveries(make.subscription(reader), PAGE_SIZE + 5)
    cursor = client.get("/all/").context["page"].next_cursor
    for response in (client.get("/all/", {"after": cursor}), client.get("/all/", {"after": cursor}, **HTMX)):
        assert "HX-Request" in response["Vary"]
    rows = response.content.decode()
    assert rows.count('class="row"') == 5
    assert "<html" not in rows
    assert "<h2" not in rows  # the unread half continues
    assert f"next=%2Fall%2F%3Fafter%3D{cursor}" in rows


def test_rows_show_start_of_read_half(client: Client, reader: User) -> None:
    subscription = make.subscription(reader)
    make_deliveries(subscription, PAGE_SIZE)
    make_deliveries(subscription, PAGE_SIZE + 1, is_read=True)
    cursor = client.get("/all/").context["page"].next_cursor
    half = client.get("/all/", {"after": cursor}, **HTMX)
    assert half.content.decode().count("<h2") == 1
    rest = client.get("/all/", {"after": half.context["page"].next_cursor}, **HTMX)
    assert (rest.content.decode().count("<li"), rest.content.decode().count("<h2")) == (1, 0)


@pytest.mark.parametrize("path", ["/starred/", "/for-you/", "/important/"])
def test_other_lists_return_rows_too(client: Client, reader: User, path: str) -> None:
    [row] = make_deliveries(make.subscription(reader), 1)
    star(reader, row.article_id, is_starred=True, now=make.NOW)
    response = client.get(path, **HTMX)
    assert "<html" not in response.content.decode()
    assert "HX-Request" in response["Vary"]


@pytest.mark.parametrize("n", [1, 20])
def test_rows_do_not_query_the_sidebar(
    client: Client, reader: User, django_assert_num_queries: DjangoAssertNumQueries, n: int
) -> None:
    make_deliveries(make.subscription(reader), PAGE_SIZE + n)
    cursor = client.get("/all/").context["page"].next_cursor
    with django_assert_num_queries(11):
        client.get("/all/", {"after": cursor}, **HTMX)


def test_only_unread_omits_read_articles_on_all_pages(client: Client, reader: User) -> None:
    subscription = make.subscription(reader)
    make_deliveries(subscription, PAGE_SIZE + 1)
    make_deliveries(subscription, 3, is_read=True)
    for path in ("/all/", reverse("feed", args=[subscription.pk])):
        first = client.get(path, {"show": "unread"})
        page = first.content.decode()
        assert (page.count('class="row"'), page.count('class="row is-read"')) == (PAGE_SIZE, 0)
        cursor = first.context["page"].next_cursor
        assert f'href="{path}?show=unread&amp;after={cursor}"' in page
        rest = client.get(path, {"show": "unread", "after": cursor}).context["page"]
        assert (len(rest.rows), rest.next_cursor) == (1, "")


def test_newest_mixes_read_and_unread_on_all_pages(client: Client, reader: User) -> None:
    subscription = make.subscription(reader)
    twice = make.subscription(reader)
    for number in range(PAGE_SIZE + 3):
        article = make.article(title=f"Title {number:02}", published_at=make.NOW - timedelta(minutes=number))
        make.delivery(subscription, article, is_read=number % 3 == 0)
        if number % 7 == 0:
            make.delivery(twice, article, is_read=number % 3 == 0)
    wanted = [f"Title {number:02}" for number in range(PAGE_SIZE + 3)]
    assert titles(client, "/all/?show=newest") == wanted[:PAGE_SIZE]
    page = client.get("/all/?show=newest").content.decode()
    following = re.search(r'rel="next" href="([^"]+)"', page)
    assert following is not None
    assert titles(client, following[1].replace("&amp;", "&")) == wanted[PAGE_SIZE:]
    assert 'name="order" value="newest" checked' in page
    assert '<input type="hidden" name="next" value="/all/?show=newest">' in page


def test_only_unread_says_when_everything_is_read(client: Client, reader: User) -> None:
    make_deliveries(make.subscription(reader), 1, is_read=True)
    page = client.get("/all/", {"show": "unread"}).content.decode()
    assert "New articles will appear here." in page
    assert 'name="only_unread" checked' in page


@pytest.mark.parametrize("cursor", ["", "nonsense", "u.1", "u.9999999999999999999.1", "'; --", "u.0.0\x00"])
def test_invalid_cursor_shows_the_first_page(client: Client, reader: User, cursor: str) -> None:
    make_deliveries(make.subscription(reader), 2)
    for path in ("/all/", "/starred/"):
        assert client.get(path, {"after": cursor}).status_code == 200
    assert len(client.get("/all/", {"after": cursor}).context["page"].rows) == 2


def test_feed_shows_its_articles_and_its_problems(client: Client, reader: User) -> None:
    ailing = make.subscription(reader, make.feed(consecutive_failures=3, condition="unhealthy"))
    make.poll(ailing.feed, "timeout")
    make_deliveries(ailing, 1)
    make_deliveries(make.subscription(reader), 2)
    response = client.get(reverse("feed", args=[ailing.pk]))
    assert len(response.context["page"].rows) == 1
    main = response.content.decode().partition("<main")[2]
    assert "This feed has never responded (timeout, 3 times)." in main
    assert all(f'value="{act}"' in main for act in ("hush", "unfollow"))
    assert f'action="{reverse("feed_poll", args=[ailing.pk])}"' in main
    data = {"feed": ailing.pk, "act": "unfollow", "next": "/all/"}
    assert "Unfollowed" in client.post(reverse("feed_acts"), data, follow=True).content.decode()


def test_starred_shows_everything_in_one_list(client: Client, reader: User) -> None:
    subscription = make.subscription(reader)
    for number, row in enumerate([*make_deliveries(subscription, 2), *make_deliveries(subscription, 2, is_read=True)]):
        star(reader, row.article_id, is_starred=True, now=make.NOW + timedelta(minutes=number))
    page = client.get("/starred/").content.decode()
    assert (page.count('<li class="row'), page.count("data-rows")) == (4, 1)


def test_starred_article_stays_after_unfollowing(client: Client, reader: User) -> None:
    [row] = make_deliveries(make.subscription(reader), 1)
    star(reader, row.article_id, is_starred=True, now=make.NOW)
    client.post(reverse("feed_unfollow", args=[row.subscription_id]))
    assert titles(client, "/starred/") == ["Title 000"]
    assert client.get(reverse("article", args=[row.article_id])).status_code == 200


def test_selection_names_its_categories(client: Client, reader: User) -> None:
    folder = make.folder(reader, item_limit_per_category=2)
    make_deliveries(make.subscription(reader, folder=folder, category="國際"), 3)
    make_deliveries(make.subscription(reader, folder=folder), 1)
    page = client.get(reverse("selection", args=[folder.pk])).content.decode()
    assert (page.count('class="row"'), "國際" in page, "No category" in page) == (3, True, True)


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/all/", "You aren't following any feeds yet."),
        ("/starred/", "No starred articles yet."),
        ("/health/", "You aren't following any feeds yet."),
        ("/notifications/", "No notifications."),
        ("/all/?after=u.0.0", "No older items."),
    ],
)
def test_empty_page_explains_how_to_fill_it(client: Client, reader: User, path: str, words: str) -> None:
    assert words in client.get(path).content.decode()


def test_empty_folder_and_unpolled_feed_say_so(client: Client, reader: User) -> None:
    folder, subscription = make.folder(reader), make.subscription(reader, make.feed(next_poll_at=timezone.now()))
    assert "No articles in this folder yet." in client.get(reverse("folder", args=[folder.pk])).content.decode()
    page = client.get(reverse("feed", args=[subscription.pk])).content.decode()
    assert "Not polled yet; next poll within a minute." in page
    assert "Your 1 feed is being loaded" in client.get("/all/").content.decode()


def test_marking_all_read_skips_articles_newer_than_the_page(client: Client, reader: User) -> None:
    subscription = make.subscription(reader)
    make_deliveries(subscription, 3)
    newest = client.get("/all/").context["newest"]
    [late] = make_deliveries(subscription, 1)
    assert client.post("/read/", {"up_to": newest})["Location"] == "/all/"
    assert list(Delivery.objects.filter(is_read=False)) == [late]
    subscription.refresh_from_db()
    assert subscription.unread_count == 1


@pytest.mark.parametrize("up_to", ["", "x", "-1", "1" * 30, "²"])
def test_marking_all_read_refuses_invalid_limit(client: Client, reader: User, up_to: str) -> None:
    make_deliveries(make.subscription(reader), 1)
    assert client.post("/read/", {"up_to": up_to}).status_code == 400
    assert Delivery.objects.filter(is_read=False).count() == 1


@pytest.mark.parametrize(
    ("wanted", "goes_to"),
    [
        ("/starred/", "/starred/"),
        ("/folders/1/?after=u.1.2", "/folders/1/?after=u.1.2"),
        ("https://evil.example/", "/all/"),
        ("//evil.example/", "/all/"),
        ("/\\evil.example", "/all/"),
        ("javascript:alert(1)", "/all/"),
        ("http://testserver/starred/", "/all/"),
        ("starred/", "/all/"),
        ("", "/all/"),
    ],
)
def test_returns_only_within_the_site(client: Client, reader: User, wanted: str, goes_to: str) -> None:
    assert client.post("/read/", {"up_to": "0", "next": wanted})["Location"] == goes_to


@pytest.mark.parametrize("n", [1, 20], ids=["two articles", "forty articles"])
@pytest.mark.parametrize(
    ("name", "queries"),
    [
        ("home", 17),
        ("folder", 18),
        ("feed", 20),
        ("starred", 16),
        ("selection", 16),
    ],
)
def test_list_takes_constant_queries(
    client: Client, reader: User, django_assert_num_queries: DjangoAssertNumQueries, name: str, queries: int, n: int
) -> None:
    folder = make.folder(reader, item_limit_per_category=40)
    subscription = make.subscription(reader, folder=folder)
    for row in [*make_deliveries(subscription, n), *make_deliveries(subscription, n, is_read=True)]:
        star(reader, row.article_id, is_starred=True, now=make.NOW)
    url = address(name, folder, subscription)
    client.get(url)
    with django_assert_num_queries(queries):
        client.get(url)


@pytest.mark.parametrize("n", [1, 20], ids=["one", "twenty"])
@pytest.mark.parametrize(("name", "queries"), [("home", 17), ("folder", 18), ("selection", 16), ("health", 18)])
def test_list_takes_constant_queries_for_any_number_of_feeds(
    client: Client, reader: User, django_assert_num_queries: DjangoAssertNumQueries, name: str, queries: int, n: int
) -> None:
    folder = make.folder(reader, item_limit_per_category=40)
    for number in range(n):
        subscription = make.subscription(reader, folder=folder, category=f"{number}")
        make.poll(subscription.feed)
        make_deliveries(subscription, 1)
        make_deliveries(subscription, 1, is_read=True)
    url = address(name, folder, subscription)
    with django_assert_num_queries(queries):
        client.get(url)


def address(name: str, folder: Folder, subscription: Subscription) -> str:
    about = {"folder": [folder.pk], "selection": [folder.pk], "feed": [subscription.pk]}
    return reverse(name, args=about.get(name))


@pytest.mark.parametrize(("condition", "is_shown"), [("silent", True), ("well", False)])
def test_feed_that_publishes_rarely_says_so_on_its_own_page_alone(
    client: Client, reader: User, condition: str, is_shown: bool
) -> None:
    subscription = make.subscription(reader, make.feed(condition=condition))
    page = client.get(f"/feeds/{subscription.pk}/")
    assert ('aria-label="Feed status"' in page.content.decode()) is is_shown
    assert page.context["sidebar"].n_attention == 0
