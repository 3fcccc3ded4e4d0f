"""The page of one article."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from feeds.models import Disposition, Revision, Tier
from feeds.normalizing.html import MAX_CLEANED
from reader.articles.enclosures import file_key
from reader.articles.read_state import mark_read
from reader.models import ArticleState, Engagement, PlaybackPosition
from tests import make
from tests.markup import tight
from tests.reader.conftest import SOUND, World

pytestmark = pytest.mark.django_db


def page(client: Client, world: World, **query: str) -> str:
    return tight(client.get(reverse("article", args=[world.article.pk]), query).content.decode())


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
    assert Engagement.active.filter(kind="starred").exists() is starred


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
    for words in ("Ada Lovelace", ">T2</span>", "(date uncertain)", "4 min read", 'rel="noopener noreferrer"'):
        assert words in text
    assert f'href="{world.article.url}"' in text


def test_the_tier_of_the_feed_wins(browser: Client, world: World) -> None:
    feed = world.subscription.feed
    feed.tier = Tier.T1
    feed.save()
    assert ">T1</span>" in page(browser, world)


def revised(world: World, n: int = 2) -> list[Revision]:
    """Older versions, the latest first."""
    return [
        Revision.objects.create(
            article=world.article,
            replaced_at=make.NOW - timedelta(hours=number),
            title=f"Older title {number}",
            text=f"Older text\n\nin {number} paragraphs",
            content_hash=number,
        )
        for number in range(n)
    ]


def test_names_older_versions_and_shows_the_latest_change(browser: Client, world: World) -> None:
    revised(world)
    text = page(browser, world)
    assert "Updated 2 times" in text
    assert text.index("Older title 0</bdi>") < text.index("Older title 1</bdi>")
    assert '<del><span class="spoken">removed:</span>Older text' in text
    assert '<ins><span class="spoken">added:</span>Body of' in text


def test_the_changes_are_each_version_against_the_next(browser: Client, world: World) -> None:
    first, second = revised(world)
    answer = browser.get(reverse("article_changes", args=[world.article.pk]))
    changes = answer.context["changes"]
    assert [change.old for change in changes] == [first, second]
    assert [(change.title.n_removed, change.title.n_added) for change in changes] == [(3, 1), (1, 1)]
    text = answer.content.decode()
    assert f'id="v{second.pk}"' in text
    assert "<p>Older text</p>" in text


def test_a_change_of_the_look_alone_says_so(browser: Client, world: World) -> None:
    Revision.objects.create(
        article=world.article,
        replaced_at=make.NOW,
        title=world.article.title,
        text=world.article.text,
        content_hash=1,
    )
    assert "Only formatting, links or images changed." in page(browser, world)


def test_an_article_never_changed_says_so(browser: Client, world: World) -> None:
    answer = browser.get(reverse("article_changes", args=[world.article.pk]), {"next": "https://evil.example"})
    assert "t changed. If its publisher" in answer.content.decode()
    assert answer.context["back"] == reverse("article", args=[world.article.pk])


@pytest.mark.parametrize("n", [1, 30])
def test_the_changes_cost_the_same_however_many(
    browser: Client, world: World, django_assert_num_queries: DjangoAssertNumQueries, n: int
) -> None:
    revised(world, n)
    with django_assert_num_queries(11):
        browser.get(reverse("article_changes", args=[world.article.pk]))


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


def test_player_resumes_at_saved_position(browser: Client, world: World) -> None:
    url, data = reverse("article_position", args=[world.article.pk]), {"file": file_key(SOUND["url"])}
    assert browser.post(url, data | {"seconds": "3725"}).status_code == 204
    text = page(browser, world)
    assert 'src="https://cdn.example/talk.mp3#t=3725"' in text
    assert "you stopped at 1:02:05" in text
    browser.post(url, data | {"seconds": "0"})
    assert 'src="https://cdn.example/talk.mp3"' in page(browser, world)
    assert not PlaybackPosition.objects.exists()


def test_positions_are_per_user(browser: Client, world: World) -> None:
    PlaybackPosition.objects.create(
        user=make.user(), article=world.article, file=file_key(SOUND["url"]), seconds=90, saved_at=make.NOW
    )
    assert "you stopped at" not in page(browser, world)


@pytest.mark.parametrize(
    ("file", "seconds"),
    [(SOUND["url"], "-1"), (SOUND["url"], "1.5"), (SOUND["url"], ""), ("https://cdn.example/other.mp3", "75")],
)
def test_a_position_that_cannot_be_is_refused(browser: Client, world: World, file: str, seconds: str) -> None:
    url = reverse("article_position", args=[world.article.pk])
    answer = browser.post(url, {"file": file_key(file), "seconds": seconds})
    assert (answer.status_code, PlaybackPosition.objects.count()) == (400, 0)


def test_what_the_sanitizer_took_out_is_offered_as_a_link_that_names_its_host(browser: Client, world: World) -> None:
    world.article.markup = '<p>See</p><iframe src="https://www.youtube.com/embed/dQw4w9WgXcQ"></iframe>'
    world.article.save()
    text = page(browser, world)
    assert '<a class="button" href="https://www.youtube.com/watch?v=dQw4w9WgXcQ" rel="noopener noreferrer"' in text
    assert "Play on youtube.com" in text
    assert "<iframe" not in text


def test_a_player_declared_as_a_file_is_offered_once(browser: Client, world: World) -> None:
    world.article.media = [
        {"url": "https://www.youtube.com/v/dQw4w9WgXcQ", "mime_type": "application/x-shockwave-flash"}
    ]
    world.article.save()
    text = page(browser, world)
    assert "Play on youtube.com" in text
    assert "shockwave" not in text


def test_no_link_where_the_address_is_not_of_the_web(browser: Client, world: World) -> None:
    world.article.url = "javascript:alert(1)"
    world.article.save()
    assert "javascript:" not in page(browser, world)
    assert "javascript:" not in browser.get("/all/").content.decode()


def test_says_that_there_is_no_text(browser: Client, world: World) -> None:
    world.article.markup = ""
    world.article.save()
    assert "The feed only includes a title." in page(browser, world)


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
    with django_assert_num_queries(39):
        page(browser, world)


BESIDE = {"X-Fragment": "pane"}


def test_beside_a_list_it_comes_without_a_page_around_it(browser: Client, world: World) -> None:
    url = reverse("article", args=[world.article.pk])
    answer = browser.get(url, {"next": "/all/"}, headers=BESIDE)
    text = answer.content.decode()
    assert "<html" not in text
    assert 'class="sidebar"' not in text
    assert f'data-title="{world.article.title} · rssmanager"' in text
    for act in ("read", "star", "liked", "disliked", "skipped"):
        assert text.count(f'data-act="{act}"') == 1  # each changes what the list shows, too
    assert text.count('id="article-acts"') == 1
    assert f'name="next" value="{url}?next=%2Fall%2F"' in text  # where forms come back to: the article
    world.delivery.refresh_from_db()
    assert world.delivery.is_read


def test_a_browser_keeps_the_page_and_what_stands_beside_a_list_apart(browser: Client, world: World) -> None:
    for headers in ({}, BESIDE, {"X-Fragment": "progress"}):
        answer = browser.get(reverse("article", args=[world.article.pk]), headers=headers)
        assert "X-Fragment" in answer["Vary"]


def test_nobody_elses_article_stands_beside_a_list(client: Client, world: World) -> None:
    client.force_login(make.user())
    answer = client.get(reverse("article", args=[world.article.pk]), headers=BESIDE)
    assert answer.status_code == 404
    assert world.article.title not in answer.content.decode()
    world.delivery.refresh_from_db()
    assert not world.delivery.is_read
    assert not Engagement.objects.filter(kind="opened").exists()


@pytest.mark.parametrize("n", [1, 9])
def test_beside_a_list_it_asks_nothing_about_the_sidebar(
    browser: Client, world: World, django_assert_num_queries: DjangoAssertNumQueries, n: int
) -> None:
    for _number in range(n):
        make.delivery(make.subscription(world.user), world.article)
    url = reverse("article", args=[world.article.pk])
    browser.get(url)  # marks it read and sanitizes it
    with django_assert_num_queries(35):
        browser.get(url, {"next": "/all/"}, headers=BESIDE)


def test_what_was_done_is_told_beside_the_list(browser: Client, world: World) -> None:
    here = reverse("article", args=[world.article.pk]) + "?next=/all/"
    url = reverse("article_separate", args=[world.article.pk])
    answer = browser.post(url, {"next": here}, headers=BESIDE, follow=True)
    assert answer.redirect_chain == [(here, 302)]
    assert "from its story, for you only" in answer.content.decode()
    assert "<html" not in answer.content.decode()


def test_says_that_nothing_was_the_same(browser: Client, world: World) -> None:
    world.article.items.update(layer="", evidence="")
    assert "Unique (no earlier match)" in page(browser, world)


def test_markup_that_is_too_much_to_sanitize_is_shown_as_text_once(
    browser: Client, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.article.markup = "<p><b>word</b></p>" * (MAX_CLEANED // 2 + 1)
    world.article.save()
    shown = page(browser, world)
    assert "The formatting is too complex to show. This is the plain text." in shown
    assert (shown.count("<p>word</p>"), shown.count("<b>word</b>")) == (MAX_CLEANED // 2 + 1, 0)
    monkeypatch.setattr("feeds.content.sanitized.sanitize_body", None)
    assert page(browser, world).count("<p>word</p>") == MAX_CLEANED // 2 + 1
