"""Files that an article's page offers."""

from typing import Any

import pytest

from reader.articles.enclosures import Enclosure, enclosures

PICTURE = {"url": "https://a.example/p.jpg", "mime_type": "image/jpeg"}


@pytest.mark.parametrize(
    ("medium", "kind", "name"),
    [
        pytest.param({"url": "https://a.example/e/1.mp3", "mime_type": "audio/mpeg"}, "audio", "1.mp3", id="sound"),
        pytest.param({"url": "https://a.example/v.mp4?x=1", "mime_type": "video/mp4"}, "video", "v.mp4", id="film"),
        pytest.param(
            {"url": "https://a.example/d.pdf", "mime_type": "application/pdf"}, "file", "d.pdf", id="document"
        ),
        pytest.param({"url": "https://a.example/P.JPG", "mime_type": ""}, "image", "P.JPG", id="picture by its name"),
        pytest.param({"url": "https://a.example/"}, "file", "https://a.example/", id="no name at all"),
        pytest.param({"url": "https://a.example/%E6%96%87.mp3"}, "file", "文.mp3", id="name in another script"),
    ],
)
def test_kind_and_name(medium: dict[str, Any], kind: str, name: str) -> None:
    [enclosure] = enclosures([medium], body_html="")
    assert (enclosure.kind, enclosure.name) == (kind, name)


OTHER = {"url": "https://a.example/q.jpg", "mime_type": "image/jpeg"}


def urls(media: list[dict[str, Any]], body_html: str = "", **options: bool) -> list[str]:
    return [file.url for file in enclosures(media, body_html=body_html, **options)]


def test_shows_all_pictures_with_their_descriptions() -> None:
    media = [PICTURE | {"use": "", "description": "A crane"}, OTHER | {"use": ""}]
    assert [(file.url, file.description) for file in enclosures(media, body_html="<p>text</p>")] == [
        (PICTURE["url"], "A crane"),
        (OTHER["url"], ""),
    ]


@pytest.mark.parametrize(
    "body",
    [
        '<img src="https://a.example/p.jpg" alt="">',
        '<img src="https://a.example/p.jpg?w=300&amp;q=80" alt="">',
        '<img src="https://a.example/p-300x200.jpg" alt="">',
        '<img src="https://x.example/1" srcset="https://a.example/p.jpg 2x, https://x.example/2 3x">',
        '<img src="https://proxy.example/?url=https%3A%2F%2Fa.example%2Fp.jpg&amp;w=9" alt="">',
        '<a href="https://a.example/p.jpg" rel="noopener noreferrer"><img src="https://x.example/small" alt=""></a>',
        '<video src="/v" poster="https://a.example/p.jpg" controls>',
    ],
)
def test_picture_in_the_body_is_not_shown_twice(body: str) -> None:
    assert urls([PICTURE | {"use": ""}, OTHER | {"use": ""}], body) == [OTHER["url"]]


def test_preview_is_shown_only_where_there_is_no_picture() -> None:
    preview = PICTURE | {"use": "preview"}
    emoji = '<img src="https://a.example/e.png" width="20" height="20" alt=":wave:">'
    assert urls([preview]) == urls([preview], f"<p>Hi {emoji}</p>") == [PICTURE["url"]]
    assert urls([preview], '<img src="https://x.example/1" alt="">') == []
    assert urls([preview, OTHER | {"use": ""}]) == [OTHER["url"]]


def test_poster_is_no_picture_of_its_own() -> None:
    film = {"url": "https://a.example/v.mp4", "mime_type": "video/mp4", "use": "", "poster": PICTURE["url"]}
    [file] = enclosures([film, PICTURE | {"use": "preview"}], body_html="")
    assert (file.kind, file.poster) == ("video", PICTURE["url"])


def test_page_has_its_own_pictures() -> None:
    assert urls([PICTURE | {"use": ""}], "<p>text</p>", is_page=True) == [PICTURE["url"]]
    assert urls([PICTURE | {"use": ""}], '<img src="https://x.example/1" alt="">', is_page=True) == []


def test_video_of_a_player_is_not_offered_as_a_file() -> None:
    film = {"url": "https://tube.example/v.mp4", "mime_type": "video/mp4", "use": ""}
    torrent = {"url": "https://tube.example/v.torrent", "mime_type": "application/x-bittorrent", "use": ""}
    assert urls([film, torrent, PICTURE | {"use": "preview"}], has_video=True) == [torrent["url"]]


def test_recording_in_the_body_has_one_player() -> None:
    sound = {"url": "https://a.example/1.mp3", "mime_type": "audio/mpeg", "use": ""}
    assert urls([sound], '<audio src="https://a.example/1.mp3?from=page" preload="none" controls></audio>') == []
    assert urls([sound], '<audio preload="none"><source src="https://a.example/1.mp3"></audio>') == []
    assert urls([sound], '<audio src="https://a.example/2.mp3" preload="none" controls></audio>') == [sound["url"]]


@pytest.mark.parametrize(
    "medium",
    [
        {"url": "https://a.example/p.swf", "mime_type": ""},
        {"url": "https://a.example/v/1", "mime_type": "application/x-shockwave-flash"},
        {"url": "https://a.example/watch", "mime_type": "text/html", "use": "player"},
    ],
)
def test_offers_no_flash_and_no_addresses_of_players(medium: dict[str, Any]) -> None:
    assert urls([medium]) == []


def test_stored_before_pictures_were_told_apart() -> None:
    assert urls([PICTURE, OTHER]) == [PICTURE["url"]]
    assert urls([PICTURE], '<p><img src="x"></p>') == []


def test_offers_file_named_twice_once() -> None:
    sound = {"url": "https://a.example/1.mp3", "mime_type": "audio/mpeg", "length": 5}
    assert enclosures([sound, sound], body_html="") == (
        Enclosure("https://a.example/1.mp3", "audio", "audio/mpeg", "1.mp3", 5),
    )


@pytest.mark.parametrize("url", ["javascript:alert(1)", "data:text/html,x", "ftp://a.example/x", "//a.example/x", ""])
def test_offers_only_web_addresses(url: str) -> None:
    assert enclosures([{"url": url, "mime_type": "audio/mpeg"}], body_html="") == ()


def test_shows_invalid_url_unchanged() -> None:
    [enclosure] = enclosures([{"url": "http://[broken/x.mp3", "mime_type": "audio/mpeg"}], body_html="")
    assert enclosure.name == "http://[broken/x.mp3"


def test_names_host_and_has_unique_key() -> None:
    first, second = enclosures([{"url": f"https://cdn.example/{n}.mp3"} for n in range(2)], body_html="")
    assert first.host == "cdn.example"
    assert (len(first.key), first.key != second.key) == (32, True)


def test_keeps_sizes_declared_by_feed() -> None:
    [picture] = enclosures([PICTURE | {"width": 640, "height": 0}], body_html="")
    assert (picture.width, picture.height) == (640, None)
