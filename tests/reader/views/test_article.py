"""The page of one article."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries
from selectolax.lexbor import LexborHTMLParser

from feeds.models import Disposition, Revision, Tier
from feeds.normalizing.draft import Chapter
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


def test_prefetch_and_head_do_not_mark_read(browser: Client, world: World) -> None:
    url = reverse("article", args=[world.article.pk])
    assert browser.get(url, headers={"Sec-Purpose": "prefetch;prerender"}).status_code == 200
    assert browser.head(url).status_code == 200
    world.delivery.refresh_from_db()
    assert not world.delivery.is_read
    assert not Engagement.objects.filter(kind="opened").exists()


def test_opening_twice_is_learned_once(browser: Client, world: World) -> None:
    page(browser, world)
    page(browser, world)
    assert Engagement.objects.filter(kind="opened").count() == 1


def test_keeping_unread_returns_to_the_list(browser: Client, world: World) -> None:
    mark_read(world.user, [world.article.pk])
    response = browser.post(
        reverse("article_read", args=[world.article.pk]), {"is_read": "0", "next": f"/folders/{world.folder.pk}/"}
    )
    assert response["Location"] == f"/folders/{world.folder.pk}/#a{world.article.pk}"
    world.delivery.refresh_from_db()
    assert not world.delivery.is_read


@pytest.mark.parametrize("starred", [True, False])
def test_starring_returns_to_the_article(browser: Client, world: World, starred: bool) -> None:
    here = reverse("article", args=[world.article.pk]) + "?next=/starred/"
    url = reverse("article_star", args=[world.article.pk])
    browser.post(url, {"is_starred": "0" if starred else "1"})
    response = browser.post(url, {"is_starred": "1" if starred else "0", "next": here})
    assert response["Location"] == here
    assert ArticleState.objects.get().is_starred is starred
    assert Engagement.active.filter(kind="starred").exists() is starred


def test_script_gets_an_empty_response(browser: Client, world: World) -> None:
    url = reverse("article_star", args=[world.article.pk])
    response = browser.post(url, {"is_starred": "1"}, headers={"X-Quiet": "1"})
    assert (response.status_code, response.content, ArticleState.objects.get().is_starred) == (204, b"", True)


def test_shows_only_sanitized_body(browser: Client, world: World) -> None:
    world.article.markup = '<p onclick="steal()">Fine<script>steal()</script></p><a href="javascript:steal()">x</a>'
    world.article.save()
    text = page(browser, world)
    assert "<p>Fine</p>" in text
    assert "steal" not in text


def test_shows_source_tier_author_and_uncertain_date(browser: Client, world: World) -> None:
    world.subscription.feed.source.tier = Tier.T2
    world.subscription.feed.source.save()
    world.article.author, world.article.date_uncertain, world.article.reading_seconds = "Ada Lovelace", True, 240
    world.article.save()
    text = page(browser, world)
    tier = f'title="{Tier.T2.label}"'
    for words in ("Ada Lovelace", tier, "(date uncertain)", "4 min read", 'rel="noopener noreferrer"'):
        assert words in text
    assert f'href="{world.article.url}"' in text


def test_shows_no_author_who_is_also_the_source(browser: Client, world: World) -> None:
    shown = f"<span><bdi>{world.subscription.feed.title}</bdi></span>"
    world.article.author = world.subscription.feed.title.upper()
    world.article.save()
    assert shown.lower() not in page(browser, world).lower()
    world.article.author = f"{world.subscription.feed.title} Jr"
    world.article.save()
    assert shown.replace("</bdi>", " Jr</bdi>") in page(browser, world)


def test_tier_of_feed_overrides_tier_of_source(browser: Client, world: World) -> None:
    feed = world.subscription.feed
    feed.tier = Tier.T1
    feed.save()
    assert f'title="{Tier.T1.label}"' in page(browser, world)


def revised(world: World, n: int = 2) -> list[Revision]:
    """Older versions, latest first."""
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


def test_compares_each_version_with_the_next(browser: Client, world: World) -> None:
    first, second = revised(world)
    response = browser.get(reverse("article_changes", args=[world.article.pk]))
    changes = response.context["changes"]
    assert [change.old for change in changes] == [first, second]
    assert [(change.title.n_removed, change.title.n_added) for change in changes] == [(3, 1), (1, 1)]
    text = response.content.decode()
    assert f'id="v{second.pk}"' in text
    assert "<p>Older text</p>" in text


def test_mentions_changes_of_markup_only(browser: Client, world: World) -> None:
    Revision.objects.create(
        article=world.article,
        replaced_at=make.NOW,
        title=world.article.title,
        text=world.article.text,
        content_hash=1,
    )
    assert "Only formatting, links or images changed." in page(browser, world)


def test_unchanged_article_says_so(browser: Client, world: World) -> None:
    response = browser.get(reverse("article_changes", args=[world.article.pk]), {"next": "https://evil.example"})
    assert "t changed. If its publisher" in response.content.decode()
    assert response.context["back"] == reverse("article", args=[world.article.pk])


@pytest.mark.parametrize("n", [1, 30])
def test_changes_take_constant_queries(
    browser: Client, world: World, django_assert_num_queries: DjangoAssertNumQueries, n: int
) -> None:
    revised(world, n)
    with django_assert_num_queries(11):
        browser.get(reverse("article_changes", args=[world.article.pk]))


def test_shows_how_it_arrived_by_followed_feeds(browser: Client, world: World) -> None:
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
    assert "Exact duplicate (layer URL, same canonical URL)" in text
    assert "Unique (layer URL, Morning)" in text
    assert "Also in" in text
    assert "Second" in text
    assert "Strange" not in text
    assert stranger.feed.title not in text


def test_offers_enclosures(browser: Client, world: World) -> None:
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


def test_keeps_position_per_user(browser: Client, world: World) -> None:
    PlaybackPosition.objects.create(
        user=make.user(), article=world.article, file=file_key(SOUND["url"]), seconds=90, saved_at=make.NOW
    )
    assert "you stopped at" not in page(browser, world)


@pytest.mark.parametrize(
    ("file", "seconds"),
    [(SOUND["url"], "-1"), (SOUND["url"], "1.5"), (SOUND["url"], ""), ("https://cdn.example/other.mp3", "75")],
)
def test_refuses_invalid_position(browser: Client, world: World, file: str, seconds: str) -> None:
    url = reverse("article_position", args=[world.article.pk])
    response = browser.post(url, {"file": file_key(file), "seconds": seconds})
    assert (response.status_code, PlaybackPosition.objects.count()) == (400, 0)


def test_offers_removed_embeds_as_links_with_host(browser: Client, world: World) -> None:
    world.article.markup = '<p>See</p><iframe src="https://www.youtube.com/embed/dQw4w9WgXcQ"></iframe>'
    world.article.save()
    text = page(browser, world)
    assert '<a class="button" href="https://www.youtube.com/watch?v=dQw4w9WgXcQ" rel="noopener noreferrer"' in text
    assert "loads from youtube.com when you play it" in text
    assert "<iframe" not in text


def test_offers_player_declared_as_file_once(browser: Client, world: World) -> None:
    world.article.media = [
        {"url": "https://www.youtube.com/v/dQw4w9WgXcQ", "mime_type": "application/x-shockwave-flash"}
    ]
    world.article.save()
    text = page(browser, world)
    assert text.count('href="https://www.youtube.com/watch?v=dQw4w9WgXcQ"') == 2  # to play it, and to open it there
    assert "shockwave" not in text


def test_frame_of_a_player_has_a_page_of_its_own(browser: Client, world: World) -> None:
    world.article.markup = '<iframe src="https://tube.example:9000/videos/embed/9c9de5e8-0a1e-484a-b099-e80766180a6d">'
    world.article.media = []
    world.article.save()
    text = page(browser, world)
    [address] = re.findall(r'data-embed="([^"]+)"', text)
    response = browser.get(address)
    assert (response.status_code, response["X-Frame-Options"]) == (200, "SAMEORIGIN")
    assert response["Content-Security-Policy"] == (
        "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; "
        "frame-src https://tube.example:9000"
    )
    frame = LexborHTMLParser(response.content.decode()).css_first("iframe").attributes
    assert frame["src"] == (
        "https://tube.example:9000/videos/embed/9c9de5e8-0a1e-484a-b099-e80766180a6d?autoplay=1&p2p=0"
    )
    assert "allow-top-navigation" not in str(frame["sandbox"])
    assert frame["referrerpolicy"] == "no-referrer"
    policy = browser.get(reverse("article", args=[world.article.pk]))["Content-Security-Policy"]
    assert "tube.example" not in policy


def test_only_players_of_an_article_that_is_seen_have_a_frame(browser: Client, world: World) -> None:
    markup = '<iframe src="https://www.youtube.com/embed/dQw4w9WgXcQ"></iframe><iframe src="https://chart.example/1">'
    world.article.markup = markup
    world.article.save()
    key, other = file_key("https://www.youtube.com/watch?v=dQw4w9WgXcQ"), file_key("https://chart.example/1")
    hidden = make.article(markup=markup)
    for pk, wanted, status in (
        (world.article.pk, key, 200),
        (world.article.pk, other, 404),
        (world.article.pk, "0" * 32, 404),
        (hidden.pk, key, 404),
    ):
        assert browser.get(reverse("article_player", args=[pk, wanted])).status_code == status


def test_recording_has_duration_chapters_and_transcript(browser: Client, world: World) -> None:
    world.article.media = [
        SOUND
        | {
            "seconds": 3723,
            "chapters": [
                {"start": 0.0, "title": "Hello"},
                {"start": 61.5, "title": "Cranes", "url": "https://c.example/"},
            ],
            "transcripts": [
                {"url": "https://cdn.example/1.vtt", "mime_type": "text/vtt"},
                {"url": "https://cdn.example/1.html", "mime_type": "text/html"},
                {"url": "javascript:alert(1)", "mime_type": "text/html", "language": "de"},
            ],
        }
    ]
    world.article.save()
    tree = LexborHTMLParser(page(browser, world))
    assert tree.css_first(".player figcaption span").text() == "1:02:03"
    assert [
        (a.attributes["data-seek"], " ".join(a.text(separator=" ").split()))
        for a in tree.css(".chapter-list [data-seek]")
    ] == [
        ("0.0", "0:00 Hello"),
        ("61.5", "1:01 Cranes"),
    ]
    assert [a.attributes["href"] for a in tree.css(".chapter-list [data-seek]")] == [
        SOUND["url"],
        f"{SOUND['url']}#t=61.5",
    ]
    assert [a.attributes["href"] for a in tree.css(".chapter-link, .transcript")] == [
        "https://cdn.example/1.html",
        "https://c.example/",
    ]
    assert "1:02:03" in browser.get("/all/").content.decode()


def test_chapters_of_a_file_are_fetched_when_asked_for(
    browser: Client, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def fetch(url: str) -> tuple[Chapter, ...]:
        asked.append(url)
        return (Chapter(0.0, "Hello"), Chapter(3600.0, "End"))

    monkeypatch.setattr("reader.views.article.fetch_chapters", fetch)
    world.article.media = [SOUND | {"chapters_file": {"url": "https://cdn.example/c.json"}}]
    world.article.save()
    tree = LexborHTMLParser(page(browser, world))
    address = tree.css_first(".chapters [hx-get]").attributes["hx-get"]
    assert asked == []
    listed = browser.get(address, headers={"HX-Request": "true"})
    assert [" ".join(a.text().split()) for a in LexborHTMLParser(listed.content.decode()).css("[data-seek]")] == [
        "0:00 Hello",
        "1:00:00 End",
    ]
    assert "<html" in browser.get(address).content.decode()
    assert asked == ["https://cdn.example/c.json"] * 2
    assert browser.get(reverse("article_chapters", args=[world.article.pk, "0" * 32])).status_code == 404


def test_does_not_link_non_web_urls(browser: Client, world: World) -> None:
    world.article.url = "javascript:alert(1)"
    world.article.save()
    assert "javascript:" not in page(browser, world)
    assert "javascript:" not in browser.get("/all/").content.decode()


def test_mentions_missing_text(browser: Client, world: World) -> None:
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
def test_back_link_leads_to_the_list(browser: Client, world: World, wanted: str, back: str) -> None:
    assert f'href="{back}#a{world.article.pk}" data-back' in page(browser, world, next=wanted)


@pytest.mark.parametrize("n", [1, 30])
def test_takes_constant_queries(
    browser: Client, world: World, django_assert_num_queries: DjangoAssertNumQueries, n: int
) -> None:
    for number in range(n):
        make.delivery(make.subscription(world.user), world.article)
        Revision.objects.create(article=world.article, replaced_at=make.NOW, title="Old", content_hash=number)
    page(browser, world)  # marks it read and sanitizes it
    with django_assert_num_queries(30):
        page(browser, world)


BESIDE = {"X-Fragment": "pane"}


def test_is_a_fragment_in_the_reading_pane(browser: Client, world: World) -> None:
    url = reverse("article", args=[world.article.pk])
    response = browser.get(url, {"next": "/all/"}, headers=BESIDE)
    text = response.content.decode()
    assert "<html" not in text
    assert 'class="sidebar"' not in text
    assert f'data-title="{world.article.title} · RSS Manager"' in text
    for act in ("read", "star", "liked", "disliked", "skipped"):
        assert text.count(f'data-act="{act}"') == 1  # each changes what the list shows, too
    assert text.count('id="article-acts"') == 1
    assert f'name="next" value="{url}?next=%2Fall%2F"' in text  # forms return to the article
    world.delivery.refresh_from_db()
    assert world.delivery.is_read


def test_page_and_pane_are_cached_separately(browser: Client, world: World) -> None:
    for headers in ({}, BESIDE, {"X-Fragment": "progress"}):
        response = browser.get(reverse("article", args=[world.article.pk]), headers=headers)
        assert "X-Fragment" in response["Vary"]


def test_pane_does_not_show_other_users_articles(client: Client, world: World) -> None:
    client.force_login(make.user())
    response = client.get(reverse("article", args=[world.article.pk]), headers=BESIDE)
    assert response.status_code == 404
    assert world.article.title not in response.content.decode()
    world.delivery.refresh_from_db()
    assert not world.delivery.is_read
    assert not Engagement.objects.filter(kind="opened").exists()


@pytest.mark.parametrize("n", [1, 9])
def test_pane_does_not_query_the_sidebar(
    browser: Client, world: World, django_assert_num_queries: DjangoAssertNumQueries, n: int
) -> None:
    for _number in range(n):
        make.delivery(make.subscription(world.user), world.article)
    url = reverse("article", args=[world.article.pk])
    browser.get(url)  # marks it read and sanitizes it
    with django_assert_num_queries(26):
        browser.get(url, {"next": "/all/"}, headers=BESIDE)


def test_pane_shows_messages(browser: Client, world: World) -> None:
    here = reverse("article", args=[world.article.pk]) + "?next=/all/"
    url = reverse("article_separate", args=[world.article.pk])
    response = browser.post(url, {"next": here}, headers=BESIDE, follow=True)
    assert response.redirect_chain == [(here, 302)]
    assert "from its story, for you only" in response.content.decode()
    assert "<html" not in response.content.decode()


def test_shows_that_article_is_unique(browser: Client, world: World) -> None:
    world.article.items.update(layer="", evidence="")
    assert "Unique (no earlier match)" in page(browser, world)


def test_shows_unsanitizable_markup_as_text_once(
    browser: Client, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.article.markup = "<p><b>word</b></p>" * (MAX_CLEANED // 2 + 1)
    world.article.save()
    html = page(browser, world)
    assert "The formatting is too complex to show. This is the plain text." in html
    assert (html.count("<p>word</p>"), html.count("<b>word</b>")) == (MAX_CLEANED // 2 + 1, 0)
    monkeypatch.setattr("feeds.content.sanitized.sanitize_body", None)
    assert page(browser, world).count("<p>word</p>") == MAX_CLEANED // 2 + 1
