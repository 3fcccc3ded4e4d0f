"""Changing the sidebar: how it looks, the order and folders of feeds, names; and what its menu does quietly."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from reader.models import Delivery, Folder, Preferences, Subscription
from tests import make
from tests.markup import tight

pytestmark = pytest.mark.django_db

QUIET = {"HTTP_X_QUIET": "1"}


@pytest.fixture
def reader(client: Client) -> User:
    user = make.user()
    client.force_login(user)
    return user


def test_folders_open_and_close_without_scripts(client: Client, reader: User) -> None:
    folder = make.folder(reader)
    make.subscription(reader, folder=folder, title="Harbour Post")
    assert "Harbour Post" not in client.get("/starred/").content.decode()
    response = client.post("/sidebar/view/", {"open": folder.pk, "next": "/starred/"})
    assert response["Location"] == "/starred/"
    assert "Harbour Post" in client.get("/starred/").content.decode()
    client.post("/sidebar/view/", {"close": folder.pk})
    assert "Harbour Post" not in client.get("/starred/").content.decode()


@pytest.mark.parametrize(
    ("sent", "saved"),
    [
        ({"order": "hand"}, ("hand", False, 240)),
        ({"order": "odd", "width": "x"}, None),
        ({"hides_read": "1"}, ("name", True, 240)),
        ({"width": "317"}, ("name", False, 310)),
        ({"width": "99999"}, ("name", False, 400)),
        ({"width": "1"}, ("name", False, 200)),
    ],
)
def test_view_is_saved(client: Client, reader: User, sent: dict[str, str], saved: tuple[str, bool, int] | None) -> None:
    assert client.post("/sidebar/view/", sent, **QUIET).json() == {}  # type: ignore[arg-type]
    values = Preferences.objects.values_list("sidebar_order", "hides_read_feeds", "sidebar_width").first()
    assert values == saved


def test_width_is_on_the_page(client: Client, reader: User) -> None:
    assert "data-sidebar=" not in client.get("/starred/").content.decode()
    client.post("/sidebar/view/", {"width": "300"})
    assert 'data-sidebar="300"' in client.get("/starred/").content.decode()


def test_moves_a_feed_with_its_articles(client: Client, reader: User) -> None:
    news, art = make.folder(reader), make.folder(reader, "Art")
    subscription = make.subscription(reader, folder=news, position=3)
    make.delivery(subscription, make.article())
    client.post("/sidebar/arrange/", {"feed": subscription.pk, "folder": art.pk})
    subscription.refresh_from_db()
    assert (subscription.folder, subscription.position) == (art, 0)
    assert Delivery.objects.get().folder == art
    client.post("/sidebar/arrange/", {"feed": subscription.pk, "folder": ""})
    assert Delivery.objects.get().folder is None
    client.post("/sidebar/arrange/", {"feed": subscription.pk, "new_folder": " For  later "})
    assert Delivery.objects.get().folder == Folder.objects.get(name="For later")


def test_undoing_deletes_the_folder_made_for_it_only_if_empty(client: Client, reader: User) -> None:
    used, _theirs = make.folder(reader, "Used"), make.folder(make.user(), "Made")
    make.folder(reader, "Made")
    subscription = make.subscription(reader, folder=used)
    client.post("/sidebar/arrange/", {"made": "Used"})
    client.post("/sidebar/arrange/", {"feed": subscription.pk, "folder": used.pk, "made": "Made"})
    assert list(Folder.objects.filter(user=reader)) == [used]
    assert Folder.objects.filter(name="Made").count() == 1


def test_moves_into_nobody_elses_folder(client: Client, reader: User) -> None:
    subscription = make.subscription(reader)
    theirs = make.folder(make.user())
    assert client.post("/sidebar/arrange/", {"feed": subscription.pk, "folder": theirs.pk}).status_code == 404
    assert client.post("/sidebar/view/", {"open": theirs.pk}).status_code == 404
    other = make.subscription(theirs.user)
    assert client.post("/sidebar/arrange/", {"feed": other.pk, "folder": ""}).status_code == 404
    assert not Folder.objects.filter(is_open=True).exists()
    assert Subscription.objects.get(pk=subscription.pk).folder is None


@pytest.mark.parametrize(("name", "title"), [(" Harbour  Post\0 ", "Harbour Post"), ("", ""), ("x" * 400, "x" * 300)])
def test_feeds_are_renamed(client: Client, reader: User, name: str, title: str) -> None:
    subscription = make.subscription(reader, title="Old")
    answer = client.post(f"/feeds/{subscription.pk}/rename/", {"name": name}, **QUIET)  # type: ignore[arg-type]
    assert answer.json() == {"was": "Old"}
    assert Subscription.objects.get().title == title


def test_folders_are_renamed_unless_the_name_is_taken(client: Client, reader: User) -> None:
    news, _art = make.folder(reader), make.folder(reader, "Art")
    url = f"/folders/{news.pk}/rename/"
    assert client.post(url, {"name": "World"}, **QUIET).json() == {"was": "News"}  # type: ignore[arg-type]
    refused = client.post(url, {"name": "Art"}, **QUIET).json()  # type: ignore[arg-type]
    assert refused == {"error": "You have another folder called “Art”."}
    assert client.post(url, {"name": ""}).status_code == 400
    assert sorted(Folder.objects.values_list("name", flat=True)) == ["Art", "World"]


def test_marks_read_and_undoes_it_quietly(client: Client, reader: User) -> None:
    subscription = make.subscription(reader)
    url = f"/feeds/{subscription.pk}/read/"
    assert client.post(url, **QUIET).json() == {"undo": ""}  # type: ignore[arg-type]
    make.delivery(subscription, make.article())
    undo = client.post(url, **QUIET).json()["undo"]  # type: ignore[arg-type]
    assert Delivery.objects.get().is_read
    assert client.post(undo, **QUIET).status_code == 204  # type: ignore[arg-type]
    assert not Delivery.objects.get().is_read


def test_unfollows_and_follows_again_quietly(client: Client, reader: User) -> None:
    subscription = make.subscription(reader)
    undo = client.post(f"/feeds/{subscription.pk}/unfollow/", **QUIET).json()["undo"]  # type: ignore[arg-type]
    assert not Subscription.objects.exists()
    assert client.post(undo, **QUIET).status_code == 204  # type: ignore[arg-type]
    assert Subscription.objects.get() == subscription


def test_polling_quietly_tells_what_to_wait_for(client: Client, reader: User) -> None:
    subscription = make.subscription(reader)
    answer = client.post(f"/feeds/{subscription.pk}/poll/", **QUIET).json()  # type: ignore[arg-type]
    assert answer == {"refusal": "", "polled_at": None, "newest": None}
    delivery = make.delivery(subscription, make.article())
    polled = client.get(f"/feeds/{subscription.pk}/polled/")
    assert polled.json() == {"polled_at": None, "newest": delivery.pk}
    assert "no-store" in polled["Cache-Control"]


@pytest.mark.parametrize("n", [3, 300])
def test_many_feeds_take_constant_queries(
    client: Client, reader: User, n: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    folders = [make.folder(reader, f"Folder {number}", is_open=True) for number in range(3)]
    feed = make.feed()
    for number in range(n):
        make.subscription(reader, feed if not number else None, folder=folders[number % 3])
    with django_assert_num_queries(9):  # three for the session, the user and preferences
        markup = client.get("/sidebar/").content.decode()
    assert len(re.findall(r"data-feed=", markup)) == n


def test_what_is_open_elsewhere_is_ignored(client: Client, reader: User) -> None:
    theirs = make.subscription(make.user(), folder=make.folder(make.user()), title="Theirs")
    markup = client.get(f"/sidebar/?feed={theirs.pk}&folder={theirs.folder_id}").content.decode()
    assert "Theirs" not in markup


@pytest.mark.parametrize(
    ("page", "marked"),
    [
        ("/", ("/", "page")),
        ("/important/", ("/important/", "page")),
        ("/rules/", ("/rules/", "page")),
        ("/muted/", ("/rules/", "true")),
        ("/digests/settings/", ("/digests/", "true")),
        ("/settings/", ("/settings/", "page")),
    ],
)
def test_the_link_to_the_open_page_is_marked(client: Client, page: str, marked: tuple[str, str]) -> None:
    client.force_login(make.user())
    client.get("/starred/")  # links rendered for another page aren't shown on this one
    _, _, sidebar = tight(client.get(page).content.decode()).partition('<nav class="sidebar"')
    assert re.findall(r'<a href="([^"]+)"[^>]* aria-current="(\w+)"', sidebar.partition("</nav>")[0]) == [marked]


def test_only_administrators_see_the_link_to_administration(client: Client) -> None:
    for is_staff in (False, True, False):
        client.force_login(make.user(is_staff=is_staff))
        assert ("Administration" in client.get("/starred/").content.decode()) == is_staff
