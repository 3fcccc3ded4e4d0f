"""Bulk actions, filters and sort orders of the feeds page, folders, and duplicate feeds."""

from datetime import date, timedelta
from itertools import pairwise

import pytest
from django.contrib.auth.models import User
from django.contrib.messages import get_messages
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from digests.alerts import notify_breaking_news
from feeds.models import Feed
from reader.models import Delivery, Duplicate, Folder, Notification, Quiet, Rule, Subscription
from reader.subscriptions.filters import Order, Which, choices, chosen, ordered
from reader.subscriptions.notifications import notify_subscribers
from reader.subscriptions.read_rates import count_all
from tests import make
from tests.markup import tight
from tests.reader.conftest import Enqueued, World

pytestmark = pytest.mark.django_db


@pytest.fixture
def reader(client: Client) -> User:
    user = make.user()
    client.force_login(user)
    return user


def last_message(answer: object) -> list[str]:
    """The last message; messages no page has shown yet precede it."""
    return [str(message) for message in get_messages(answer.wsgi_request)][-1:]  # type: ignore[attr-defined]


def act(client: Client, name: str, *subscriptions: Subscription, **data: object) -> list[str]:
    sent = {"act": name, "feed": [subscription.pk for subscription in subscriptions], **data}
    response = client.post(reverse("feed_acts"), sent)
    assert response.status_code == 302
    return last_message(response)


def three(reader: User) -> list[Subscription]:
    subscriptions = [make.subscription(reader, title=name) for name in "abc"]
    for subscription in subscriptions:
        make.delivery(subscription, make.article())
    return subscriptions


def test_moves_to_new_folder_and_out_again(client: Client, reader: User) -> None:
    first, second, third = three(reader)
    assert act(client, "move", first, second, folder="New") == ["2 feeds moved to “New”."]
    folder = Folder.objects.get(name="New", user=reader)
    assert set(Subscription.objects.filter(folder=folder)) == {first, second}
    assert Delivery.objects.filter(folder=folder).count() == 2
    assert act(client, "move", first, folder=" ") == ["1 feed moved out of their folders."]
    assert Delivery.objects.filter(folder=folder).count() == 1
    third.refresh_from_db()
    assert third.folder is None


def test_unfollows_with_undo(client: Client, reader: User) -> None:
    first, second, third = three(reader)
    response = client.post(reverse("feed_acts"), {"act": "unfollow", "feed": [first.pk, second.pk]}, follow=True)
    undo = reverse("feed_restore", args=[first.pk])
    assert f'formaction="{undo}"' in response.content.decode()
    assert Subscription.objects.get() == third
    assert "Recently unfollowed (2)" in response.content.decode()
    assert "and 1 more" in response.content.decode()
    assert last_message(client.post(undo)) == ["You follow 2 feeds again."]
    assert set(Subscription.objects.all()) == {first, second, third}
    assert last_message(client.post(undo)) == ["This can no longer be undone."]


def test_polls_feeds_that_may_be_polled(client: Client, reader: User, enqueued: Enqueued) -> None:
    first, second, third = three(reader)
    Feed.objects.filter(pk=second.feed_id).update(status="dead")
    Feed.objects.filter(pk=third.feed_id).update(last_polled_at=timezone.now())
    assert act(client, "poll", first, second, third) == [
        "1 feed is being polled. 2 aren't: they're gone, paused, rate limited, or were polled within the last minute."
    ]
    assert enqueued == [("feeds.tasks.polling.poll_feeds", [first.feed_id])]


def test_toggles_settings(client: Client, reader: User) -> None:
    first, second, _ = three(reader)
    act(client, "full_text", first, second)
    assert Subscription.objects.filter(fetches_full_text=True).count() == 2
    act(client, "no_full_text", second)
    assert Subscription.objects.get(fetches_full_text=True) == first
    act(client, "digest_only", first)
    delivery = Delivery.objects.get(subscription=first)
    assert (delivery.quiet, delivery.is_folded) == (Quiet.DIGEST, True)
    act(client, "all_lists", first)
    delivery.refresh_from_db()
    assert (delivery.quiet, delivery.is_folded) == (Quiet.NOT, False)
    assert act(client, "quiet", second, until="2026-12-24")[0].startswith("1 feed: quiet until 24 December 2026.")
    second.refresh_from_db()
    assert second.quiet_until == date(2026, 12, 24)
    assert act(client, "quiet", second) == ["1 feed: no longer quiet."]
    act(client, "keep", first)
    assert Subscription.objects.get(is_kept=True) == first
    assert act(client, "hush", second) == ["1 feed: no more notifications about problems."]
    assert Subscription.objects.get(tells_of_trouble=False) == second


def test_selecting_all_applies_to_filtered_list(client: Client, reader: User) -> None:
    three(reader)
    act(client, "full_text", all="1", q="B", which="all")
    assert [subscription.title for subscription in Subscription.objects.filter(fetches_full_text=True)] == ["b"]
    act(client, "full_text", all="1", which="dead")
    act(client, "full_text", all="1", **{"in": make.folder(reader, "Empty").pk})
    assert Subscription.objects.filter(fetches_full_text=True).count() == 1
    act(client, "full_text", all="1")
    assert Subscription.objects.filter(fetches_full_text=True).count() == 3


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"act": "unfollow"}, "Select at least one feed."),
        ({"act": "unfollow", "feed": "x"}, "Select at least one feed."),
        ({"act": "unfollow", "feed": "999999"}, "You no longer follow any of these feeds."),
        ({"act": "burn", "all": "1"}, "Unknown action."),
        ({"all": "1"}, "Unknown action."),
        ({"act": "move", "all": "1", "folder": "x" * 201}, "Unknown action."),
        ({"act": "quiet", "all": "1", "until": "soon"}, "Invalid date: soon."),
    ],
    ids=["none", "no number", "gone", "unknown", "no act", "long", "no day"],
)
def test_explains_why_nothing_changed(browser: Client, world: World, data: dict[str, str], message: str) -> None:
    before = world.state()
    assert last_message(browser.post(reverse("feed_acts"), data)) == [message]
    assert world.state() == before


def test_ignores_feeds_of_other_users(client: Client, reader: User) -> None:
    theirs = make.subscription(make.user())
    assert act(client, "unfollow", theirs) == ["You no longer follow any of these feeds."]
    assert Subscription.objects.get() == theirs


@pytest.mark.parametrize("n", [3, 30])
@pytest.mark.parametrize(
    ("name", "most"), [("move", 24), ("unfollow", 46), ("poll", 12), ("digest_only", 24), ("keep", 12)]
)
def test_action_takes_constant_queries(
    client: Client,
    reader: User,
    enqueued: Enqueued,
    django_assert_max_num_queries: object,
    name: str,
    most: int,
    n: int,
) -> None:
    subscriptions = [make.subscription(reader) for _ in range(n)]
    for subscription in subscriptions:
        make.delivery(subscription, make.article())
    with django_assert_max_num_queries(most):  # type: ignore[operator]
        act(client, name, *subscriptions, folder="F")


# Filters and sort orders.


def sample(reader: User) -> dict[str, Subscription]:
    now = timezone.now()
    long_ago = now - timedelta(days=100)
    fields: dict[str, tuple[dict[str, object], dict[str, object]]] = {
        "well": ({"newest_entry_at": now}, {"n_month": 8, "n_quarter": 20, "n_opened": 10}),
        "ailing": ({"newest_entry_at": now, "condition": "unhealthy"}, {"n_month": 9, "n_quarter": 9, "n_opened": 1}),
        "never": ({"newest_entry_at": now}, {"n_month": 20, "n_quarter": 60}),
        "kept": ({"newest_entry_at": now}, {"n_month": 1, "n_quarter": 60, "n_opened": 0, "is_kept": True}),
        "quiet": ({"newest_entry_at": long_ago, "last_new_at": long_ago}, {}),
        "silent from the start": ({}, {}),
        "gone": ({"status": "dead", "newest_entry_at": long_ago, "condition": "dead"}, {}),
        "failing": ({"consecutive_failures": 9, "last_success_at": long_ago, "newest_entry_at": now}, {}),
    }
    subscriptions = {}
    for name, (feed_values, values) in fields.items():
        subscriptions[name] = make.subscription(reader, make.feed(**feed_values), title=name, **values)
    Subscription.objects.update(added_at=long_ago)
    Feed.objects.update(added_at=long_ago)
    make.subscription(make.user(), make.feed(condition="unhealthy"))
    return subscriptions


@pytest.mark.parametrize(
    ("which", "names"),
    [
        (Which.ATTENTION, {"ailing", "gone", "failing"}),
        (Which.NEVER, {"never"}),
        (Which.QUIET, {"quiet", "silent from the start"}),
        (Which.DEAD, {"gone", "failing"}),
    ],
)
def test_filters(reader: User, client: Client, which: Which, names: set[str]) -> None:
    sample(reader)
    now = timezone.now()
    assert {subscription.title for subscription in chosen(reader, which, "", now=now)} == names
    counted, n_duplicates = choices(reader, now=now)
    assert {choice.key: choice.n for choice in counted}[which] == len(names)
    assert n_duplicates == 0
    rows = client.get("/health/", {"which": which}).context["table"].rows
    assert {row.subscription.title for row in rows} == names


@pytest.mark.parametrize(
    ("order", "names"),
    [
        (Order.ATTENTION, ["ailing", "failing", "gone", "kept", "never", "quiet", "silent from the start", "well"]),
        (Order.NAME, ["ailing", "failing", "gone", "kept", "never", "quiet", "silent from the start", "well"]),
        (Order.RATE, ["never", "ailing", "well", "kept", "failing", "gone", "quiet", "silent from the start"]),
        (Order.READ, ["kept", "never", "ailing", "well", "failing", "gone", "quiet", "silent from the start"]),
    ],
)
def test_orders(reader: User, order: Order, names: list[str]) -> None:
    sample(reader)
    assert [subscription.title for subscription in ordered(Subscription.objects.filter(user=reader), order)] == names


def test_sorts_longest_silent_first(reader: User) -> None:
    sample(reader)
    titles = [subscription.title for subscription in ordered(Subscription.objects.filter(user=reader), Order.LAST)]
    assert (titles[0], set(titles[1:3])) == ("silent from the start", {"quiet", "gone"})


@pytest.mark.parametrize("order", [*list(Order), *(f"-{order}" for order in Order)])
def test_every_order_has_pages_without_gaps(client: Client, reader: User, order: str) -> None:
    for number in range(103):
        make.subscription(reader, title=f"same {number % 3}", n_month=number % 4, n_quarter=number % 5, n_opened=1)
    first = client.get("/health/", {"order": order})
    after = first.context["table"].next_after
    second = client.get("/health/", {"order": order, "after": after})
    ids = [row.subscription.pk for page in (first, second) for row in page.context["table"].rows]
    assert len(ids) == len(set(ids)) == 103
    assert f"order={order}&amp;after={after}" in first.content.decode()


@pytest.mark.parametrize("query", [{"which": "x"}, {"order": "'"}, {"which": "dead\x00", "after": "-1"}])
def test_unknown_view_shows_the_default(client: Client, reader: User, query: dict[str, str]) -> None:
    make.subscription(reader)
    response = client.get("/health/", query)
    wanted = response.context["wanted"]
    assert (response.status_code, wanted.which, wanted.order, wanted.is_reversed) == (200, "all", "attention", False)


def test_empty_pages_and_filters_say_so(client: Client, reader: User) -> None:
    main = client.get("/health/").content.decode().partition("<main")[2].partition("</main>")[0]
    assert main.count("button-main") == 1
    make.subscription(reader)
    assert "No feeds match this filter." in client.get("/health/?which=dead").content.decode()


def test_shows_advice_with_actions(client: Client, reader: User) -> None:
    never = sample(reader)["never"]
    page = client.get(reverse("feed_health", args=[never.pk])).content.decode()
    assert "You opened none of its 60 articles in 90 days." in page
    assert 'value="digest_only"' in page


@pytest.mark.parametrize("n", [3, 30])
@pytest.mark.parametrize(
    ("name", "queries"),
    [("duplicates", 11), ("folders", 11), ("health_of_one", 19), ("edit", 15), ("folder", 17), ("health", 23)],
)
def test_pages_take_constant_queries(
    client: Client, reader: User, django_assert_max_num_queries: object, name: str, queries: int, n: int
) -> None:
    folder = make.folder(reader, "F")
    subscriptions = [make.subscription(reader, folder=folder) for _ in range(n)]
    for number, subscription in enumerate(subscriptions):
        make.folder(reader, f"Folder {number}")
        make.poll(subscription.feed)
    for one, other in pairwise(subscriptions):
        Duplicate.objects.create(user=reader, one=one, other=other, why="site")
    urls = {
        "duplicates": reverse("duplicates"),
        "folders": reverse("folders"),
        "health_of_one": reverse("feed_health", args=[subscriptions[0].pk]),
        "edit": reverse("feed_edit", args=[subscriptions[0].pk]),
        "folder": reverse("folder_edit", args=[folder.pk]),
        "health": reverse("health"),
    }
    with django_assert_max_num_queries(queries):  # type: ignore[operator]
        assert client.get(urls[name]).status_code == 200


def test_counts_delivered_and_opened_articles(reader: User) -> None:
    now = timezone.now()
    subscription, other = make.subscription(reader), make.subscription(reader)
    recent, older, old = (make.article(published_at=now - timedelta(days=days)) for days in (3, 60, 91))
    for article in (recent, older, old):
        make.delivery(subscription, article)
        make.engagement(reader, article, happened_at=now)
    make.engagement(reader, recent, "liked", happened_at=now)
    make.delivery(other, recent)
    taken_back = make.engagement(reader, older, "opened", happened_at=now)
    make.engagement(reader, older, "opened", happened_at=now, undoes=taken_back)
    make.engagement(make.user(), older, happened_at=now)
    assert count_all(now=now) == 2
    assert count_all(now=now) == 0
    figures = Subscription.objects.order_by("pk").values_list("n_month", "n_quarter", "n_opened")
    assert list(figures) == [(1, 2, 2), (1, 1, 1)]


@pytest.mark.parametrize("n", [3, 30])
def test_counting_takes_constant_queries(
    reader: User, django_assert_num_queries: DjangoAssertNumQueries, n: int
) -> None:
    for _ in range(n):
        article = make.article(published_at=timezone.now())
        make.delivery(make.subscription(reader), article)
    with django_assert_num_queries(5):
        count_all(now=timezone.now())


# Settings of one feed.


def test_saves_and_shows_feed_settings(browser: Client, world: World) -> None:
    url = reverse("feed_edit", args=[world.subscription.pk])
    Subscription.objects.filter(pk=world.subscription.pk).update(is_kept=True)
    assert "Suggest unfollowing again" in browser.get(url).content.decode()
    browser.post(url, {"title": "", "folder": "", "category": " World  news ", "asks_again": "on"})
    subscription = Subscription.objects.get(pk=world.subscription.pk)
    assert (subscription.category, subscription.has_alerts, subscription.tells_of_trouble, subscription.is_kept) == (
        "World news",
        False,
        False,
        False,
    )
    assert "Suggest unfollowing again" not in browser.get(url).content.decode()


def test_problem_notifications_can_be_turned_off(reader: User) -> None:
    feed = make.feed(condition="unhealthy", condition_reason="slow", condition_changed_at=make.NOW)
    make.subscription(reader, feed, tells_of_trouble=False)
    other = make.subscription(make.user(), feed)
    assert notify_subscribers() == 1
    assert Notification.objects.get().user == other.user
    assert notify_subscribers() == 0


def test_no_alerts_query_for_disabled_notifications() -> None:
    assert notify_breaking_news(make.NOW) == 0


# Folders.


def test_renames_folder(browser: Client, world: World) -> None:
    url = reverse("folder_edit", args=[world.folder.pk])
    response = browser.post(url, {"name": " Long  reads ", "item_limit_per_category": "7"})
    assert response["Location"] == reverse("folder", args=[world.folder.pk])
    world.folder.refresh_from_db()
    assert (world.folder.name, world.folder.item_limit_per_category) == ("Long reads", 7)


@pytest.mark.parametrize("name", ["", " \t", "x" * 201], ids=["empty", "blank", "long"])
def test_refuses_empty_name(browser: Client, world: World, name: str) -> None:
    before = world.state()
    assert browser.post(reverse("folder_edit", args=[world.folder.pk]), {"name": name}).status_code == 422
    assert world.state() == before


def test_name_of_another_folder_offers_merging(browser: Client, world: World) -> None:
    other = make.folder(world.user, "Evenings")
    make.folder(make.user(), "Other")
    rule = make.rule(world.user, words="go", folder=world.folder)
    url = reverse("folder_edit", args=[world.folder.pk])
    response = browser.post(url, {"name": "Evenings"})
    assert response.status_code == 422
    assert "You have another folder called “Evenings”. Merge them? 1 feed moves there" in tight(
        response.content.decode()
    )
    assert Folder.objects.filter(pk=world.folder.pk).exists()
    response = browser.post(url, {"name": "Evenings", "joins": "1"})
    assert response["Location"] == reverse("folder", args=[other.pk])
    world.subscription.refresh_from_db()
    assert world.subscription.folder == other
    assert Delivery.objects.get(pk=world.delivery.pk).folder == other
    assert Rule.objects.get(pk=rule.pk).folder == other
    assert not Folder.objects.filter(pk=world.folder.pk).exists()


def test_deleting_a_folder_keeps_its_feeds(browser: Client, world: World) -> None:
    response = browser.post(reverse("folder_delete", args=[world.folder.pk]))
    assert last_message(response) == [f"Deleted the folder {world.folder.name}. Its 1 feed is no longer in a folder."]
    world.subscription.refresh_from_db()
    assert world.subscription.folder is None
    assert Delivery.objects.get(pk=world.delivery.pk).folder is None


# Duplicate feeds.


def test_merging_asks_for_confirmation(browser: Client, world: World) -> None:
    keep, leave = world.duplicate.other, world.duplicate.one
    url = reverse("duplicate_merge", args=[world.duplicate.pk])
    page = browser.get(url, {"keep": keep.pk}).content.decode()
    assert "1 article moves over and keeps its read state." in page
    assert "This can't be undone." in page
    assert f"It moves to the folder “{leave.folder.name}”." in page
    assert browser.post(url, {"keep": keep.pk})["Location"] == reverse("duplicates")
    assert Subscription.objects.get(user=world.user) == keep
    assert Delivery.objects.get(pk=world.delivery.pk).subscription == keep
    assert browser.get(reverse("article", args=[world.article.pk])).status_code == 200


def test_pairs_to_keep_are_not_suggested_again(browser: Client, world: World) -> None:
    assert "Keep this one" in browser.get(reverse("duplicates")).content.decode()
    browser.post(reverse("duplicate_dismiss", args=[world.duplicate.pk]))
    assert "No duplicate feeds found." in browser.get(reverse("duplicates")).content.decode()


def test_health_page_never_shows_credentials(client: Client, reader: User) -> None:
    secret = "https://ada:secret@paper.example/feed.xml"
    feed = make.feed(secret, title="")
    subscription = make.subscription(reader, feed)
    make.feed("https://bob:secret@old.example/", status="merged", merged_into=feed)
    twin = make.subscription(reader)
    Duplicate.objects.create(user=reader, one=subscription, other=twin, why="site")
    for url in (reverse("feed_health", args=[subscription.pk]), reverse("duplicates"), reverse("health")):
        page = client.get(url).content.decode()
        assert "paper.example" in page
        assert "secret" not in page
    client.post(reverse("feed_unfollow", args=[subscription.pk]))
    assert "secret" not in client.get("/health/").content.decode()
