"""Media: priority, absolute URLs, types, and the first image of a body."""

import pytest

from feeds.normalizing.draft import Media
from feeds.normalizing.media import collect_media
from feeds.parsing.feed import ParsedMedia

BASE = "https://paper.example/2026/story"


@pytest.mark.parametrize(
    ("declared", "markup", "expected"),
    [
        pytest.param((), "<p>No picture</p>", (), id="nothing"),
        pytest.param(
            (ParsedMedia("/a.mp3", "enclosure", "audio/mpeg", 1000),),
            "",
            (Media("https://paper.example/a.mp3", "audio/mpeg", 1000),),
            id="enclosure",
        ),
        pytest.param(
            (ParsedMedia("https://x.example/t.png", "thumbnail"), ParsedMedia("https://x.example/b.mp4", "enclosure")),
            "<img src='/body.jpg'>",
            (Media("https://x.example/b.mp4", "video/mp4"), Media("https://x.example/t.png", "image/png")),
            id="enclosure-before-thumbnail",
        ),
        pytest.param(
            (ParsedMedia("https://x.example/a", "enclosure", "Audio/MPEG; charset=x", 0),) * 2,
            "",
            (Media("https://x.example/a", "audio/mpeg"),),
            id="once-and-no-zero-length",
        ),
        pytest.param((ParsedMedia("javascript:alert(1)", "enclosure"),), "", (), id="script"),
        pytest.param((ParsedMedia("", "enclosure"),), "", (), id="no-url"),
        pytest.param(
            (),
            '<p><img class="a" src="pic.jpg?a=1&amp;b=2" width="640" height=360></p>',
            (Media("https://paper.example/2026/pic.jpg?a=1&b=2", "image/jpeg", None, 640, 360),),
            id="first-picture",
        ),
        pytest.param(
            (),
            "<img src='https://t.example/1.gif' width='1' height='1'><img src='https://x.example/real.webp'>",
            (Media("https://x.example/real.webp", "image/webp"),),
            id="tracking-pixel-passed-over",
        ),
        pytest.param(
            (), "<IMG SRC=https://x.example/a.png>", (Media("https://x.example/a.png", "image/png"),), id="bare"
        ),
        pytest.param((), "<img src='data:image/png;base64,AAAA'>", (), id="data-url"),
        pytest.param(
            (),
            '<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" data-src="late.jpg" width="300">',
            (Media("https://paper.example/2026/late.jpg", "image/jpeg", None, 300),),
            id="late_picture",
        ),
        pytest.param(
            (),
            '<img src="https://pixel.wp.com/b.gif?p=1"><img alt="a > b" src="https://x.example/新聞.png">',
            (Media("https://x.example/新聞.png", "image/png"),),
            id="counter_without_size_passed_over",
        ),
        pytest.param(
            (),
            "<img src='https://images.example/photo-16?w=2000'>",
            (Media("https://images.example/photo-16?w=2000", "image/*"),),
            id="first-picture-without-extension",
        ),
        pytest.param(
            (ParsedMedia("https://x.example/image.php?id=1", "thumbnail"),),
            "",
            (Media("https://x.example/image.php?id=1", "image/*"),),
            id="thumbnail-without-extension",
        ),
        pytest.param(
            (ParsedMedia("https://x.example/picture", "content", "image/*"),),
            "",
            (Media("https://x.example/picture", "image/*"),),
            id="image-of-unknown-format",
        ),
        pytest.param(
            (ParsedMedia("https://x.example/talk.mp3", "enclosure"),),
            "<img src='/body.jpg'>",
            (Media("https://x.example/talk.mp3", "audio/mpeg"), Media("https://paper.example/body.jpg", "image/jpeg")),
            id="first-picture-after-a-sound",
        ),
        pytest.param(
            (ParsedMedia("https://2.gravatar.com/avatar/5f6e?s=96&d=identicon", "content", "image/*"),),
            "<img src='/body.jpg'>",
            (Media("https://paper.example/body.jpg", "image/jpeg"),),
            id="avatar-passed-over",
        ),
    ],
)
def test_media(declared: tuple[ParsedMedia, ...], markup: str, expected: tuple[Media, ...]) -> None:
    assert collect_media(declared, markup, base=BASE) == expected


@pytest.mark.parametrize(
    "decoration",
    [
        "<img class='wp-smiley' src='https://s.w.example/2615.png'>",
        "<img class='site emoji' src='https://x.example/grin.png'>",
        "<img src='https://s0.wp.com/latex.php?latex=G&bg=ffffff'>",
        "<img src='https://static.addtoany.com/buttons/share_save_120_16.png'>",
        "<img src='https://img.shields.io/badge/Paper-Link-green'>",
        "<img src='https://x.example/favicon.ico' width='16' height='16'>",
    ],
)
def test_first_image_is_no_decoration(decoration: str) -> None:
    assert collect_media((), decoration, base=BASE) == ()
    assert collect_media((), f"{decoration}<img src='/a.png'>", base=BASE) == (
        Media("https://paper.example/a.png", "image/png"),
    )


def test_limits_the_number_of_files() -> None:
    declared = tuple(ParsedMedia(f"https://x.example/{n}.png", "content") for n in range(100))
    assert len(collect_media(declared, "", base=BASE)) == 20


@pytest.mark.parametrize("piece", ["a", "<img ", "<img src=a ", "<img src='", '<img src="a" ', "<img width=1 src=a "])
def test_endless_tags_give_no_image_and_are_cheap(piece: str) -> None:
    assert collect_media((), "<img " + piece * 100_000, base=BASE) == ()


def test_an_endless_attribute_is_cheap() -> None:
    """Took half an hour when every letter was tried as the start of an endless name."""
    assert collect_media((), f"<img {'a' * 190_000}>", base=BASE) == ()
