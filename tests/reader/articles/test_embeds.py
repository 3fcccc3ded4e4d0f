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
            '<lite-vimeo videoid="76979871"></lite-vimeo>',
            ("https://vimeo.com/76979871", "vimeo.com", "video"),
            id="Vimeo in an element of its own",
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


def test_player_declared_as_file_is_that_of_the_entry() -> None:
    source = "https://www.youtube.com/v/dQw4w9WgXcQ?version=3"
    media = [
        {"url": source, "mime_type": "application/x-shockwave-flash", "use": "", "seconds": 90},
        {"url": "https://i.example/t.jpg", "mime_type": "image/jpeg", "use": "preview"},
        {"url": "https://cdn.example/a.mp3"},
    ]
    frame = "https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ?autoplay=1"
    expected = Embed(YOUTUBE[0], source, "youtube.com", "video", frame, True, "https://i.example/t.jpg", 90)
    in_body = '<iframe src="https://www.youtube.com/embed/dQw4w9WgXcQ"></iframe>'
    assert embeds(in_body, media, base_url=BASE, link="https://youtu.be/dQw4w9WgXcQ") == (expected,)


UUID, SHORT = "9c9de5e8-0a1e-484a-b099-e80766180a6d", "kkGMgK9ZtnKfYAgnEtQxbv"
NO_COOKIE = "https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ?autoplay=1"
VIMEO, VIMEO_FRAME = "https://vimeo.com/76979871", "https://player.vimeo.com/video/76979871?autoplay=1&dnt=1"
TUBE = "https://tube.example/videos"


@pytest.mark.parametrize(
    ("link", "page", "frame"),
    [
        ("https://m.youtube.com/watch?list=x&v=dQw4w9WgXcQ", YOUTUBE[0], NO_COOKIE),
        ("https://youtu.be/dQw4w9WgXcQ?t=90s", YOUTUBE[0], f"{NO_COOKIE}&start=90"),
        ("https://www.youtube.com/shorts/dQw4w9WgXcQ", YOUTUBE[0], NO_COOKIE),
        ("https://www.youtube.com/live/dQw4w9WgXcQ", YOUTUBE[0], NO_COOKIE),
        (VIMEO, VIMEO, VIMEO_FRAME),
        (f"{VIMEO}/8272103f6e", VIMEO, f"{VIMEO_FRAME}&h=8272103f6e"),
        ("https://vimeo.com/channels/staffpicks/76979871", VIMEO, VIMEO_FRAME),
        (f"https://tube.example/w/{SHORT}", f"{TUBE}/watch/{SHORT}", f"{TUBE}/embed/{SHORT}?autoplay=1&p2p=0"),
        (f"{TUBE}/watch/{UUID}", f"{TUBE}/watch/{UUID}", f"{TUBE}/embed/{UUID}?autoplay=1&p2p=0"),
    ],
)
def test_entry_whose_link_is_a_video_has_its_player(link: str, page: str, frame: str) -> None:
    [embed] = embeds("", [], base_url=BASE, link=link)
    assert (embed.url, embed.frame, embed.is_entry) == (page, frame, True)


@pytest.mark.parametrize(
    "link",
    [
        "https://www.youtube.com/channel/UCabc",
        "https://www.youtube.com/playlist?list=PL123456",
        "https://vimeo.com/about",
        "https://tube.example/w/short",
        f"https://user@tube.example/w/{SHORT}",
        "https://paper.example/watch?v=dQw4w9WgXcQ",
        "javascript:alert(1)",
        "",
    ],
)
def test_entry_whose_link_is_no_video_has_no_player(link: str) -> None:
    assert embeds("", [], base_url=BASE, link=link) == ()


def test_a_video_named_by_player_frame_and_link_is_one() -> None:
    media = [
        {"url": f"https://tube.example/videos/embed/{UUID}", "mime_type": "text/html", "use": "player"},
        {"url": f"https://tube.example/w/{SHORT}", "mime_type": "text/html", "use": "player"},
    ]
    assert [embed.frame for embed in embeds("", media, base_url=BASE, link=f"https://tube.example/w/{SHORT}")] == [
        f"https://tube.example/videos/embed/{UUID}?autoplay=1&p2p=0"
    ]


def test_only_known_sites_have_frames() -> None:
    markup = (
        '<iframe src="https://www.dailymotion.com/embed/video/x8abcd"></iframe>'
        '<iframe src="https://open.spotify.com/embed/track/0123456789abcdef"></iframe>'
        '<iframe src="https://chart.example/1"></iframe>'
    )
    assert [(embed.kind, embed.frame) for embed in embeds(markup, [], base_url=BASE)] == [
        ("video", ""),
        ("sound", ""),
        ("page", ""),
    ]


def test_only_youtube_is_told_where_it_is_shown() -> None:
    youtube, tube = (
        embeds("", [], base_url=BASE, link=YOUTUBE[0]),
        embeds("", [], base_url=BASE, link=f"https://t.example/w/{SHORT}"),
    )
    assert [youtube[0].referrer_policy, tube[0].referrer_policy] == ["strict-origin", "no-referrer"]


@pytest.mark.parametrize("piece", ["<iframe ", '<iframe a="', "<iframe src=x ", "<iframe a='b' "])
def test_ignores_unclosed_frames(piece: str) -> None:
    assert embeds_in(piece * 60_000) == []
