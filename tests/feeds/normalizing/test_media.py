"""Media: priority, absolute URLs, types, and the first image of a body."""

from typing import Any

import pytest

from feeds.normalizing.draft import PLAYER, PREVIEW, Chapter, Media, TextFile
from feeds.normalizing.media import collect_media
from feeds.parsing.feed import ParsedChapter, ParsedEntry, ParsedMedia, ParsedText

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
            (
                Media("https://x.example/b.mp4", "video/mp4", poster="https://x.example/t.png"),
                Media("https://x.example/t.png", "image/png", use=PREVIEW),
            ),
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
            (Media("https://paper.example/2026/pic.jpg?a=1&b=2", "image/jpeg", None, 640, 360, use=PREVIEW),),
            id="first-picture",
        ),
        pytest.param(
            (),
            "<img src='https://t.example/1.gif' width='1' height='1'><img src='https://x.example/real.webp'>",
            (Media("https://x.example/real.webp", "image/webp", use=PREVIEW),),
            id="tracking-pixel-passed-over",
        ),
        pytest.param(
            (),
            "<IMG SRC=https://x.example/a.png>",
            (Media("https://x.example/a.png", "image/png", use=PREVIEW),),
            id="bare",
        ),
        pytest.param((), "<img src='data:image/png;base64,AAAA'>", (), id="data-url"),
        pytest.param(
            (),
            '<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" data-src="late.jpg" width="300">',
            (Media("https://paper.example/2026/late.jpg", "image/jpeg", None, 300, use=PREVIEW),),
            id="late_picture",
        ),
        pytest.param(
            (),
            '<img src="https://pixel.wp.com/b.gif?p=1"><img alt="a > b" src="https://x.example/新聞.png">',
            (Media("https://x.example/新聞.png", "image/png", use=PREVIEW),),
            id="counter_without_size_passed_over",
        ),
        pytest.param(
            (),
            "<img src='https://images.example/photo-16?w=2000'>",
            (Media("https://images.example/photo-16?w=2000", "image/*", use=PREVIEW),),
            id="first-picture-without-extension",
        ),
        pytest.param(
            (ParsedMedia("https://x.example/image.php?id=1", "thumbnail"),),
            "",
            (Media("https://x.example/image.php?id=1", "image/*", use=PREVIEW),),
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
            (
                Media("https://x.example/talk.mp3", "audio/mpeg"),
                Media("https://paper.example/body.jpg", "image/jpeg", use=PREVIEW),
            ),
            id="first-picture-after-a-sound",
        ),
        pytest.param(
            (ParsedMedia("https://2.gravatar.com/avatar/5f6e?s=96&d=identicon", "content", "image/*"),),
            "<img src='/body.jpg'>",
            (Media("https://paper.example/body.jpg", "image/jpeg", use=PREVIEW),),
            id="avatar-passed-over",
        ),
    ],
)
def test_media(declared: tuple[ParsedMedia, ...], markup: str, expected: tuple[Media, ...]) -> None:
    assert collect_media(ParsedEntry(media=declared), markup, base=BASE) == expected


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
    assert collect_media(ParsedEntry(), decoration, base=BASE) == ()
    assert collect_media(ParsedEntry(), f"{decoration}<img src='/a.png'>", base=BASE) == (
        Media("https://paper.example/a.png", "image/png", use=PREVIEW),
    )


def test_limits_the_number_of_files() -> None:
    declared = tuple(ParsedMedia(f"https://x.example/{n}.png", "content") for n in range(100))
    assert len(collect_media(ParsedEntry(media=declared), "", base=BASE)) == 50


@pytest.mark.parametrize("piece", ["a", "<img ", "<img src=a ", "<img src='", '<img src="a" ', "<img width=1 src=a "])
def test_endless_tags_give_no_image_and_are_cheap(piece: str) -> None:
    assert collect_media(ParsedEntry(), "<img " + piece * 100_000, base=BASE) == ()


def test_an_endless_attribute_is_cheap() -> None:
    """Took half an hour when every letter was tried as the start of an endless name."""
    assert collect_media(ParsedEntry(), f"<img {'a' * 190_000}>", base=BASE) == ()


def collected(*declared: ParsedMedia, markup: str = "") -> tuple[Media, ...]:
    return collect_media(ParsedEntry(media=declared), markup, base=BASE)


def picture(name: str, **values: Any) -> ParsedMedia:
    return ParsedMedia(f"https://i.example/{name}", values.pop("kind", "content"), **values)


def test_keeps_all_pictures_with_their_descriptions() -> None:
    declared = [picture(f"p{n}.jpg", description=f"Picture <b>{n}</b>") for n in range(4)]
    assert [
        (file.url, file.description, file.use) for file in collected(*declared, picture("t.jpg", kind="thumbnail"))
    ] == [(f"https://i.example/p{n}.jpg", f"Picture {n}", "") for n in range(4)]


@pytest.mark.parametrize(
    ("widths", "kept"),
    [
        ((160, 1200, 480), 1200),
        ((1200, 2400, 6000), 2400),
        ((6000, 4000), 4000),
        ((None, 150), None),
        ((None, 1200), 1200),
    ],
)
def test_keeps_the_largest_form_of_a_picture_that_fits(widths: tuple[int | None, ...], kept: int | None) -> None:
    forms = [picture(f"{number}.jpg", width=width, group=3) for number, width in enumerate(widths)]
    assert [file.width for file in collected(*forms)] == [kept]


def test_keeps_the_recommended_of_forms_of_one_size() -> None:
    forms = [picture(f"{n}.jpg", width=862, height=400 + n, group=1, is_default=n == 1) for n in range(3)]
    assert [file.height for file in collected(*forms)] == [401]


def test_sizes_of_a_picture_outside_of_groups_are_one_picture() -> None:
    declared = [picture(f"a/{width}.jpg", width=width) for width in (140, 1200, 460)]
    assert [file.url for file in collected(*declared)] == ["https://i.example/a/1200.jpg"]


def test_picture_that_is_declared_twice_is_one_with_all_that_is_known() -> None:
    declared = (
        picture("crane.jpg", kind="enclosure", length=900),
        picture("crane.jpg?w=1200", width=1200, description="A crane"),
        picture("crane-150x150.jpg", kind="thumbnail", width=150),
    )
    assert collected(*declared) == (
        Media("https://i.example/crane.jpg?w=1200", "image/jpeg", 900, 1200, description="A crane"),
    )


def test_recording_that_is_declared_twice_is_one() -> None:
    declared = (
        ParsedMedia("https://a.example/ep.mp3", "enclosure", "audio/mpeg", 9),
        ParsedMedia("https://a.example/ep.mp3?x=1", "content", "audio/mpeg", seconds=60),
    )
    assert collected(*declared) == (Media("https://a.example/ep.mp3", "audio/mpeg", 9, seconds=60),)


def test_group_with_a_recording_gives_its_best_form_and_a_poster() -> None:
    forms = (
        ParsedMedia("https://v.example/360.mp4", "content", "video/mp4", height=360, group=1, seconds=75),
        ParsedMedia("https://v.example/1080.mp4", "content", "video/mp4", height=1080, group=1, seconds=75),
        ParsedMedia("https://v.example/sound.m4a", "content", "audio/mp4", group=1, seconds=75),
        picture("small.jpg", kind="thumbnail", width=120, group=1),
        picture("large.jpg", kind="thumbnail", width=480, group=1),
    )
    assert collected(*forms) == (
        Media("https://v.example/1080.mp4", "video/mp4", height=1080, seconds=75, poster="https://i.example/large.jpg"),
        Media("https://i.example/large.jpg", "image/jpeg", width=480, use=PREVIEW),
    )


def test_recommended_form_of_a_recording_goes_before_larger_ones() -> None:
    forms = [
        ParsedMedia(
            f"https://v.example/{width}.mp4", "content", "video/mp4", width=width, group=1, is_default=width == 640
        )
        for width in (320, 640, 1280)
    ]
    assert [file.width for file in collected(*forms)] == [640]


def test_of_several_thumbnails_the_best_is_kept() -> None:
    thumbnails = [picture(f"{width}.jpg", kind="thumbnail", width=width) for width in (66, 240, 144)]
    assert [(file.width, file.use) for file in collected(*thumbnails)] == [(240, PREVIEW)]


def test_address_of_a_player_is_told_apart() -> None:
    player = ParsedMedia("https://tube.example/videos/embed/x", "player", seconds=75)
    assert collected(player) == (Media("https://tube.example/videos/embed/x", "text/html", use=PLAYER, seconds=75),)


@pytest.mark.parametrize(
    ("declared", "guessed"),
    [
        ("application/octet-stream", "audio/mpeg"),
        ("audio/*", "audio/mpeg"),
        ("image/*", "image/*"),
        ("audio/x-m4a", "audio/x-m4a"),
        ("text/html; <script>", "text/html"),
    ],
)
def test_type_that_says_little_is_guessed(declared: str, guessed: str) -> None:
    assert collected(ParsedMedia("https://a.example/ep.mp3?x=1", "enclosure", declared))[0].mime_type == guessed


@pytest.mark.parametrize(
    "emoji",
    [
        "<img class='emojione custom-emoji' src='https://m.example/files/1.png'>",
        "<img rel='emoji' src='https://m.example/files/1.png'>",
        "<img alt=':blobcat:' src='https://m.example/files/1.png'>",
        "<img src='https://m.example/custom_emojis/images/1/blob.png'>",
        "<img src='https://m.example/emoji/wink.png'>",
    ],
)
def test_emoji_is_no_picture(emoji: str) -> None:
    assert collected(markup=emoji) == ()
    assert [file.url for file in collected(markup=f"{emoji}<img src='/emoji/lead.jpg'>")] == [
        "https://paper.example/emoji/lead.jpg"
    ]


def test_chapters_and_transcripts_are_of_the_first_recording() -> None:
    entry = ParsedEntry(
        media=(picture("cover.jpg", kind="thumbnail"), ParsedMedia("/ep.mp3", "enclosure")),
        chapters=(
            ParsedChapter("8:26.250", "Cranes &amp; ships", "/cranes"),
            ParsedChapter("0", "Hello"),
            ParsedChapter("01:02:03", "End", "javascript:alert(1)"),
            ParsedChapter("soon", "Never"),
        ),
        chapters_file=ParsedText("/c.json", "application/json+chapters"),
        transcripts=(ParsedText("/ep.vtt", "text/vtt", "de"), ParsedText("ftp://x.example/ep.srt")),
    )
    sound, _ = collect_media(entry, "", base=BASE)
    assert sound.chapters == (
        Chapter(0.0, "Hello"),
        Chapter(506.25, "Cranes & ships", "https://paper.example/cranes"),
        Chapter(3723.0, "End"),
    )
    assert sound.chapters_file == TextFile("https://paper.example/c.json", "application/json+chapters")
    assert sound.transcripts == (TextFile("https://paper.example/ep.vtt", "text/vtt", "de"),)


def test_is_stored_without_empty_values() -> None:
    sound = Media("https://a.example/1.mp3", "audio/mpeg", chapters=(Chapter(0.0, "Hello"),))
    assert sound.stored() == {
        "use": "",
        "url": "https://a.example/1.mp3",
        "mime_type": "audio/mpeg",
        "chapters": ({"start": 0.0, "title": "Hello", "url": ""},),
    }
    assert Media("https://a.example/t.png", "image/png", use=PREVIEW).stored()["use"] == "preview"


def test_many_files_are_cheap() -> None:
    declared = [
        picture(f"{n}/{n * 'x'}.jpg", kind=kind, width=n) for n in range(200) for kind in ("content", "thumbnail")
    ]
    assert len(collected(*declared)) == 50
