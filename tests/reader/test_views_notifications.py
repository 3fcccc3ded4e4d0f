"""The page of notifications."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from reader.models import Notification
from reader.views.notifications import PAGE_SIZE
from tests import make
from tests.reader.conftest import World

pytestmark = pytest.mark.django_db


def test_newest_first_with_a_way_to_the_feed(browser: Client, world: World) -> None:
    make.notification(world.subscription, text="Later", happened_at=make.NOW + timedelta(hours=1))
    answer = browser.get("/notifications/")
    assert [each.text for each, _ in answer.context["news"]] == ["Later", "Morning"]
    assert f'<a href="/feeds/{world.subscription.pk}/" dir="auto">Later</a>' in answer.content.decode()


def test_looking_at_them_is_not_yet_having_seen_them(browser: Client, world: World) -> None:
    browser.get("/notifications/")
    assert Notification.objects.get().seen_at is None


def test_marks_one_seen(browser: Client, world: World) -> None:
    other = make.notification(world.subscription, kind="well")
    browser.post(reverse("notification_seen", args=[other.pk]))
    assert list(Notification.objects.filter(seen_at=None)) == [world.notification]


def test_marks_seen_what_was_on_the_page(browser: Client, world: World) -> None:
    newest = browser.get("/notifications/").context["newest"]
    later = make.notification(world.subscription, kind="well")
    browser.post("/notifications/seen/", {"up_to": newest})
    assert list(Notification.objects.filter(seen_at=None)) == [later]
    assert browser.post("/notifications/seen/", {"up_to": "x"}).status_code == 400


def test_pages_without_gap_or_repetition(browser: Client, world: World) -> None:
    for number in range(PAGE_SIZE + 3):
        make.notification(world.subscription, happened_at=make.NOW + timedelta(minutes=number // 2), kind=f"k{number}")
    first = browser.get("/notifications/")
    second = browser.get("/notifications/", {"after": first.context["next_after"]})
    shown = [each.pk for page in (first, second) for each, _ in page.context["news"]]
    assert (len(shown), len(set(shown)), second.context["next_after"]) == (PAGE_SIZE + 4, PAGE_SIZE + 4, None)
