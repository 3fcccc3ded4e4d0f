"""Embedded players of other hosts, found in the published markup."""

import pytest

from reader.articles.embeds import MAX_EMBEDS, Embed, embeds

BASE = "https://paper.example/a"


def embeds_in(markup: str) -> list[tuple[str, str, str]]:
    return [(embed.url, embed.host, embed.kind) for embed in embeds(markup, [], base_url=BASE)]


YOUTUBE = ("https://www.youtube.com/watch?v=dQw4w9WgXcQ", "youtube.com", "video")


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        pytest.param('<iframe src="https://www.youtube.com/embed/dQw4w9WgXcQ?rel=0"></iframe>', YOUTUBE, id="YouTube"),
        pytest.param('<IFRAME SRC="//www.youtube-nocookie.com/embed/dQw4w9WgXcQ">', YOUTUBE, id="without cookies"),
        pytest.param('<iframe data-src="https://youtube.com/embed/dQw4w9WgXcQ" src="about:blank">', YOUTUBE, id="lazy"),
        pytest.param('<lite-youtube videoid="dQw4w9WgXcQ"></lite-youtube>', YOUTUBE, id="an element of its own"),
        pytest.param('<object data="https://www.youtube.com/v/dQw4w9WgXcQ"></object>', YOUTUBE, id="object"),
        pytest.param(
            '<iframe src="https://player.vimeo.com/video/76979871?h=8272103f6e">',
            ("https://vimeo.com/76979871", "vimeo.com", "video"),
            id="Vimeo",
        ),
        pytest.param(
            '<iframe src="https://tube.example/videos/embed/9c9de5e8-0a1e-484a-b099-e80766180a6d">',
            ("https://tube.example/videos/watch/9c9de5e8-0a1e-484a-b099-e80766180a6d", "tube.example", "video"),
            id="PeerTube",
        ),
        pytest.param(
            '<iframe src="https://w.soundcloud.com/player/?url=https%3A//soundcloud.com/ada/song&amp;color=f">',
            ("https://soundcloud.com/ada/song", "soundcloud.com", "sound"),
            id="SoundCloud",
        ),
        pytest.param(
            "<iframe src='/charts/1?a=1&amp;b=2' width=600>",
            ("https://paper.example/charts/1?a=1&b=2", "paper.example", "page"),
            id="any other frame",
        ),
    ],
)
def test_links_to_page_and_names_host(markup: str, expected: tuple[str, str, str]) -> None:
    assert embeds_in(f"<p>Before</p>{markup}<p>after</p>") == [expected]


@pytest.mark.parametrize(
    "markup",
    [
        pytest.param("<p>No frame</p>", id="none"),
        pytest.param('<iframe src="javascript:alert(1)"></iframe>', id="a script"),
        pytest.param('<iframe srcdoc="&lt;p&gt;x"></iframe>', id="a page of its own"),
        pytest.param('<iframe src="https://count.example/x" width="1" height="1">', id="a pixel"),
        pytest.param('<iframe src="https://ad.doubleclick.net/x">', id="advertisement"),
        pytest.param('<iframe src="https://www.facebook.com/plugins/like.php?href=x">', id="like button"),
        pytest.param('<iframe src="https://[x/">', id="no address"),
        pytest.param("<iframe>", id="nothing in it"),
    ],
)
def test_ignores_embeds_that_are_not_content(markup: str) -> None:
    assert embeds_in(markup) == []


def test_limits_and_deduplicates_embeds() -> None:
    frames = "".join(f'<iframe src="https://h.example/{n % 20}">' for n in range(40))
    assert [url for url, _, _ in embeds_in(frames)] == [f"https://h.example/{n}" for n in range(MAX_EMBEDS)]


def test_player_declared_as_file_is_an_embed() -> None:
    source = "https://www.youtube.com/v/dQw4w9WgXcQ?version=3"
    media = [{"url": source, "mime_type": "application/x-shockwave-flash"}, {"url": "https://cdn.example/a.mp3"}]
    assert embeds("", media, base_url=BASE) == (Embed(YOUTUBE[0], source, "youtube.com", "video"),)


@pytest.mark.parametrize("piece", ["<iframe ", '<iframe a="', "<iframe src=x ", "<iframe a='b' "])
def test_ignores_unclosed_frames(piece: str) -> None:
    assert embeds_in(piece * 60_000) == []
