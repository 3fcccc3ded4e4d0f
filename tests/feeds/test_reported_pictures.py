"""What users of feed readers report about pictures and recordings, written anew: what was published, what is seen."""

from pathlib import Path

import pytest
from django.test import Client

from rssmanager.api.items import load_items
from rssmanager.env import PROJECT
from tests.feeds.reported import Picture, Reported, Seen, atom, item, json_feed, rss, stored

pytestmark = pytest.mark.django_db

REPORTS = PROJECT.parent / "shared" / "data" / "reports"
I = "https://i.example"  # noqa: E741 - of images
TUBE, UUID = "https://tube.example", "9c9de5e8-0a1e-484a-b099-e80766180a6d"


@pytest.fixture
def reported(client: Client) -> Reported:
    return Reported(client)


def content(name: str, description: str = "", **attributes: str) -> str:
    written = "".join(f' {key}="{value}"' for key, value in attributes.items())
    inside = f"<media:description>{description}</media:description>" if description else ""
    return f'<media:content url="{I}/{name}" medium="image"{written}>{inside}</media:content>'


def files(*elements: str, body: str = "Cranes come down.", title: str = "Cranes") -> bytes:
    return rss(item(title, body, guid="1") + "".join(elements))


def posters(seen: Seen) -> list[str]:
    return [video.attributes.get("poster") or "" for video in seen.page.css("article video")]


def test_post_shows_all_its_pictures_with_descriptions(reported: Reported) -> None:
    [seen] = reported.read(files(*(content(f"p{n}.jpg", f"Crane {n}") for n in range(5))))
    assert seen.pictures == [Picture(f"{I}/p{n}.jpg", f"Crane {n}") for n in range(5)]


def test_post_of_nothing_but_a_picture_is_an_article(reported: Reported) -> None:
    document = rss(
        "<guid>1</guid>" + content("p1.jpg", "A crane in the harbour"),
        "<guid>2</guid>" + content("p2.jpg"),
        "<guid>3</guid><title></title>",
    )
    poll_before = len(reported.read(document))
    listed = {seen.title: seen.pictures for seen in reported.list()}
    assert poll_before == 2
    assert listed == {
        "A crane in the harbour": [Picture(f"{I}/p1.jpg", "A crane in the harbour")],
        "Untitled": [Picture(f"{I}/p2.jpg")],
    }


def test_sizes_of_a_picture_are_one_picture(reported: Reported) -> None:
    group = "".join(content(f"crop{width}.jpg", width=str(width)) for width in (160, 1200, 6000))
    alone = "".join(content(f"a/{width}.jpg", width=str(width)) for width in (140, 460))
    caption = "<media:description>The harbour</media:description>"
    [seen] = reported.read(files(f"<media:group>{caption}{group}</media:group>"))
    assert seen.pictures == [Picture(f"{I}/crop1200.jpg", "The harbour")]
    [seen] = reported.read(files(alone, title="Other cranes"))[:1]
    assert [picture.url for picture in seen.pictures] == [f"{I}/a/460.jpg"]


def test_picture_of_the_body_is_shown_once(reported: Reported) -> None:
    body = f'<p>Words</p><img src="{I}/crane-300x200.jpg" alt="Crane">'
    [seen] = reported.read(files(content("crane.jpg"), content("harbour.jpg"), body=body))
    assert seen.pictures == [Picture(f"{I}/harbour.jpg"), Picture(f"{I}/crane-300x200.jpg", "Crane")]


def test_emoji_hides_no_picture_and_is_none(reported: Reported) -> None:
    emoji = f'<p>Hi <img class="custom-emoji" src="{I}/blob.png" alt=":blob:"> there</p>'
    [seen] = reported.read(files(content("crane.jpg"), body=emoji))
    assert seen.pictures == [Picture(f"{I}/crane.jpg"), Picture(f"{I}/blob.png", ":blob:")]
    [seen] = reported.read(files(body=emoji, title="Only an emoji"))[:1]
    assert stored(seen).media == []  # nor a thumbnail in lists


def test_one_player_for_each_file(reported: Reported) -> None:
    url = "https://a.example/ep.mp3"
    [seen] = reported.read(
        files(
            f'<enclosure url="{url}" type="audio/mpeg" length="9"/>' * 2,
            f'<media:content url="{url}?source=feed" type="audio/mpeg"/>',
            '<enclosure url="https://a.example/other.mp3" type="audio/mpeg"/>',
        )
    )
    assert seen.players == [url, "https://a.example/other.mp3"]


def test_video_has_its_thumbnail_as_poster(reported: Reported) -> None:
    film = '<media:content url="https://v.example/1.mp4" type="video/mp4" duration="75"/>'
    [seen] = reported.read(files(film, f'<media:thumbnail url="{I}/t.jpg"/>'))
    assert (seen.players, seen.pictures) == (["https://v.example/1.mp4"], [])
    assert len(posters(seen)) == 1
    assert posters(seen)[0].startswith("/img/")
    assert "1:15" in seen.meta


@pytest.mark.parametrize("kind", ["youtube", "peertube", "vimeo"])
def test_entry_that_is_a_video_can_be_played(reported: Reported, kind: str) -> None:
    described = (
        "<media:description>We build a desk.\n\nLinks:\nhttps://shop.example/desk?a=1&amp;b=2</media:description>"
    )
    thumbnail = f'<media:thumbnail url="{I}/desk.jpg" width="480" height="360"/>'
    document, page, frame = {
        "youtube": (
            atom(
                "<entry><id>yt:video:dQw4w9WgXcQ</id><title>Desk</title><updated>2026-11-20T08:00:00Z</updated>"
                '<link rel="alternate" href="https://www.youtube.com/shorts/dQw4w9WgXcQ"/><media:group>'
                '<media:content url="https://www.youtube.com/v/dQw4w9WgXcQ?version=3" duration="754"'
                f' type="application/x-shockwave-flash"/>{thumbnail}{described}</media:group></entry>',
                attributes='xmlns:media="http://search.yahoo.com/mrss/"',
            ),
            "https://www.youtube.com/watch?v=dQw4w9WgXcQ",
            "https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ?autoplay=1",
        ),
        "peertube": (
            rss(
                f"<title>Desk</title><link>{TUBE}/w/kkGMgK9ZtnKfYAgnEtQxbv</link><guid>{TUBE}/w/{UUID}</guid>"
                f'<media:group><media:content url="{TUBE}/1080.mp4" type="video/mp4" duration="754" isDefault="true"/>'
                f'<media:content url="{TUBE}/480.mp4" type="video/mp4" duration="754"/></media:group>'
                f'<media:embed url="{TUBE}/videos/embed/{UUID}"/><media:player url="{TUBE}/videos/watch/{UUID}"/>'
                f"{thumbnail}{described}"
            ),
            f"{TUBE}/videos/watch/{UUID}",
            f"{TUBE}/videos/embed/{UUID}?autoplay=1&p2p=0",
        ),
        "vimeo": (
            rss(
                "<title>Desk</title><link>https://vimeo.com/76979871</link>"
                '<enclosure url="https://vimeo.com/moogaloop.swf?clip_id=76979871"'
                ' type="application/x-shockwave-flash"/>'
                '<media:content duration="754"><media:player url="https://vimeo.com/moogaloop.swf?clip_id=76979871"/>'
                f"{thumbnail}{described}</media:content><itunes:duration>12:34</itunes:duration>"
            ),
            "https://vimeo.com/76979871",
            "https://player.vimeo.com/video/76979871?autoplay=1&dnt=1",
        ),
    }[kind]
    [seen] = reported.read(document)
    assert seen.text == "We build a desk. Links: https://shop.example/desk?a=1&b=2"
    assert '<a href="https://shop.example/desk?a=1&amp;b=2"' in seen.body
    assert (seen.pictures, seen.players, set(seen.files)) == ([Picture(f"{I}/desk.jpg")], [], {page})
    link = seen.page.css_first("a[data-embed]")
    assert link is not None
    assert link.attributes["href"] == page  # without scripts
    assert "12:34" in link.text()
    assert seen.page.css_first("article iframe") is None
    shown = reported.client.get(link.attributes["data-embed"] or "").content.decode()
    assert f'src="{frame.replace("&", "&amp;")}"' in shown


def test_attachments_of_a_json_feed_are_shown(reported: Reported) -> None:
    picture = {"url": f"{I}/a.jpg", "mime_type": "image/jpeg", "title": "A crane"}
    sounds = [
        {"url": f"https://a.example/ep.{end}", "mime_type": "audio/mpeg", "title": "Cranes"} for end in ("mp3", "m4a")
    ]
    entry = {"id": "1", "title": "Cranes", "content_text": "Down", "attachments": [picture, *sounds]}
    [seen] = reported.read(json_feed(entry))
    assert seen.pictures == [Picture(f"{I}/a.jpg", "A crane")]
    assert seen.players == ["https://a.example/ep.mp3"]


def test_corrected_picture_is_taken_over(reported: Reported) -> None:
    [seen] = reported.read(files(content("wrong.jpg", "A ship")), files(content("right.jpg", "A crane")))
    assert seen.pictures == [Picture(f"{I}/right.jpg", "A crane")]


def test_apps_get_the_pictures_that_are_not_in_the_text(reported: Reported) -> None:
    [seen] = reported.read(files(content("p1.jpg", "One & two"), content("p2.jpg")))
    [got] = load_items(reported.user, None, [seen.pk])
    assert got.html == (
        "Cranes come down."
        f'<figure><img src="{I}/p1.jpg" alt="One &amp; two"></figure><figure><img src="{I}/p2.jpg" alt=""></figure>'
    )


LAZY = "real1.jpg real2.jpg real3.jpg real4.webp real5.jpg real6.jpg 7-320,h_200.jpg real8.jpg real9.jpg real%2010.jpg"
# Of a case's articles by title: pictures (the ends of their addresses, and their descriptions), players.
CASES: dict[str, dict[str, tuple[list[tuple[str, str]], list[str]]]] = {
    "p10-mast": {"Hello": ([("/pic.jpg", "A cat on a sofa")], ["/clip.mp4"])},
    "p12-mast4": {
        "Four pictures": ([(f"/p{n}.jpg", f"Description {n} of the picture") for n in range(1, 5)], [])
    },
    "r01-img-enclosure": {
        "Defining risk": ([("/2_iss.jpg", "")], []),
        "Featured": ([("/b.jpg", "alt of b")], []),
        "Several kinds": ([("/c.png", "")], ["/c.mp3"]),
        "No type": ([], ["/ep.mp3?tok=1"]),
    },
    "r02-placeholder": {"Lazy": ([(f"/{name}", "four" if "4.webp" in name else "") for name in LAZY.split()], [])},
    "r03-youtube": {
        "Building a desk": ([("/hqdefault.jpg", "")], []),
        "One minute tip": ([("/hqdefault.jpg", "")], []),
    },
    "r11-media-sizes": {
        "Guardian sizes": ([("/1200.jpg", "")], []),
        "Group sizes": ([], ["/high.mp4"]),
        "Same file twice": ([], ["/ep.mp3"]),
        "Tracking pixel first": ([("/lead.jpg", ""), ("/wink.png", ";)")], []),
    },
    "p13-enclosure-text": {"135": ([], ["/HoP%20135.mp3"])},
    "p19-thumbbase": {"Relative thumbs": ([("/blog/2026/post/img/a.png", "")], ["/audio/ep.mp3"])},
    "p04-xmlbase-content": {
        "E1": ([("pub.example/posts/images/bird.jpg", "bird")], []),
        "E2": ([("pub.example/posts/images/bird2.jpg", "b")], []),
    },
}  # fmt: skip


@pytest.mark.skipif(not REPORTS.exists(), reason="../shared/data is not here")
@pytest.mark.parametrize("name", CASES)
def test_reported_feed_shows_its_pictures(reported: Reported, name: str) -> None:
    listed = reported.read((Path(REPORTS) / name / "feed.xml").read_bytes())
    for title, (pictures, players) in CASES[name].items():
        seen = next(seen for seen in listed if seen.title.startswith(title))
        assert len(seen.pictures) == len(pictures), title
        for picture, (end, description) in zip(seen.pictures, pictures, strict=True):
            assert picture.url.endswith(end), title
            assert picture.alt == description
        assert [player[-len(end) :] for player, end in zip(seen.players, players, strict=True)] == players
