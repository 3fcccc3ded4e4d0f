"""Which files an article's page offers."""

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
    [found] = enclosures([medium], body_html="")
    assert (found.kind, found.name) == (kind, name)


def test_a_body_with_pictures_gets_no_other() -> None:
    assert enclosures([PICTURE], body_html='<p><img src="x"></p>') == ()


def test_a_body_without_pictures_gets_one() -> None:
    other = {"url": "https://a.example/q.jpg", "mime_type": "image/jpeg"}
    assert [enclosure.url for enclosure in enclosures([PICTURE, other], body_html="<p>text</p>")] == [PICTURE["url"]]


def test_a_file_named_twice_is_offered_once() -> None:
    sound = {"url": "https://a.example/1.mp3", "mime_type": "audio/mpeg", "length": 5}
    assert enclosures([sound, sound], body_html="") == (
        Enclosure("https://a.example/1.mp3", "audio", "audio/mpeg", "1.mp3", 5),
    )


@pytest.mark.parametrize("url", ["javascript:alert(1)", "data:text/html,x", "ftp://a.example/x", "//a.example/x", ""])
def test_offers_web_addresses_only(url: str) -> None:
    assert enclosures([{"url": url, "mime_type": "audio/mpeg"}], body_html="") == ()


def test_invalid_url_is_shown_whole() -> None:
    [found] = enclosures([{"url": "http://[broken/x.mp3", "mime_type": "audio/mpeg"}], body_html="")
    assert found.name == "http://[broken/x.mp3"


def test_names_the_host_and_has_a_key_of_its_own() -> None:
    first, second = enclosures([{"url": f"https://cdn.example/{n}.mp3"} for n in range(2)], body_html="")
    assert first.host == "cdn.example"
    assert (len(first.key), first.key != second.key) == (32, True)


def test_keeps_the_sizes_that_the_feed_declares() -> None:
    [picture] = enclosures([PICTURE | {"width": 640, "height": 0}], body_html="")
    assert (picture.width, picture.height) == (640, None)
