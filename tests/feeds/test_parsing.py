"""Every format and every priority of SPEC §5, on small feeds."""

import gzip
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from feeds.errors import ParseError
from feeds.parsing import ParsedChapter, ParsedDate, ParsedEntry, ParsedFeed, ParsedMedia, ParsedText, parse

URL = "https://feeds.example/blog/feed.xml"
NAMESPACES = (
    ' xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:content="http://purl.org/rss/1.0/modules/content/"'
    ' xmlns:atom="http://www.w3.org/2005/Atom" xmlns:media="http://search.yahoo.com/mrss/"'
    ' xmlns:itunes="http://www.itunes.com/DTDs/PodCast-1.0.dtd" xmlns:sy="http://purl.org/rss/1.0/modules/syndication/"'
    ' xmlns:dcterms="http://purl.org/dc/terms/"'
)


def rss(item: str = "", channel: str = "") -> ParsedFeed:
    return parse(
        f'<rss version="2.0"{NAMESPACES}><channel>{channel}<item>{item}</item></channel></rss>'.encode(), url=URL
    )


def atom(entry: str, feed: str = "", attributes: str = "") -> ParsedFeed:
    document = f'<feed xmlns="http://www.w3.org/2005/Atom"{NAMESPACES}{attributes}>{feed}<entry>{entry}</entry></feed>'
    return parse(document.encode(), url=URL)


def entry_of(feed: ParsedFeed) -> ParsedEntry:
    (entry,) = feed.entries
    return entry


CHANNEL = "<channel><item><title>x</title></item></channel></rss>"
RDF_NS = 'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"'


@pytest.mark.parametrize(
    ("document", "format_name"),
    [
        pytest.param("<rss version='0.91'>" + CHANNEL, "rss091u", id="0.91"),
        pytest.param("<rss version='0.92'>" + CHANNEL, "rss092", id="0.92"),
        pytest.param("<rss version='0.93'>" + CHANNEL, "rss093", id="0.93"),
        pytest.param("<rss version='0.94'>" + CHANNEL, "rss094", id="0.94"),
        pytest.param("<rss version='2.0'>" + CHANNEL, "rss20", id="2.0"),
        pytest.param("<rss version='2.0.1'>" + CHANNEL, "rss20", id="2.0.1"),
        pytest.param("<rss>" + CHANNEL, "rss", id="no version"),
        pytest.param(
            "<!DOCTYPE rss PUBLIC '-//Netscape Communications//DTD RSS 0.91//EN' 'http://my.netscape.com/rss-0.91.dtd'>"
            "<rss version='0.91'>" + CHANNEL,
            "rss091n",
            id="Netscape 0.91",
        ),
        pytest.param(
            f"<rdf:RDF {RDF_NS} xmlns='http://my.netscape.com/rdf/simple/0.9/'><item><title>x</title></item></rdf:RDF>",
            "rss090",
            id="0.90",
        ),
        pytest.param(
            f"<rdf:RDF {RDF_NS} xmlns='http://purl.org/rss/1.0/'><item><title>x</title></item></rdf:RDF>",
            "rss10",
            id="1.0",
        ),
        pytest.param(
            f"<r:RDF {RDF_NS.replace(':rdf', ':r')} xmlns:s='http://purl.org/rss/1.0/'>"
            "<s:item><s:title>x</s:title></s:item></r:RDF>",
            "rss10",
            id="1.0 with other prefixes",
        ),
        pytest.param(
            "<feed version='0.3' xmlns='http://purl.org/atom/ns#'><entry><title>x</title></entry></feed>",
            "atom03",
            id="Atom 0.3",
        ),
        pytest.param(
            "<feed xmlns='http://www.w3.org/2005/Atom'><entry><title>x</title></entry></feed>", "atom10", id="Atom 1.0"
        ),
        pytest.param(
            "<f:feed xmlns:f='http://www.w3.org/2005/Atom'><f:entry><f:title>x</f:title></f:entry></f:feed>",
            "atom10",
            id="Atom 1.0 with a prefix",
        ),
        pytest.param(
            '{"version":"https://jsonfeed.org/version/1.1","items":[{"title":"x"}]}', "json11", id="JSON Feed"
        ),
    ],
)
def test_reads_every_format_whatever_the_content_type_says(document: str, format_name: str) -> None:
    feed = parse(document.encode(), url=URL, content_type="text/html")

    assert (feed.format, [entry.title for entry in feed.entries], feed.well_formed) == (format_name, ["x"], True)


def test_media_that_is_only_declared_as_an_image() -> None:
    [entry] = rss('<title>x</title><media:content url="https://i.example/a?s=96" medium="image"/>').entries
    assert entry.media == (ParsedMedia("https://i.example/a?s=96", "content", "image/*"),)


def test_reads_every_field_of_an_rss_item() -> None:
    feed = rss(
        '<guid isPermaLink="false">id-1</guid><title>T &amp;amp; U</title><link> https://site.example/1 </link>'
        "<dc:creator>A</dc:creator><pubDate>Tue, 17 Feb 2026 10:00:00 +0900</pubDate><category>x</category>"
        "<dc:subject>y</dc:subject><description>short</description>"
        "<content:encoded><![CDATA[<p>long</p>]]></content:encoded>"
        '<enclosure url="/a.mp3" type="audio/mpeg" length="12"/>'
        '<media:content url="https://i.example/a.jpg" type="image/jpeg" width="640" height="360" fileSize="7"/>'
        '<media:thumbnail url="https://i.example/t.jpg" width="75" height="50"/>',
        "<title>Site</title><link>https://feeds.example/</link><description>About</description><language>en</language>",
    )

    assert feed == ParsedFeed(
        title="Site",
        link="https://feeds.example/",
        description="About",
        language="en",
        format="rss20",
        encoding="utf_8",
        entries=(
            ParsedEntry(
                guid="id-1",
                link="https://site.example/1",
                title="T &amp; U",
                author="A",
                dates=(ParsedDate("Tue, 17 Feb 2026 10:00:00 +0900", datetime(2026, 2, 17, 1, tzinfo=UTC)),),
                markup="<p>long</p>",
                summary="short",
                categories=("x", "y"),
                media=(
                    ParsedMedia("https://feeds.example/a.mp3", "enclosure", "audio/mpeg", length=12),
                    ParsedMedia("https://i.example/a.jpg", "content", "image/jpeg", length=7, width=640, height=360),
                    ParsedMedia("https://i.example/t.jpg", "thumbnail", width=75, height=50),
                ),
            ),
        ),
        raw_hashes=feed.raw_hashes,
    )
    assert len(feed.raw_hashes) == 1


def test_reads_every_field_of_an_atom_entry() -> None:
    feed = atom(
        '<id>https://site.example/1</id><title type="html">&lt;b&gt;T&lt;/b&gt;</title>'
        '<link rel="replies" href="/r"/><link rel="enclosure" href="/a.mp3" type="audio/mpeg" length="5"/>'
        '<link href="/1"/><author><name>A</name><email>a@b.example</email></author><author><name>B</name></author>'
        "<published>2026-02-17T10:00:00Z</published><updated>2026-02-18T10:00:00Z</updated>"
        '<category term="x" label="X"/><category term="y"/><summary>short</summary>'
        '<content type="xhtml" xml:lang="fr"><div xmlns="http://www.w3.org/1999/xhtml"><p>a &lt; b</p></div></content>',
        '<title>Site</title><link href="https://feeds.example/"/><icon>/i.ico</icon>',
        ' xml:lang="en"',
    )

    entry = entry_of(feed)
    assert (feed.title, feed.link, feed.icon, feed.language) == (
        "Site",
        "https://feeds.example/",
        "https://feeds.example/i.ico",
        "en",
    )
    assert entry.guid == "https://site.example/1"
    assert (entry.link, entry.title, entry.author) == ("https://feeds.example/1", "<b>T</b>", "A, B")
    assert [date.text for date in entry.dates] == ["2026-02-17T10:00:00Z", "2026-02-18T10:00:00Z"]
    assert (entry.markup, entry.markup_is_text, entry.summary) == ("<p>a &lt; b</p>", False, "short")
    assert (entry.categories, entry.language) == (("X", "y"), "fr")
    assert entry.media == (ParsedMedia("https://feeds.example/a.mp3", "enclosure", "audio/mpeg", length=5),)


def files(feed: ParsedFeed) -> list[tuple[str, str, int]]:
    return [(file.kind, file.url, file.group) for file in entry_of(feed).media]


def test_forms_of_one_file_are_a_group() -> None:
    feed = rss(
        '<media:group><media:content url="https://i.example/1"/><media:content url="https://i.example/2"/>'
        '<media:thumbnail url="https://i.example/t1"/></media:group>'
        '<media:content url="https://i.example/3"><media:thumbnail url="https://i.example/t3"/></media:content>'
        '<media:content url="https://i.example/4"/><media:thumbnail url="https://i.example/t"/>'
    )
    assert files(feed) == [
        ("content", "https://i.example/1", 1),
        ("content", "https://i.example/2", 1),
        ("content", "https://i.example/3", 2),
        ("content", "https://i.example/4", 0),
        ("thumbnail", "https://i.example/t1", 1),
        ("thumbnail", "https://i.example/t3", 2),
        ("thumbnail", "https://i.example/t", 0),
    ]


def test_descriptions_are_of_their_files() -> None:
    first, second = (f'<media:content url="https://i.example/{n}">{{}}</media:content>' for n in (1, 2))
    described = first.format("<media:description>One</media:description>")
    feed = rss(described + second.format("<media:description type='html'>&lt;b&gt;Two&lt;/b&gt;</media:description>"))
    assert [file.description for file in entry_of(feed).media] == ["One", "<b>Two</b>"]
    assert entry_of(feed).markup == "One\n\n<b>Two</b>"  # an entry without other text

    feed = rss(described + second.format("") + "<media:description>All</media:description><description>D</description>")
    assert [file.description for file in entry_of(feed).media] == ["One", "All"]
    assert (entry_of(feed).markup, entry_of(feed).summary) == ("D", "")


def test_durations_and_players() -> None:
    feed = rss(
        '<itunes:duration>1:02:03</itunes:duration><enclosure url="https://a.example/1.mp3"/>'
        '<media:content url="https://a.example/2.mp4" duration="75" isDefault="TRUE"/>'
        '<media:embed url="https://a.example/embed"/><media:player url="https://a.example/watch"/>'
    )
    assert [(file.kind, file.seconds, file.is_default) for file in entry_of(feed).media] == [
        ("enclosure", 3723, False),
        ("content", 75, True),
        ("player", 3723, False),
        ("player", 3723, False),
    ]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("75", 75), ("62:03", 3723), ("1:02:03.5", 3723), ("754000", 754), ("0", None), ("soon", None), ("1:x", None)],
)
def test_duration_of_a_recording(text: str, seconds: int | None) -> None:
    feed = rss(f'<itunes:duration>{text}</itunes:duration><enclosure url="https://a.example/1.mp3"/>')
    assert [file.seconds for file in entry_of(feed).media] == [seconds]


@pytest.mark.parametrize(
    ("element", "url"),
    [
        ('<media:thumbnail url="t.jpg"/>', "https://base.example/x/t.jpg"),
        ('<media:thumbnail xml:base="https://other.example/y/" url="t.jpg"/>', "https://other.example/y/t.jpg"),
        ('<media:group xml:base="y/"><media:content url="t.jpg"/></media:group>', "https://base.example/x/y/t.jpg"),
        ('<enclosure xml:base="/y/" url="t.jpg"/>', "https://base.example/y/t.jpg"),
        ('<itunes:image href="t.jpg"/>', "https://base.example/x/t.jpg"),
        ("<enclosure> t.jpg </enclosure>", "https://base.example/x/t.jpg"),
        ("<media:thumbnail>https://i.example/t.jpg</media:thumbnail>", "https://i.example/t.jpg"),
    ],
)
def test_files_are_relative_to_the_base_where_they_are(element: str, url: str) -> None:
    item = f'<item xml:base="https://base.example/x/"><title>x</title>{element}</item>'
    feed = parse(f'<rss version="2.0"{NAMESPACES}><channel>{item}</channel></rss>'.encode(), url=URL)
    assert [file.url for file in entry_of(feed).media] == [url]


def test_chapters_and_transcripts() -> None:
    feed = rss(
        '<psc:chapters xmlns:psc="http://podlove.org/simple-chapters" version="1.2">'
        '<psc:chapter start="0" title="Hello"/><psc:chapter title="Lost"/><psc:chapter start="3:07.5" title="Cranes"'
        ' href="/cranes"/></psc:chapters>'
        '<p:chapters xmlns:p="https://podcastindex.org/namespace/1.0" url="/c.json" type="application/json+chapters"/>'
        '<p:transcript xmlns:p="https://podcastindex.org/namespace/1.0" url="/1.vtt" type="text/vtt" language="DE"/>'
        '<p:transcript xmlns:p="https://podcastindex.org/namespace/1.0" url="/1.html" type="text/html"/>'
    )
    entry = entry_of(feed)
    assert entry.chapters == (
        ParsedChapter("0", "Hello"),
        ParsedChapter("3:07.5", "Cranes", "https://feeds.example/cranes"),
    )
    assert entry.chapters_file == ParsedText("https://feeds.example/c.json", "application/json+chapters")
    assert entry.transcripts == (
        ParsedText("https://feeds.example/1.vtt", "text/vtt", "de"),
        ParsedText("https://feeds.example/1.html", "text/html"),
    )


CREATOR, AUTHOR, ITUNES = (
    "<dc:creator>C</dc:creator>",
    "<author>a@b.example (A)</author>",
    "<itunes:author>I</itunes:author>",
)


@pytest.mark.parametrize(
    ("item", "channel", "author"),
    [
        pytest.param(AUTHOR + CREATOR, "", "C", id="dc:creator before author"),
        pytest.param(CREATOR + AUTHOR, "", "C", id="in either order"),
        pytest.param(ITUNES + AUTHOR + ITUNES, "", "a@b.example (A)", id="author before itunes:author"),
        pytest.param(ITUNES, "<managingEditor>M</managingEditor>", "I", id="the entry's before the feed's"),
        pytest.param("", "<managingEditor>M</managingEditor>", "M", id="managingEditor"),
        pytest.param("<dc:creator>C</dc:creator><dc:creator>D</dc:creator>", "", "C, D", id="several"),
        pytest.param("<atom:author><atom:name>N</atom:name></atom:author>", "", "N", id="Atom's in RSS"),
        pytest.param("", "", "", id="none"),
    ],
)
def test_author_by_priority(item: str, channel: str, author: str) -> None:
    assert entry_of(rss(item, channel)).author == author


def test_atom_entries_inherit_the_feeds_author() -> None:
    assert entry_of(atom("<title>x</title>", "<author><name>F</name></author>")).author == "F"


@pytest.mark.parametrize(
    ("item", "texts"),
    [
        pytest.param(
            "<pubDate>P</pubDate><dc:date>D</dc:date><atom:updated>U</atom:updated>",
            ["D", "U", "P"],
            id="dc:date, updated, pubDate",
        ),
        pytest.param(
            "<atom:updated>U</atom:updated><atom:published>B</atom:published>", ["B", "U"], id="published, updated"
        ),
        pytest.param("<pubDate></pubDate>", [], id="an empty date is none"),
        pytest.param("<dcterms:created>C</dcterms:created>", ["C"], id="created last"),
    ],
)
def test_dates_by_priority(item: str, texts: list[str]) -> None:
    assert [date.text for date in entry_of(rss(item)).dates] == texts


@pytest.mark.parametrize(
    ("text", "parsed"),
    [
        pytest.param("2026-02-17T10:00:00+09:00", datetime(2026, 2, 17, 1, tzinfo=UTC), id="ISO 8601"),
        pytest.param("Tue, 17 Feb 2026 10:00:00 EST", datetime(2026, 2, 17, 15, tzinfo=UTC), id="named zone"),
        pytest.param("yesterday", None, id="unreadable"),
        pytest.param("9" * 500, None, id="absurd"),
    ],
)
@pytest.mark.parametrize("element", ["pubDate", "dc:date"])
def test_dates_are_converted_to_utc(text: str, parsed: datetime | None, element: str) -> None:
    (date,) = entry_of(rss(f"<{element}>{text}</{element}>")).dates

    assert date.text == text
    assert date.parsed == parsed or (element == "dc:date" and date.parsed is None)


ENCODED, DESCRIPTION = "<content:encoded>E</content:encoded>", "<description>D</description>"
MEDIA_DESCRIPTION = "<media:group><media:description>M</media:description></media:group>"


@pytest.mark.parametrize(
    ("item", "markup", "summary"),
    [
        pytest.param(DESCRIPTION + ENCODED, "E", "D", id="content:encoded before description"),
        pytest.param(ENCODED + DESCRIPTION, "E", "D", id="in either order"),
        pytest.param('<atom:content type="html">C</atom:content>' + ENCODED, "E", "C", id="encoded before Atom's"),
        pytest.param("<atom:content>C</atom:content>" + DESCRIPTION, "C", "D", id="Atom's before description"),
        pytest.param("<atom:summary>S</atom:summary>" + DESCRIPTION, "D", "S", id="description before summary"),
        pytest.param(DESCRIPTION + MEDIA_DESCRIPTION, "D", "", id="media:description is of a file"),
        pytest.param(MEDIA_DESCRIPTION, "M", "", id="media:description when alone"),
        pytest.param("<itunes:summary>S</itunes:summary>", "S", "", id="itunes:summary when alone"),
        pytest.param("<content:encoded>&lt;br/&gt;</content:encoded>" + DESCRIPTION, "D", "", id="an empty one"),
        pytest.param("<description>D</description><content:encoded>D</content:encoded>", "D", "", id="the same twice"),
    ],
)
def test_body_by_priority(item: str, markup: str, summary: str) -> None:
    entry = entry_of(rss(item))

    assert (entry.markup, entry.summary) == (markup, summary)


@pytest.mark.parametrize(
    ("content", "markup", "is_text"),
    [
        pytest.param("<content>a &lt; b</content>", "a < b", True, id="no type is text"),
        pytest.param('<content type="text">x</content>', "x", True, id="text"),
        pytest.param('<content type="html">&lt;b&gt;x&lt;/b&gt;</content>', "<b>x</b>", False, id="html"),
        pytest.param('<content type="image/png">iVBO</content><summary>s</summary>', "s", True, id="an image"),
        pytest.param('<content src="https://x.example/v"/><summary>s</summary>', "s", True, id="content elsewhere"),
    ],
)
def test_atom_content_by_type(content: str, markup: str, is_text: bool) -> None:
    entry = entry_of(atom(content))

    assert (entry.markup, entry.markup_is_text) == (markup, is_text)


@pytest.mark.parametrize(
    ("item", "link"),
    [
        pytest.param("<link>https://a.example/1</link>", "https://a.example/1", id="absolute"),
        pytest.param("<link>/1?a=1&amp;b=2</link>", "https://feeds.example/1?a=1&b=2", id="relative"),
        pytest.param("<link>www.a.example/1</link>", "http://www.a.example/1", id="no scheme"),
        pytest.param("<link>//a.example/1</link>", "https://a.example/1", id="no scheme but slashes"),
        pytest.param("<link/><atom:link href='https://a.example/1'/>", "https://a.example/1", id="empty, then Atom's"),
        pytest.param(
            "<atom:link rel='self' href='https://a.example/s'/><link>https://a.example/1</link>",
            "https://a.example/1",
            id="self is no link",
        ),
        pytest.param("<link>http://[::1</link>", "http://[::1", id="broken"),
    ],
)
def test_links_are_absolute(item: str, link: str) -> None:
    assert entry_of(rss(item)).link == link


def test_prefers_feedburners_original_link() -> None:
    namespace = 'xmlns:feedburner="http://rssnamespace.org/feedburner/ext/1.0"'
    item = f"<link>https://proxy.example/1</link><feedburner:origLink {namespace}>https://a.example/1</feedburner:origLink>"

    assert entry_of(rss(item)).link == "https://a.example/1"


@pytest.mark.parametrize(
    ("entry", "attributes", "base"),
    [
        pytest.param("<content>x</content>", "", "", id="none"),
        pytest.param(
            "<content>x</content>", ' xml:base="https://b.example/c/"', "https://b.example/c/", id="the feed's"
        ),
        pytest.param(
            '<content xml:base="d/">x</content>',
            ' xml:base="https://b.example/c/"',
            "https://b.example/c/d/",
            id="nested",
        ),
        pytest.param('<content xml:base="/d/">x</content>', "", "https://feeds.example/d/", id="relative"),
        pytest.param(
            '<title xml:base="https://b.example/">t</title><content>x</content>', "", "", id="another element's"
        ),
    ],
)
def test_base_is_xml_base(entry: str, attributes: str, base: str) -> None:
    assert entry_of(atom(entry, attributes=attributes)).base == base


def test_links_are_the_sites_when_another_host_serves_the_feed() -> None:
    assert entry_of(rss("<link>/1</link>", "<link>https://site.example/</link>")).link == "https://site.example/1"


def test_reads_polling_hints() -> None:
    feed = rss(
        "",
        "<ttl> 60 </ttl><sy:updatePeriod>Hourly</sy:updatePeriod><sy:updateFrequency>2</sy:updateFrequency>"
        "<skipHours><hour>0</hour><hour>24</hour><hour>13</hour><hour>99</hour><hour>x</hour></skipHours>"
        "<skipDays><day>Sunday</day><day>monday</day><day>Someday</day></skipDays>",
    )

    assert (feed.ttl_minutes, feed.update_period, feed.update_frequency) == (60, "hourly", 2)
    assert (feed.skip_hours, feed.skip_days) == ({0, 13}, {0, 6})


@pytest.mark.parametrize("ttl", ["", "soon", "-5", "²", "9" * 99])
def test_ignores_a_nonsensical_ttl(ttl: str) -> None:
    assert rss("", f"<ttl>{ttl}</ttl>").ttl_minutes is None


def test_recognizes_namespaces_by_uri_alone() -> None:
    document = (
        '<rss version="2.0" xmlns:x="http://purl.org/dc/elements/1.1/" xmlns:dc="urn:something-else"><channel><item>'
        "<x:creator>Right</x:creator><dc:creator>Wrong</dc:creator></item></channel></rss>"
    )

    assert entry_of(parse(document.encode(), url=URL)).author == "Right"


def test_recognizes_namespaces_with_https_or_no_slash() -> None:
    document = (
        '<rss version="2.0" xmlns:dc="https://purl.org/dc/elements/1.1"><channel><item>'
        "<dc:creator>A</dc:creator></item></channel></rss>"
    )

    assert entry_of(parse(document.encode(), url=URL)).author == "A"


def test_a_feed_without_entries_is_a_feed() -> None:
    feed = parse(b"<rss version='2.0'><channel><title>t</title></channel></rss>", url=URL)

    assert (feed.title, feed.entries, feed.raw_hashes) == ("t", (), ())


def test_a_gzip_file_is_inflated() -> None:
    assert parse(gzip.compress(b"<rss><channel><title>t</title></channel></rss>"), url=URL).title == "t"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        pytest.param(b"", "empty", id="nothing"),
        pytest.param(b"\xef\xbb\xbf \n ", "empty", id="white space"),
        pytest.param(b"<!-- nothing here -->", "empty", id="a comment"),
        pytest.param(b"<!doctype html><title>x</title>", "html", id="HTML"),
        pytest.param(b"<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'/>", "html", id="XHTML"),
        pytest.param(b"<html><body>&lt;rss&gt;<rss version='2.0'></rss></body></html>", "html", id="a quoted feed"),
        pytest.param(b"<h1>502 Bad Gateway</h1>", "html", id="an error page"),
        pytest.param(b"Too many requests", "not_a_feed", id="text"),
        pytest.param(b"<opml version='2.0'><body/></opml>", "not_a_feed", id="OPML"),
        pytest.param(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)), "unreadable", id="an image"),
        pytest.param(gzip.compress(bytes(20_000_000)), "unreadable", id="a gzip bomb"),
        pytest.param(b"\x1f\x8b\x08 not gzip", "unreadable", id="damaged gzip"),
    ],
)
def test_rejects_other_documents_with_a_reason(body: bytes, reason: str) -> None:
    with pytest.raises(ParseError) as refusal:
        parse(body, url=URL)

    assert refusal.value.reason == reason


SOUND = (
    f'<?xml version="1.0" encoding="utf-8"?><rss version="2.0"{NAMESPACES}><channel><title>世界</title>'
    "<item><guid>1</guid><title>One &amp; é</title><category>x</category><source url='/s'>S</source>"
    "<content:encoded><![CDATA[<p>x</p>]]></content:encoded></item>"
    "<item><media:group><media:thumbnail url='/t'/></media:group><image><url>u</url></image></item></channel></rss>"
).encode()
PIECES = st.sampled_from(
    (
        rb"<item>|</item>|<![CDATA[|]]>|<!--|-->|&|&#xD800;|&nbsp;|<!DOCTYPE x [|]>|<authors>x</authors>|"
        rb"<links>x</links>|<tags>x</tags>|<content>|</title>|<svg><title>|<source>|<image>|<media:content/>|<link/>|<a:b>|</rss>"
        b"|<textInput>|'|\"|\0|\xff"
    ).split(b"|")
)


@given(st.binary(max_size=400), st.text(max_size=20))
def test_any_bytes_are_parsed_or_rejected(body: bytes, content_type: str) -> None:
    try:
        feed = parse(body, url=URL, content_type=content_type)
    except ParseError:
        return
    assert isinstance(feed, ParsedFeed)


@given(st.lists(st.tuples(st.integers(60, len(SOUND)), PIECES, st.integers(0, 60)), min_size=1, max_size=4))
@example(damage=[(67, b"<!--", 0), (71, b"&#xD800;", 0)])
def test_any_damaged_feed_is_read_or_rejected(damage: list[tuple[int, bytes, int]]) -> None:
    body = SOUND
    for position, piece, n_lost in damage:
        body = body[:position] + piece + body[position + n_lost :]
    try:
        feed = parse(body, url=URL)
    except ParseError:
        return
    again = parse(body, url=URL, known_hashes=frozenset(feed.raw_hashes))
    assert len(again.entries) == (0 if feed.raw_hashes else len(feed.entries))
    assert replace(again, entries=(), n_known=0) == replace(feed, entries=(), n_known=0)
