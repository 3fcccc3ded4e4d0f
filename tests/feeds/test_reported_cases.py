"""What users of feed readers report, written anew: documents as publishers write them, and what the user sees."""

from dataclasses import replace
from pathlib import Path
from urllib.parse import urljoin

import pytest
from django.test import Client
from pytest_django import Settings

from feeds.models import Feed, Story
from feeds.stories import engine
from reader.models import Subscription
from reader.subscriptions.follow import rename
from reader.subscriptions.opml_export import export_opml
from rssmanager.env import PROJECT
from tests import make
from tests.feeds.reported import ADDRESS, DATE, Reported, atom, item, json_feed, rss, stored
from tests.tables import table

pytestmark = pytest.mark.django_db

REPORTS = PROJECT.parent / "shared" / "data" / "reports"


@pytest.fixture
def reported(client: Client) -> Reported:
    return Reported(client)


@pytest.mark.parametrize(
    "document",
    [
        rss(item("Cranes", "Cranes <b>come down</b>.", guid="1")),
        atom(
            "<entry><id>urn:1</id><title>Cranes</title><updated>2026-11-20T08:00:00Z</updated>"
            "<link href='https://paper.example/cranes'/>"
            "<content type='html'>Cranes &lt;b>come down&lt;/b>.</content></entry>"
        ),
        json_feed(
            {
                "id": "1",
                "url": "https://paper.example/cranes",
                "title": "Cranes",
                "content_html": "Cranes <b>come down</b>.",
                "date_published": "2026-11-20T08:00:00Z",
            }
        ),
    ],
    ids=["rss", "atom", "json"],
)
def test_entry_is_shown_as_published(reported: Reported, document: bytes) -> None:
    [seen] = reported.read(document)
    assert (seen.title, seen.link) == ("Cranes", "https://paper.example/cranes")
    assert seen.body == "Cranes <b>come down</b>."
    assert not seen.is_read
    poll = reported.poll()
    assert (poll.outcome, poll.n_new) == ("unchanged", 0)


def test_changed_text_is_shown_as_updated(reported: Reported) -> None:
    [seen] = reported.read(rss(item(guid="1")))
    seen.open()
    [seen] = reported.read(rss(item(body="Cranes stay up.", guid="1")))
    assert (seen.text, seen.is_read, seen.is_updated) == ("Cranes stay up.", True, True)


# Articles after all versions of the case's document were polled.
COUNTS = {
    "d01-guid-frag": 4, "d03-noguid-samelink": 6, "d06-samelink-diff": 3, "d15-tracker-ids": 3, "d19-utm-content": 2,
    "u04-mp3url": 1, "u12-enclosure-fix": 1, "u14-img-fix": 1, "u16-dupe-id": 2, "u17-status-read": 2,
    "d04-empty-guid": 3, "d08-comic": 4, "d09-tumblr": 3, "d10-entware": 3, "d11-github": 4, "d12-discourse": 4,
    "d13-dupe-guid-real": 3, "d17-trailing-case": 2, "j01-external": 2, "p02-double-title": 6,
    "p03-cdata-terminator": 2, "p05-rel-link": 1, "p06-nested-base": 1, "p07-content-texthtml": 6,
    "p09-isPermalink": 3, "p15-rss-xhtml-body": 3, "p16-links": 9, "p18-rdf": 1, "q01-junk-after": 1,
    "q09-two-links": 2, "q11-empty-items": 0, "q12-longtitle": 2, "q15-which-body": 7, "u01-guid-scheme": 1,
    "u02-noguid-newdate": 1, "u03-updated": 1, "u05-notitle": 2,
}  # fmt: skip


@pytest.mark.skipif(not REPORTS.exists(), reason="../shared/data is not here")
@table(("name", "n_articles"), COUNTS.items())
def test_reported_feed_has_all_articles(client: Client, name: str, n_articles: int) -> None:
    assert len(Reported(client).read(*documents(REPORTS / name))) == n_articles


def documents(case: Path) -> list[bytes]:
    """The versions of a case's document, in order."""
    return [path.read_bytes() for path in sorted(case.glob("feed.*")) if not path.name.endswith(".meta.json")]


# Finding the feed of a site

SITE = "https://paper.example/blog/"
DECLARED = "<link rel='alternate' type='application/rss+xml' href='{}'>"
PAGES = {  # the site's page, the header Link, the addresses that have a feed, and those that are offered
    "comments are declared first": (
        "<link rel='alternate' type='application/rss+xml' title='Comments' href='comments.rss'>"
        + DECLARED.format("posts.rss"),
        "",
        ["comments.rss", "posts.rss"],
        ["posts.rss"],
    ),
    "an anchor without text says it is a feed": (
        "<footer><a href='news' rel='alternate' type='application/rss+xml'><span class='icon'></span></a></footer>",
        "",
        ["news"],
        ["news"],
    ),
    "an index in JSON is no feed": (
        "<link rel='alternate' type='application/json' href='posts.json'>" + DECLARED.format("posts.rss"),
        "",
        ["posts.rss"],
        ["posts.rss"],
    ),
    "declared addresses lead back to the page": (
        DECLARED.format("old.html") + DECLARED.format("older.html") + DECLARED.format("posts.rss"),
        "",
        ["posts.rss"],
        ["posts.rss"],
    ),
    "a base and rel=feed": ("<base href='/news/'><link rel='feed' href='a.rss'>", "", ["/news/a.rss"], ["/news/a.rss"]),
    "a query with entities, a fragment": (
        DECLARED.format("posts?a=1&amp;b=2#top"),
        "",
        ["posts?a=1&b=2"],
        ["posts?a=1&b=2"],
    ),
    "a header": (
        "<p>No link here.</p>",
        "</translations>; rel=alternate; hreflang=de, <posts>; rel=alternate; type='application/atom+xml'",
        ["posts"],
        ["posts"],
    ),
    "one address declared twice": (
        "<link rel='alternate' type='application/rdf+xml' href='posts'>" + DECLARED.format("posts"),
        "",
        ["posts"],
        ["posts"],
    ),
    "a page that is XML": (
        f"<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'><head>{DECLARED.format('posts')}</head></html>",
        "",
        ["posts"],
        ["posts"],
    ),
    "no feed": ("<a href='about'>About</a>", "", [], []),
}


@table(("page", "link", "feeds", "offered"), PAGES.values(), ids=PAGES.keys())
def test_feed_of_a_site_is_found(client: Client, page: str, link: str, feeds: list[str], offered: list[str]) -> None:
    reported = Reported(client)
    for address in (SITE, *(urljoin(SITE, name) for name in ("old.html", "older.html"))):
        reported.publish(page.encode(), address, content_type="text/html", link=link)
    reported.publish(b'[{"title": "Cranes", "uri": "/cranes"}]', urljoin(SITE, "posts.json"))
    for name in feeds:
        reported.publish(rss(item()), urljoin(SITE, name), content_type="text/html")
    assert reported.find(SITE) == [urljoin(SITE, name) for name in offered]


# Links of bodies: footnotes, xml:base, no scheme

NOTES = (
    '<p>Claim<sup><a id="fnref1" href="{page}#fn1">1</a></sup>.</p>'
    '<ol><li id="fn1"><p>Source <a href="{page}#fnref1">↩</a></p></li></ol>'
)


@pytest.mark.parametrize(
    "page",
    ["", "https://paper.example/cranes", "http://www.paper.example/cranes/?utm_source=rss", "/cranes"],
    ids=["fragment", "own address", "another form of it", "path"],
)
def test_footnotes_jump_within_the_article(reported: Reported, page: str) -> None:
    [seen] = reported.read(rss(item(body=NOTES.format(page=page))))
    assert seen.body == (
        f'<p>Claim<sup><a id="text{seen.pk}-fnref1" href="#text{seen.pk}-fn1">1</a></sup>.</p>'
        f'<ol><li id="text{seen.pk}-fn1"><p>Source <a href="#text{seen.pk}-fnref1">↩</a></p></li></ol>'
    )


def test_footnotes_of_another_page_stay_links_to_it(reported: Reported) -> None:
    [seen] = reported.read(rss(item(body=NOTES.format(page="https://paper.example/docks"))))
    assert 'href="https://paper.example/docks#fn1"' in seen.body
    assert "id=" not in seen.body


BODY = "<a href='next.html'>n</a> <img src='a.png'/>"
ESCAPED = BODY.replace("<", "&lt;")
DIV = "<div xmlns='http://www.w3.org/1999/xhtml'>"
HTML = f"<content type='html'>{ESCAPED}</content>"
PAGE = "<link href='https://paper.example/2026/cranes.html'/>"
BASES = {  # attributes of the feed and of the entry, its content, and paths: of its link and of the body's base
    "none": ("", "", PAGE + HTML, "/2026/cranes.html", "/2026/"),
    "feed": ("xml:base='https://paper.example/a/'", "", f"<link href='c'/>{HTML}", "/a/c", "/a/"),
    "feed, the site's": ("xml:base='https://paper.example/'", "", PAGE + HTML, "/2026/cranes.html", "/"),
    "entry": ("", "xml:base='https://paper.example/a/'", f"<link href='c'/>{HTML}", "/a/c", "/a/"),
    "entry, relative": ("", "xml:base='a/'", f"<link href='c'/>{HTML}", "/a/c", "/a/"),
    "all of them, relative": (
        "xml:base='/a/'",
        "xml:base='b/'",
        f"<link href='c'/><content type='html' xml:base='d/'>{ESCAPED}</content>",
        "/a/b/c",
        "/a/b/d/",
    ),
    "content": ("", "", f"<content type='html' xml:base='/a/'>{ESCAPED}</content><link href='c'/>", "/c", "/a/"),
    "summary": ("", "", f"{PAGE}<summary type='html' xml:base='/a/'>{ESCAPED}</summary>", "/2026/cranes.html", "/a/"),
    "link": ("", "", f"<link xml:base='/a/' href='c'/>{HTML}", "/a/c", "/a/"),
    "XHTML": (
        "",
        "",
        f"{PAGE}<content type='xhtml' xml:base='/a/'>\n {DIV}{BODY}</div>\n</content>",
        "/2026/cranes.html",
        "/a/",
    ),
    "outermost element of XHTML": (
        "",
        "xml:base='/a/'",
        f"{PAGE}<content type='xhtml'>\n {DIV[:-1]} xml:base='b/'>{BODY}</div>\n</content>",
        "/2026/cranes.html",
        "/a/b/",
    ),
    "another element of XHTML": (
        "",
        "xml:base='/a/'",
        f"{PAGE}<content type='xhtml'>{DIV}<p>1</p><p xml:base='b/'>{BODY}</p></div></content>",
        "/2026/cranes.html",
        "/a/b/",
    ),
    "HTML's own": (
        "",
        "",
        f"{PAGE}<content type='html'>&lt;base href='/a/'>{ESCAPED}</content>",
        "/2026/cranes.html",
        "/a/",
    ),
}


@table(("feed", "entry", "content", "link", "base"), BASES.values(), ids=BASES.keys())
def test_xml_base_is_obeyed(client: Client, feed: str, entry: str, content: str, link: str, base: str) -> None:
    head = "<title>Cranes</title><id>urn:1</id><updated>2026-11-20T08:00:00Z</updated>"
    document = atom(f"<entry {entry}>{head}{content}</entry>", attributes=feed)
    [seen] = Reported(client).read(document, url=f"https://paper.example/{make.fresh_number()}.xml")
    assert seen.link == f"https://paper.example{link}"
    assert f'href="https://paper.example{base}next.html"' in seen.body
    assert f"https://paper.example{base}a.png" in [picture.url for picture in seen.pictures]


def test_xml_base_of_an_entry_ends_with_it(reported: Reported) -> None:
    entries = [
        f"<entry {base}><title>{title}</title><id>urn:{title}</id><updated>2026-11-2{n}T08:00:00Z</updated>"
        f"<link href='{title}'/><content type='html'>{ESCAPED}</content></entry>"
        for n, (title, base) in enumerate([("docks", ""), ("cranes", "xml:base='https://other.example/a/'")])
    ]
    cranes, docks = reported.read(atom(*entries[::-1]))
    assert (cranes.link, docks.link) == ("https://other.example/a/cranes", "https://paper.example/docks")
    assert 'href="https://paper.example/next.html"' in docks.body


def test_addresses_without_a_scheme_lead_to_their_host(reported: Reported) -> None:
    body = "<a href='www.docks.example/1'>1</a> <a href='docks.org/2'>2</a> <a href='docks.html'>3</a>"
    [seen] = reported.read(rss(item(body=body, link="cranes.org/4"), attributes="xml:base='https://paper.example/a/'"))
    assert seen.link == "http://cranes.org/4"
    links = [node.attributes["href"] for node in seen.page.css(".body a")]
    assert links == ["http://www.docks.example/1", "http://docks.org/2", "https://paper.example/a/docks.html"]


# The page that an entry links to

LINKS = {  # an item's elements, and where it leads
    "atom:link": (
        "<atom:link rel='alternate' href='https://paper.example/1'/><guid isPermaLink='false'>1</guid>",
        "/1",
    ),
    "CDATA": ("<link><![CDATA[ https://paper.example/1?a=1&b=2 ]]></link>", "/1?a=1&b=2"),
    "line breaks": ("<link>\n  https://paper.example/1\n</link>", "/1"),
    "permalink": ("<guid isPermalink='true'>https://paper.example/1</guid>", "/1"),
    "guid that is said to be no link": ("<guid isPermaLink='false'>https://paper.example/1</guid>", "/1"),
    "link and guid": ("<link>https://paper.example/1</link><guid>https://paper.example/?p=1</guid>", "/1"),
    "comments": ("<comments>https://paper.example/1#comments</comments>", "/1#comments"),
    "guid and comments": (
        "<guid isPermaLink='false'>https://paper.example/1</guid><comments>https://paper.example/1#comments</comments>",
        "/1",
    ),
}


@table(("elements", "path"), LINKS.values(), ids=LINKS.keys())
def test_entry_leads_to_its_page(client: Client, elements: str, path: str) -> None:
    [seen] = Reported(client).read(rss(f"<title>Cranes</title><description>Text.</description>{elements}"))
    assert seen.link == f"https://paper.example{path}"


def test_item_without_an_own_page_opens_the_external_one(reported: Reported) -> None:
    url = "https://other.example/story"
    [seen] = reported.read(json_feed({"id": url, "external_url": url, "title": "Story", "content_text": "Cranes."}))
    assert (seen.link, seen.body) == (url, "<p>Cranes.</p>")


COMMENT = "<p>My comment</p>"
LINKED = (
    '<p><a href="https://other.example/story?a=1&amp;b=2" rel="noopener noreferrer">'
    "other.example/story?a=1&amp;b=2</a></p>"
)
STORY = "https://other.example/story?a=1&b=2"
ABOUT = {  # items of a link blog, and what is shown
    "JSON": (json_feed({"id": "1", "url": "/log/1", "external_url": STORY, "content_html": COMMENT}), LINKED + COMMENT),
    "JSON, text": (
        json_feed({"id": "1", "url": "/log/1", "external_url": STORY, "content_text": "My comment"}),
        LINKED.replace(">other", ">https://other") + COMMENT,
    ),
    "linked by itself": (
        json_feed({"id": "1", "url": "/log/1", "external_url": STORY, "content_html": f"<a href='{STORY}'>Story</a>"}),
        LINKED.removeprefix("<p>").replace(">other.example/story?a=1&amp;b=2</a></p>", ">Story</a>"),
    ),
    "Atom": (
        atom(
            "<entry><id>urn:1</id><title>Story</title><updated>2026-11-20T08:00:00Z</updated><link href='/log/1'/>"
            f"<link rel='related' href='{STORY.replace('&', '&amp;')}'/>"
            "<content type='html'>&lt;p>My comment&lt;/p></content></entry>"
        ),
        LINKED + COMMENT,
    ),
}


@table(("document", "body"), ABOUT.values(), ids=ABOUT.keys())
def test_link_blog_opens_itself_and_shows_the_other_page(client: Client, document: bytes, body: str) -> None:
    [seen] = Reported(client).read(document)
    assert (seen.link, seen.body) == ("https://paper.example/log/1", body)


# Names of sources in feeds.yaml

TABS = "tabs:\n  world:\n    name: 國際\n    sources:\n      - url: {url}\n        source_name: {name}\n"


@pytest.mark.parametrize(
    ("name", "url", "title", "site"),
    [
        pytest.param(
            "中央通訊社", "https://feeds.feedburner.com/intworld", "CNA", "https://www.cna.com.tw/", id="host"
        ),
        pytest.param(
            "中央通訊社", "https://cna.bridge.example/1", "中央通訊社", "https://www.cna.com.tw/", id="bridge"
        ),
        pytest.param("BBC", "https://feeds.bbci.co.uk/news/rss.xml", "BBC News", "https://www.bbc.co.uk/", id="short"),
        pytest.param("RSS", "https://paper.example/feed.xml", "Paper", "https://paper.example/", id="generic"),
        pytest.param("Paper", "https://paper.example/feed.xml", "Paper", "https://paper.example/", id="the feed's"),
    ],
)
def test_name_in_feeds_yaml_stays_as_given(reported: Reported, name: str, url: str, title: str, site: str) -> None:
    reported.import_list(TABS.format(url=url, name=name), "feeds.yaml")
    assert Subscription.objects.get().shown_title == name
    [seen] = reported.read(rss(item(link=f"{site}1"), title=title, site=site), url=url)
    assert seen.source == name
    assert Subscription.objects.get().shown_title == name
    exported = export_opml(reported.user, title="Feeds", now=reported.now).decode()
    assert f'text="{name}"' in exported
    other = Reported(reported.client)
    other.import_list(exported, "feeds.opml")
    assert [(mine.shown_title, mine.source_name) for mine in other.user.subscriptions.all()] == [(name, name)]


def test_names_in_the_lists_of_others_are_told_from_publishers(reported: Reported) -> None:
    url = "https://liar.example/feed.xml"
    reported.import_list(
        f'<opml version="2.0"><body><outline text="BBC News" xmlUrl="{url}"/></body></opml>', "list.opml"
    )
    [seen] = reported.read(rss(item(), title="BBC News", site="https://liar.example/"), url=url)
    assert seen.source == "BBC News (liar.example)"
    mine = Subscription.objects.get()
    rename(mine, title="BBC News", folder=None)
    assert [seen.source for seen in reported.list(url)] == ["BBC News"]


# Podcasts that say where they moved (itunes:new-feed-url)

NEW = "https://paper.example/show.xml"
OTHER = "https://shows.org/paper.xml"


def says(address: str) -> str:
    return f"<itunes:new-feed-url>{address}</itunes:new-feed-url>"


def test_feed_moves_to_the_address_it_announces(reported: Reported) -> None:
    reported.publish(rss(item("Two", guid="2"), item(guid="1"), channel=says(NEW)), NEW)
    reported.read(rss(item(guid="1")))[0].open()
    reported.publish(rss(item(guid="1"), channel=says(NEW)))
    reported.poll()
    cranes, two = sorted(reported.list(NEW), key=lambda seen: seen.title)
    feed = Feed.objects.get()
    assert (feed.url, feed.status) == (NEW, "active")
    assert (cranes.title, cranes.is_read, two.title, two.is_read) == ("Cranes", True, "Two", False)
    reported.requests.clear()
    assert reported.poll(NEW).outcome == "unchanged"
    assert reported.requests == [NEW]


def test_feed_moves_to_another_publisher_as_by_a_redirect(reported: Reported) -> None:
    reported.publish(rss(item(guid="1")), OTHER)
    reported.read(rss(item(guid="1"), channel=says(OTHER)))
    followed = {mine.feed.url: mine.feed.status for mine in reported.user.subscriptions.all()}
    assert followed == {ADDRESS: "merged", OTHER: "active"}


STAYS = {  # the address it announces, and what is there
    "nothing": (NEW, None),
    "a page": (NEW, b"<!doctype html><title>Paper</title>"),
    "another feed": (NEW, rss(item("Docks", guid="9"), title="Docks")),
    "the announcement of a third address": (NEW, rss(item(guid="1"), channel=says("https://paper.example/3.xml"))),
    "the announcement of this address": (NEW, rss(item(guid="1"), channel=says(ADDRESS))),
}


@table(("address", "there"), STAYS.values(), ids=STAYS.keys())
def test_feed_stays_if_another_or_none_is_at_the_announced_address(
    client: Client, address: str, there: bytes | None
) -> None:
    reported = Reported(client)
    if there is not None:
        reported.publish(there, address)
    [seen] = reported.read(rss(item(guid="1"), channel=says(address)))
    assert seen.title == "Cranes"
    assert (Feed.objects.get().url, reported.follow().feed.polls.get().outcome) == (ADDRESS, "new")


@pytest.mark.parametrize(
    ("url", "address"),
    [
        (ADDRESS, ADDRESS),
        (ADDRESS, "http://127.0.0.1/show.xml"),
        (ADDRESS, "http://[::1]/show.xml"),
        (ADDRESS, "http://nas.local/show.xml"),
        (ADDRESS, "file:///etc/passwd"),
        ("https://paper.example/feed.xml?token=secret", NEW),
    ],
    ids=["own", "loopback", "IPv6", "local", "file", "of a private feed"],
)
def test_announced_address_is_not_even_asked(reported: Reported, url: str, address: str) -> None:
    reported.publish(rss(item(guid="1")), address)
    reported.read(rss(item(guid="1"), channel=says(address)), url=url)
    assert reported.requests == [url]
    assert Feed.objects.get().url == url


# The policy `newest`: the version published later is kept, of the same date the one seen first

DAYS = {"later": "Sat, 21 Nov 2026 08:00:00 GMT", "the same day": DATE, "earlier": "Thu, 19 Nov 2026 08:00:00 GMT"}


@pytest.fixture
def newest(settings: Settings) -> None:
    settings.ENV = replace(settings.ENV, DEDUP_POLICY="newest")


@pytest.mark.usefixtures("newest")
@table(("when", "day"), DAYS.items(), ids=DAYS.keys())
def test_newest_of_one_guid_is_kept(client: Client, when: str, day: str) -> None:
    reported = Reported(client)
    first, second = item(body="Cranes come down in May.", guid="1"), item(body="In June.", guid="1", pubDate=day)
    [seen] = reported.read(rss(first), rss(second))
    text = "In June." if when == "later" else "Cranes come down in May."
    assert (seen.text, seen.is_updated) == (text, when == "later")
    [seen] = reported.read(rss(item(body="On 20 November.", guid="1", pubDate="Fri, 20 Nov 2026 20:00:00 GMT")))
    assert seen.text == ("In June." if when == "later" else "On 20 November.")


@pytest.mark.usefixtures("newest")
@table(("when", "day"), DAYS.items(), ids=DAYS.keys())
def test_newest_of_one_page_is_kept(client: Client, when: str, day: str) -> None:
    reported, link = Reported(client), "https://paper.example/cranes"
    reported.read(rss(item(body="Cranes come down in May, before the storms.", link=link)))
    reported.publish(rss(item("Cranes again", body="In June.", link=link, pubDate=day)), f"{ADDRESS}?a=1")
    reported.poll(f"{ADDRESS}?a=1")
    [seen] = reported.list()
    assert seen.title == ("Cranes again" if when == "later" else "Cranes")
    assert stored(seen).published_at.day == (21 if when == "later" else 20)


@pytest.mark.usefixtures("newest")
@table(("when", "day"), DAYS.items(), ids=DAYS.keys())
def test_newest_of_one_title_leads(client: Client, when: str, day: str) -> None:
    reported, title = Reported(client), "Harbour office to take down its two oldest cranes"
    first, second = (
        item(title, link=f"https://paper.example/{n}", guid=str(n), pubDate=at) for n, at in ((1, DATE), (2, day))
    )
    reported.read(rss(first), rss(second, first))
    engine.match()
    assert Story.objects.get().lead.url == f"https://paper.example/{2 if when == 'later' else 1}"


@pytest.mark.parametrize("template", ["", "https://forum.example/viewtopic.php?p=%d&amp;sid={session}#p%d"])
@pytest.mark.parametrize("sessions", ["aaa111 bbb222", f"{'0a' * 16} {'1b' * 16}"])
def test_forum_whose_links_have_sessions_brings_each_post_once(
    reported: Reported, template: str, sessions: str
) -> None:
    def document(session: str, posts: tuple[int, ...]) -> bytes:
        return rss(
            *(
                item(
                    f"Re: cranes {n}",
                    f"Post number {n} about the cranes.",
                    link=f"https://forum.example/viewtopic.php?p={n}&amp;sid={session}#p{n}",
                    guid=(template % (n, n)).format(session=session) if template else "",
                )
                for n in posts
            )
        )

    first, second = sessions.split()
    [seen] = reported.read(document(first, (1,)))
    seen.open()
    both = reported.read(document(second, (2, 1)))
    assert sorted((each.title, each.is_read) for each in both) == [("Re: cranes 1", True), ("Re: cranes 2", False)]
    assert {each.link for each in both} == {f"https://forum.example/viewtopic.php?p={n}#p{n}" for n in (1, 2)}
    assert reported.poll().n_revised == 0
