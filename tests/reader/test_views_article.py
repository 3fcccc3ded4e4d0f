"""The page of one article."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from feeds.models import Disposition, Revision, Tier
from reader.marking import mark_read
from reader.models import ArticleState, Engagement
from tests import make
from tests.reader.conftest import World

pytestmark = pytest.mark.django_db


def page(client: Client, world: World, **query: str) -> str:
    return client.get(reverse("article", args=[world.article.pk]), query).content.decode()


def test_opening_marks_read(browser: Client, world: World) -> None:
    page(browser, world)
    world.delivery.refresh_from_db()
    assert world.delivery.is_read
    world.subscription.refresh_from_db()
    assert world.subscription.unread_count == 0


def test_fetching_ahead_or_asking_for_the_head_does_not(browser: Client, world: World) -> None:
    url = reverse("article", args=[world.article.pk])
    assert browser.get(url, headers={"Sec-Purpose": "prefetch;prerender"}).status_code == 200
    assert browser.head(url).status_code == 200
    world.delivery.refresh_from_db()
    assert not world.delivery.is_read
    assert not Engagement.objects.filter(kind="opened").exists()


def test_opening_twice_teaches_once(browser: Client, world: World) -> None:
    page(browser, world)
    page(browser, world)
    assert Engagement.objects.filter(kind="opened").count() == 1


def test_keeping_unread_goes_back_to_the_list(browser: Client, world: World) -> None:
    mark_read(world.user, [world.article.pk])
    answer = browser.post(
        reverse("article_read", args=[world.article.pk]), {"is_read": "0", "next": f"/folders/{world.folder.pk}/"}
    )
    assert answer["Location"] == f"/folders/{world.folder.pk}/#a{world.article.pk}"
    world.delivery.refresh_from_db()
    assert not world.delivery.is_read


@pytest.mark.parametrize("starred", [True, False])
def test_starring_from_the_article_comes_back_to_it(browser: Client, world: World, starred: bool) -> None:
    here = reverse("article", args=[world.article.pk]) + "?next=/starred/"
    url = reverse("article_star", args=[world.article.pk])
    browser.post(url, {"is_starred": "0" if starred else "1"})
    answer = browser.post(url, {"is_starred": "1" if starred else "0", "next": here})
    assert answer["Location"] == here
    assert ArticleState.objects.get().is_starred is starred
    assert Engagement.objects.filter(kind="starred", undoes=None, undone_by=None).exists() is starred


def test_a_script_gets_an_empty_answer(browser: Client, world: World) -> None:
    url = reverse("article_star", args=[world.article.pk])
    answer = browser.post(url, {"is_starred": "1"}, headers={"X-Quiet": "1"})
    assert (answer.status_code, answer.content, ArticleState.objects.get().is_starred) == (204, b"", True)


def test_shows_the_sanitized_body_only(browser: Client, world: World) -> None:
    world.article.markup = '<p onclick="steal()">Fine<script>steal()</script></p><a href="javascript:steal()">x</a>'
    world.article.save()
    text = page(browser, world)
    assert "<p>Fine</p>" in text
    assert "steal" not in text


def test_tells_source_tier_author_time_and_what_is_uncertain(browser: Client, world: World) -> None:
    world.subscription.feed.source.tier = Tier.T2
    world.subscription.feed.source.save()
    world.article.author, world.article.date_uncertain, world.article.reading_seconds = "Ada Lovelace", True, 240
    world.article.save()
    text = page(browser, world)
    for words in ("Ada Lovelace", ">T2</span>", "(date uncertain)", "4 min to read", 'rel="noopener noreferrer"'):
        assert words in text
    assert f'href="{world.article.url}"' in text


def test_the_tier_of_the_feed_wins(browser: Client, world: World) -> None:
    feed = world.subscription.feed
    feed.tier = Tier.T1
    feed.save()
    assert ">T1</span>" in page(browser, world)


def test_shows_older_versions(browser: Client, world: World) -> None:
    for number in range(2):
        Revision.objects.create(
            article=world.article,
            replaced_at=make.NOW - timedelta(hours=number),
            title=f"Older title {number}",
            text="Older text\n\nin two paragraphs",
            content_hash=number,
        )
    text = page(browser, world)
    assert "Updated 2 times" in text
    assert text.index("Older title 0") < text.index("Older title 1")
    assert "<p>Older text</p>" in text


def test_says_how_it_came_by_the_feeds_one_follows(browser: Client, world: World) -> None:
    second = make.subscription(world.user, title="Second")
    stranger = make.subscription(make.user(), title="Strange")
    for subscription in (second, stranger):
        make.item(
            subscription.feed,
            world.article,
            disposition=Disposition.EXACT_DUPLICATE,
            layer="url",
            evidence="same canonical URL",
            first_seen_at=make.NOW + timedelta(hours=1),
        )
    make.delivery(second, world.article)
    text = page(browser, world)
    assert "Exact duplicate (layer url, same canonical URL)" in text
    assert "Unique (layer url, Morning)" in text
    assert "Also in" in text
    assert "Second" in text
    assert "Strange" not in text
    assert stranger.feed.title not in text


def test_offers_its_files(browser: Client, world: World) -> None:
    world.article.media = [
        {"url": "https://cdn.example/talk.mp3", "mime_type": "audio/mpeg", "length": 3_500_000},
        {"url": "javascript:alert(1)", "mime_type": "audio/mpeg"},
    ]
    world.article.save()
    text = page(browser, world)
    assert '<audio controls preload="none" src="https://cdn.example/talk.mp3"' in text
    assert "3.3\xa0MB" in text
    assert "javascript:" not in text


def test_no_link_where_the_address_is_not_of_the_web(browser: Client, world: World) -> None:
    world.article.url = "javascript:alert(1)"
    world.article.save()
    assert "javascript:" not in page(browser, world)
    assert "javascript:" not in browser.get("/all/").content.decode()


def test_says_that_there_is_no_text(browser: Client, world: World) -> None:
    world.article.markup = ""
    world.article.save()
    assert "The feed gave a title only." in page(browser, world)


@pytest.mark.parametrize(
    ("wanted", "back"),
    [
        ("/folders/3/?after=u.1.2", "/folders/3/?after=u.1.2"),
        ("https://evil.example", "/all/"),
        ("//evil.example", "/all/"),
    ],
)
def test_back_leads_to_the_list_it_came_from(browser: Client, world: World, wanted: str, back: str) -> None:
    assert f'href="{back}#a{world.article.pk}" data-back' in page(browser, world, next=wanted)


@pytest.mark.parametrize("n", [1, 30])
def test_costs_the_same_whatever_feeds_and_versions_there_are(
    browser: Client, world: World, django_assert_num_queries: DjangoAssertNumQueries, n: int
) -> None:
    for number in range(n):
        make.delivery(make.subscription(world.user), world.article)
        Revision.objects.create(article=world.article, replaced_at=make.NOW, title="Old", content_hash=number)
    page(browser, world)  # marks it read and sanitizes it
    with django_assert_num_queries(32):
        page(browser, world)


def test_says_that_nothing_was_the_same(browser: Client, world: World) -> None:
    world.article.items.update(layer="", evidence="")
    assert "Unique (nothing before it was the same)" in page(browser, world)
