"""The page of notifications."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from feeds.models import Feed
from reader.models import Notification, Preferences
from reader.views.notifications import PAGE_SIZE
from tests import make
from tests.reader.conftest import World

pytestmark = pytest.mark.django_db


def test_lists_newest_first_with_link_to_feed(browser: Client, world: World) -> None:
    make.notification(world.subscription, text="Later", happened_at=make.NOW + timedelta(hours=1))
    response = browser.get("/notifications/")
    [group] = response.context["news"]
    assert [entry.text for entry in (group.newest, *group.earlier)] == ["Later", "Morning"]
    assert f'<a href="/feeds/{world.subscription.pk}/" dir="auto">Later</a>' in response.content.decode()


def test_opening_the_page_marks_nothing_seen(browser: Client, world: World) -> None:
    browser.get("/notifications/")
    assert Notification.objects.get().seen_at is None


def test_marks_one_feed_seen(browser: Client, world: World) -> None:
    subscription = make.subscription(world.user)
    make.notification(subscription)
    later = make.notification(subscription, happened_at=make.NOW + timedelta(hours=1))
    theirs = make.notification(make.subscription(make.user(), subscription.feed))
    browser.post(reverse("notification_seen", args=[later.pk]))
    assert set(Notification.objects.filter(seen_at=None)) == {world.notification, theirs}


def test_marks_all_on_page_as_seen(browser: Client, world: World) -> None:
    newest = browser.get("/notifications/").context["newest"]
    later = make.notification(world.subscription, kind="well")
    browser.post("/notifications/seen/", {"up_to": newest})
    assert list(Notification.objects.filter(seen_at=None)) == [later]
    assert browser.post("/notifications/seen/", {"up_to": "x"}).status_code == 400


def test_pages_without_gaps_or_repeats(browser: Client, world: World) -> None:
    for number in range(PAGE_SIZE + 3):
        make.notification(world.subscription, happened_at=make.NOW + timedelta(minutes=number // 2), kind=f"k{number}")
    first = browser.get("/notifications/")
    second = browser.get("/notifications/", {"after": first.context["next_after"]})
    groups = [group for page in (first, second) for group in page.context["news"]]
    ids = [entry.pk for group in groups for entry in (group.newest, *group.earlier)]
    assert (len(ids), len(set(ids)), second.context["next_after"]) == (PAGE_SIZE + 4, PAGE_SIZE + 4, None)


@pytest.mark.parametrize(
    ("condition", "acts", "others"),
    [
        ("unhealthy", ("Try now", "Don't notify me", "Unfollow", "Follow Elsewhere instead"), ("Keep",)),
        ("silent", ("Keep", "Unfollow"), ("Try now", "Follow Elsewhere instead")),
        ("dead", ("Unfollow", "Follow Elsewhere instead"), ("Try now", "Keep")),
        ("well", (), ("Try now", "Keep", "Unfollow", "Follow Elsewhere instead")),
    ],
)
def test_offers_what_helps_while_it_does(
    browser: Client, world: World, condition: str, acts: tuple[str, ...], others: tuple[str, ...]
) -> None:
    found = [{"url": "https://elsewhere.example/feed", "title": "Elsewhere"}]
    Feed.objects.filter(pk=world.subscription.feed_id).update(condition=condition, discovered_feeds=found)
    Notification.objects.update(kind=condition)
    page = " ".join(browser.get("/notifications/").content.decode().partition("<main")[2].split())
    assert [act for act in acts if f"> {act} </button>" not in page and f">{act}</button>" not in page] == []
    assert [act for act in others if f"> {act} </button>" in page or f">{act}</button>" in page] == []


def test_found_feed_of_the_same_name_is_shown_by_its_address(browser: Client, world: World) -> None:
    found = [{"url": "https://elsewhere.example/feed", "title": world.subscription.shown_title}]
    Feed.objects.filter(pk=world.subscription.feed_id).update(condition="unhealthy", discovered_feeds=found)
    Notification.objects.update(kind="unhealthy")
    assert "Follow https://elsewhere.example/feed instead" in browser.get("/notifications/").content.decode()


def test_saves_which_kinds_are_wanted(browser: Client, world: World) -> None:
    browser.post("/notifications/settings/", {"notifies_minor": "on"})
    row = Preferences.objects.get(user=world.user)
    assert (row.notifies_broken, row.notifies_minor) == (False, True)
    assert 'name="notifies_minor" id="id_notifies_minor" checked' in browser.get("/notifications/").content.decode()


def test_links_to_article_in_the_app(browser: Client, world: World) -> None:
    Notification.objects.create(
        user=world.user, article=world.article, kind="breaking", text="It happened.", happened_at=make.NOW
    )
    page = browser.get("/notifications/").content.decode()
    assert f'<a href="/articles/{world.article.pk}/?next=%2Fnotifications%2F" dir="auto">It happened.</a>' in page
    assert page.count(">Breaking</span>") == 1


def test_no_link_to_article_user_cannot_see(browser: Client, world: World) -> None:
    other = make.delivery(make.subscription(make.user()), make.article()).article
    Notification.objects.create(user=world.user, article=other, kind="breaking", text="Gone.", happened_at=make.NOW)
    assert '<span dir="auto">Gone.</span>' in browser.get("/notifications/").content.decode()


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("/digests/7/", '<a href="/digests/7/" dir="auto">Not mailed.</a>'),
        ("//evil.example/", '<span dir="auto">Not mailed.</span>'),
        ("javascript:alert(1)", '<span dir="auto">Not mailed.</span>'),
        ("https://evil.example/", '<span dir="auto">Not mailed.</span>'),
    ],
)
def test_links_to_page_within_the_site(browser: Client, world: World, path: str, shown: str) -> None:
    Notification.objects.create(user=world.user, path=path, kind="mail", text="Not mailed.", happened_at=make.NOW)
    assert shown in browser.get("/notifications/").content.decode()


@pytest.mark.parametrize("n", [1, 20])
def test_query_count_is_independent_of_notifications(
    browser: Client, world: World, django_assert_num_queries: DjangoAssertNumQueries, n: int
) -> None:
    for _ in range(n):
        article = make.delivery(world.subscription, make.article()).article
        Notification.objects.create(
            user=world.user, article=article, kind="breaking", text="News.", happened_at=make.NOW
        )
    with django_assert_num_queries(13):
        browser.get("/notifications/")
