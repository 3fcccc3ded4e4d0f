"""The settings page and its effect on every page."""

from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from reader.articles.enclosures import picture_of
from reader.articles.tags import add_tags
from reader.models import Preferences
from reader.search.saved import save_search
from tests import make
from tests.markup import tight

pytestmark = pytest.mark.django_db

LOOK = {
    "theme": "dark",
    "density": "cards",
    "face": "system",
    "text_size": "large",
    "line_width": "wide",
    "line_height": "loose",
    "reads_on_scroll": "on",
}


@pytest.fixture
def ada(client: Client) -> User:
    user = make.user("ada")
    client.force_login(user)
    return user


def html_of(client: Client, path: str) -> str:
    page = tight(client.get(path).content.decode())
    return page[page.index("<html") : page.index(">", page.index("<html"))]


def test_saves_and_shows_choices(client: Client, ada: User) -> None:
    assert client.post("/settings/", LOOK)["Location"] == "/settings/"
    preferences = Preferences.objects.get(user=ada)
    assert (preferences.theme, preferences.density, preferences.face, preferences.text_size) == (
        "dark",
        "cards",
        "system",
        "large",
    )
    assert (preferences.reads_on_scroll, preferences.has_keys, preferences.has_pictures, preferences.has_columns) == (
        True,
        False,
        False,
        False,
    )
    page = client.get("/settings/").content.decode()
    assert page.count(" checked") == 7
    assert "Saved." in page


def test_appearance_and_time_zone_are_saved_separately(client: Client, ada: User) -> None:
    client.post("/settings/time-zone/", {"time_zone": "asia/tokyo"})
    client.post("/settings/", LOOK)
    client.post("/settings/time-zone/", {"time_zone": "America/New york"})
    preferences = Preferences.objects.get(user=ada)
    assert (preferences.time_zone, preferences.theme) == ("America/New_York", "dark")


def test_refuses_unknown_time_zone(client: Client, ada: User) -> None:
    client.post("/settings/time-zone/", {"time_zone": "Mars/Olympus"})
    assert not Preferences.objects.exists()
    assert "There is no time zone “Mars/Olympus”" in client.get("/settings/").content.decode()


@pytest.mark.parametrize("name", ["theme", "density", "face", "text_size", "line_width", "line_height"])
def test_ignores_unknown_choice(client: Client, ada: User, name: str) -> None:
    assert client.post("/settings/", LOOK | {name: "loud"}).status_code == 422
    assert not Preferences.objects.exists()


def test_refused_form_does_not_change_the_theme(client: Client, ada: User) -> None:
    page = client.post("/settings/", LOOK | {"face": "loud"}).content.decode()
    assert 'data-theme="system"' in page


@pytest.mark.parametrize(
    ("theme", "scheme", "paper"),
    [("sepia", "light", "#f6ecd9"), ("black", "dark", "#000000"), ("dark", "dark", "#15171a")],
)
def test_browser_knows_the_colours_of_the_theme(client: Client, ada: User, theme: str, scheme: str, paper: str) -> None:
    Preferences.objects.create(user=ada, theme=theme)
    page = client.get("/settings/").content.decode()
    assert f'<meta name="color-scheme" content="{scheme}">' in page
    assert f'<meta name="theme-color" content="{paper}">' in page


@pytest.mark.parametrize("path", ["/all/", "/settings/", "/", "/nowhere/"])
def test_every_page_sets_the_theme_on_its_root(client: Client, ada: User, path: str) -> None:
    Preferences.objects.create(user=ada, theme="dark", density="headlines", face="system", text_size="large")
    wanted = 'data-theme="dark" data-density="headlines" data-face="system" data-size="large"'
    assert wanted in html_of(client, path)


def test_visitors_follow_their_device_without_queries(
    client: Client, ada: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    Preferences.objects.create(user=ada, theme="dark")
    client.logout()
    assert 'data-theme="system"' in html_of(client, "/login/")
    with django_assert_num_queries(1):  # check for an owner
        client.get("/setup/")


def test_every_page_uses_the_users_time_zone(client: Client, ada: User) -> None:
    Preferences.objects.create(user=ada, time_zone="Asia/Tokyo")
    moment = datetime(2026, 3, 4, 20, 0, tzinfo=UTC)
    make.delivery(make.subscription(ada), make.article(published_at=moment))
    assert "Thursday 5 March 2026, 05:00 JST" in client.get("/all/").content.decode()
    client.logout()
    other = make.user()
    make.delivery(make.subscription(other), make.article(published_at=moment))
    client.force_login(other)
    assert "Wednesday 4 March 2026, 20:00 UTC" in client.get("/all/").content.decode()


@pytest.mark.parametrize(
    ("values", "summaries", "pictures"),
    [
        pytest.param({}, 0, 1, id="compact"),
        pytest.param({"density": "headlines"}, 0, 0, id="headlines"),
        pytest.param({"density": "cards"}, 1, 1, id="cards"),
        pytest.param({"density": "cards", "has_pictures": False}, 1, 0, id="cards without pictures"),
    ],
)
def test_density_decides_on_summaries_and_pictures(
    client: Client, ada: User, values: dict[str, object], summaries: int, pictures: int
) -> None:
    Preferences.objects.create(user=ada, **values)
    media = [{"url": "https://paper.example/a.jpg", "mime_type": "image/jpeg"}]
    make.delivery(make.subscription(ada), make.article(summary="What happened.", media=media))
    page = client.get("/all/").content.decode()
    assert (page.count("What happened."), page.count('class="thumb"')) == (summaries, pictures)


@pytest.mark.parametrize(
    ("media", "url"),
    [
        pytest.param([], "", id="nothing"),
        pytest.param([{"url": "https://a.example/x.mp3", "mime_type": "audio/mpeg"}], "", id="sound"),
        pytest.param([{"url": "data:image/png;base64,AA", "mime_type": "image/png"}], "", id="no address"),
        pytest.param([{"url": "javascript:x", "mime_type": "image/png"}], "", id="a script"),
        pytest.param(
            [
                {"url": "https://a.example/x.mp3"},
                {"url": "https://a.example/b.PNG"},
                {"url": "https://a.example/c.png"},
            ],
            "https://a.example/b.PNG",
            id="the first picture",
        ),
    ],
)
def test_shows_the_articles_first_image(media: list[dict[str, str]], url: str) -> None:
    assert picture_of(media) == url


def test_sidebar_marks_the_current_page(client: Client, ada: User) -> None:
    page = client.get("/settings/").content.decode()
    assert page[page.index('id="menu"') : page.index("<main")].count("aria-current") == 1


def test_links_to_other_settings(client: Client, ada: User) -> None:
    page = client.get("/settings/").content.decode()
    for name in ("digest_settings", "interests", "health"):
        assert f'href="{reverse(name)}"' in page


@pytest.mark.parametrize("has_columns", [True, False])
def test_reading_pane_is_available_in_every_list(client: Client, ada: User, has_columns: bool) -> None:
    Preferences.objects.create(user=ada, has_columns=has_columns)
    folder = make.folder(ada, "Mornings")
    subscription = make.subscription(ada, folder=folder)
    article = make.article()
    make.delivery(subscription, article)
    tag = add_tags(ada, article, ("Later",), now=make.NOW)[0]
    saved = save_search(ada, name="Words", query="title")
    lists = ["/all/", "/for-you/", "/important/", "/starred/", "/search/?q=title", "/muted/"]
    lists += [f"/folders/{folder.pk}/", f"/folders/{folder.pk}/selection/", f"/feeds/{subscription.pk}/"]
    lists += [f"/tags/{tag.pk}/", f"/searches/{saved.pk}/", "/", "/stories/"]
    for path in lists:
        text = client.get(path).content.decode()
        assert ("data-pane=" in text) is has_columns, path
        assert ("columns.css" in text) is has_columns, path
    for path in ("/settings/", f"/articles/{article.pk}/"):
        assert "data-pane=" not in client.get(path).content.decode(), path
