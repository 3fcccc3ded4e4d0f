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


def test_body_with_pictures_gets_no_other() -> None:
    assert enclosures([PICTURE], body_html='<p><img src="x"></p>') == ()


def test_body_without_pictures_gets_one() -> None:
    other = {"url": "https://a.example/q.jpg", "mime_type": "image/jpeg"}
    assert [enclosure.url for enclosure in enclosures([PICTURE, other], body_html="<p>text</p>")] == [PICTURE["url"]]


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
