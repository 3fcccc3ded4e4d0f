"""Icons of feeds: for their followers only, harmless when opened, and shown wherever a feed is named."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from feeds.models import Feed, Icon
from reader.lists.queries import all_of, page_of
from reader.lists.sidebar import sidebar_of
from reader.subscriptions.unfollow import unfollow
from reader.templatetags.formatting import tile
from rssmanager.demo.media import icon as draw_icon
from tests import make
from tests.reader.conftest import World

pytestmark = pytest.mark.django_db

PNG = draw_icon("paper", "ring")
DIGEST = "0123456789abcdef0123456789abcdef"


@pytest.fixture
def icon(world: World) -> Icon:
    """The icon of the feed in `world`."""
    return give_icon(world.subscription.feed)


def give_icon(feed: Feed, digest: str = DIGEST) -> Icon:
    number = make.fresh_number()
    values = {"home_url": "https://paper.example/", "due_at": make.NOW, "mime_type": "image/png"}
    icon = Icon.objects.create(key=number.to_bytes(16, "big"), digest=digest, content=PNG, **values)
    Feed.objects.filter(pk=feed.pk).update(icon=icon)
    return icon


def test_serves_the_icon_of_a_followed_feed(
    browser: Client, icon: Icon, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    browser.get(reverse("home"))
    with django_assert_num_queries(4):  # session, user, preferences, icon
        response = browser.get(reverse("icon", args=[DIGEST]))
    assert (response.status_code, response.content, response["Content-Type"]) == (200, PNG, "image/png")
    assert response["Cache-Control"] == "private, max-age=31536000, immutable"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Content-Security-Policy"] == "sandbox; default-src 'none'; style-src 'unsafe-inline'"


def test_serves_it_to_no_one_else(client: Client, world: World, icon: Icon) -> None:
    url = reverse("icon", args=[DIGEST])
    assert client.get(url).status_code == 302
    other = make.user()
    make.subscription(other)
    client.force_login(other)
    assert client.get(url).status_code == 404
    client.force_login(world.user)
    assert client.get(url).status_code == 200
    assert client.post(url).status_code == 405
    unfollow(world.user, [world.subscription.pk], now=timezone.now())
    assert client.get(url).status_code == 404


def test_has_no_page_for_icons_that_were_not_found(browser: Client, world: World) -> None:
    give_icon(world.subscription.feed, digest="")
    assert browser.get(reverse("icon", args=["0"])).status_code == 404


def test_tile_is_the_icon_or_a_letter() -> None:
    assert tile("Paper").startswith('<span class="tile tile-')
    assert tile("Paper", "") == tile("Paper", None) == tile("Paper")
    image = tile("Paper", DIGEST)
    assert f'src="/feeds/icons/{DIGEST}"' in image
    assert 'data-letter="P"' in image
    assert 'alt=""' in image


@pytest.mark.parametrize("place", ["home", "article", "feed", "health", "duplicates", "article_unfold", "story"])
def test_pages_show_it_and_load_no_files(browser: Client, world: World, icon: Icon, place: str) -> None:
    other = world.duplicate.other
    make.delivery(other, world.story.articles.exclude(pk=world.article.pk).get())
    Feed.objects.filter(pk=other.feed_id).update(icon=icon)
    about = {
        "article": world.article,
        "feed": world.subscription,
        "article_unfold": world.article,
        "story": world.story,
    }
    url = reverse(place, args=[about[place].pk] if place in about else [])
    with CaptureQueriesContext(connection) as queries:
        page = browser.get(url, headers={"HX-Request": "true"} if place == "article_unfold" else {}).content.decode()
    assert f'src="/feeds/icons/{DIGEST}"' in (page.partition("<main")[2] or page)
    assert not [query for query in queries if '"feeds_icon"."content"' in query["sql"]]


def test_row_and_sidebar_have_the_icon_of_the_users_feed() -> None:
    user = make.user()
    own, foreign = make.subscription(user), make.subscription(make.user())
    give_icon(own.feed, "own")
    give_icon(foreign.feed, "foreign")
    article = make.article(feed=foreign.feed)
    make.delivery(foreign, article)
    make.delivery(own, article)
    [row] = page_of(user, all_of(user), None, now=make.NOW).rows
    assert row.icon == "own"
    [feed] = sidebar_of(user, here="home").loose_feeds
    assert feed.icon == "own"
