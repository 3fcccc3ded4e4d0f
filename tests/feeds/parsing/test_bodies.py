"""Which text of an entry is its body, and how it is declared."""

import pytest

from feeds.errors import ParseError
from feeds.parsing import ParsedEntry, ParsedMedia, parse
from tests.tables import table

URL = "https://site.example/feed.xml"
NAMESPACES = (
    ' xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:media="http://search.yahoo.com/mrss/"'
    ' xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:yandex="http://news.yandex.ru"'
    ' xmlns:atom="http://www.w3.org/2005/Atom"'
)
STORY = "The ferry to the island sails again from Monday, and the first boat is full."
MARKUP = f"<p>{STORY}</p>"
TEASER = "Ferry sails again"


def cdata(markup: str) -> str:
    return f"<![CDATA[{markup}]]>"


def rss(item: str, channel: str = "") -> ParsedEntry:
    document = f"<rss version='2.0'{NAMESPACES}><channel><title>T</title>{channel}<item>{item}</item></channel></rss>"
    (entry,) = parse(document.encode(), url=URL).entries
    return entry


def atom(entry: str) -> ParsedEntry:
    document = f"<feed xmlns='http://www.w3.org/2005/Atom'><title>T</title><entry>{entry}</entry></feed>"
    (parsed,) = parse(document.encode(), url=URL).entries
    return parsed


def described(*texts: str) -> str:
    return "".join(f"<description>{cdata(text)}</description>" for text in texts)


def encoded(*texts: str) -> str:
    return "".join(f"<content:encoded>{cdata(text)}</content:encoded>" for text in texts)


PICTURE, OTHER_PICTURE = '<img src="a.jpg"/>', '<img src="b.jpg"/>'
CAPTION = f"<media:content url='a.jpg'><media:description>{STORY}</media:description></media:content>"
LINK = ' &lt;a href="https://site.example/very/long/address"&gt;'
CHINESE = "渡轮周一恢复通航，首班船票已经售罄，请提前预订下一班船。"

FULLEST = {
    "encoded by priority": (described(STORY) + encoded(MARKUP), MARKUP, STORY),
    "encoded is a teaser": (described(MARKUP) + encoded(TEASER), MARKUP, TEASER),
    "encoded is blank": (described(MARKUP) + encoded(" <br/>\n&nbsp;"), MARKUP, ""),
    "the first of two encoded": (encoded(MARKUP, TEASER), MARKUP, TEASER),
    "the second of two encoded": (encoded(TEASER, MARKUP), MARKUP, TEASER),
    "the first of two descriptions": (described(MARKUP, TEASER), MARKUP, TEASER),
    "the second of two descriptions": (described(TEASER, MARKUP), MARKUP, TEASER),
    "a podcast's notes": (described(TEASER) + f"<itunes:summary>{STORY}</itunes:summary>", STORY, TEASER),
    "a news agency": (described(TEASER) + f"<yandex:full-text>{STORY}</yandex:full-text>", STORY, TEASER),
    "a slightly longer copy": (described(STORY + " Read more…") + encoded(MARKUP), MARKUP, STORY + " Read more…"),
    "a copy with escaped links": (described(STORY + LINK) + encoded(MARKUP), MARKUP, STORY + LINK),
    "styles are no text": (described(f"<style>{'p{} ' * 99}</style>A") + encoded(TEASER), TEASER, None),
    "a caption is neither body nor summary": (described(TEASER) + CAPTION, TEASER, ""),
    "a caption alone": (f"<media:description>{STORY}</media:description>", STORY, ""),
    "a picture keeps its place": (encoded(PICTURE) + described(MARKUP), f"{PICTURE}\n{MARKUP}", PICTURE),
    "pictures in both": (encoded(PICTURE) + described(OTHER_PICTURE + MARKUP), OTHER_PICTURE + MARKUP, PICTURE),
    "Chinese": (described(CHINESE) + encoded("渡轮恢复"), CHINESE, "渡轮恢复"),
}


@table(("item", "markup", "summary"), FULLEST.values(), ids=FULLEST)
def test_fullest_text_is_the_body(item: str, markup: str, summary: str | None) -> None:
    entry = rss(item)

    assert entry.markup == markup
    assert summary is None or entry.summary == summary


TYPES = {
    "escaped": ("&lt;p&gt;One&lt;/p&gt;", "<p>One</p>", False),
    "CDATA": ("&lt;p&gt;One&lt;/p&gt;", "<p>One</p>", False),
    "HTML": ("&lt;p&gt;One&lt;/p&gt;", "<p>One</p>", False),
    " text/html; charset=utf-8": ("&lt;p&gt;One&lt;/p&gt;", "<p>One</p>", False),
    "application/html": ("&lt;p&gt;One&lt;/p&gt;", "<p>One</p>", False),
    "text/x-html": ("caf&amp;eacute;", "caf&eacute;", False),
    "text/markdown": ("*One* &lt;br&gt;", "*One* <br>", True),
    "text/x-textile": ("a &lt; b", "a < b", True),
    "": ("a &lt; b", "a < b", True),
    "plain": ("a &lt; b", "a < b", True),
    "nonsense": ("\u4eca\u5929\u5929\u6c14\u5f88\u597d", "\u4eca\u5929\u5929\u6c14\u5f88\u597d", True),
    "application/xml": ("<p>One</p> two", "<p>One</p> two", False),
    "text/xml": ("<p>One</p> two", "<p>One</p> two", False),
    "application/docbook+xml": ("<para>One</para>", "<para>One</para>", False),
    "xhtml": ("<p>a &lt; b</p>", "<p>a &lt; b</p>", False),
    "odd": ("<p>One</p> two", "<p>One</p> two", False),
}  # fmt: skip


@table(("declared", "content", "markup", "is_text"), [(name, *case) for name, case in TYPES.items()], ids=TYPES)
def test_body_arrives_whatever_its_type(declared: str, content: str, markup: str, is_text: bool) -> None:
    entry = atom(f'<title>T</title><content type="{declared}">{content}</content>')

    assert (entry.markup, entry.markup_is_text, entry.title) == (markup, is_text, "T")


def test_title_and_summary_arrive_whatever_their_type() -> None:
    entry = atom('<title type="odd">Harbour news</title><summary type="escaped">&lt;b&gt;One&lt;/b&gt;</summary>')

    assert (entry.title, entry.markup, entry.markup_is_text) == ("Harbour news", "<b>One</b>", False)


@pytest.mark.parametrize("declared", ["image/png", "application/octet-stream", "audio/mpeg"])
def test_file_in_base64_is_no_text(declared: str) -> None:
    entry = atom(f'<summary>One</summary><content type="{declared}">aGVsbG8gd29ybGQ=</content>')

    assert entry.markup == "One"


INLINE = {
    "details": "<details><summary>More</summary><p>in it</p></details><p>after</p>",
    "a film": '<video><source src="v.mp4"></source></video><p>after</p>',
    "a drawing": "<svg><title>a</title><desc>b</desc></svg><p>after</p>",
    "names of the feed's elements": "<title>a</title><link>b</link><author>c</author><id>d</id><p>after</p>",
}


@table("markup", INLINE.values(), ids=INLINE)
def test_unescaped_markup_is_read_to_its_end(markup: str) -> None:
    entry = rss(f"<title>T</title><description>{markup}</description><link>/1</link>")

    assert (entry.markup, entry.title, entry.link) == (markup, "T", "https://site.example/1")
    assert atom(f'<content type="xhtml"><div>{markup}</div></content>').markup == markup


def test_content_in_a_description_is_read() -> None:
    assert rss("<description><content>One</content></description>").markup == "<content>One</content>"


def test_body_of_an_rss_1_content_item() -> None:
    document = (
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"'
        ' xmlns:c="http://purl.org/rss/1.0/modules/content/"><item><title>T</title><c:items><rdf:Bag><rdf:li><c:item>'
        '<c:format rdf:resource="http://www.w3.org/1999/xhtml"/><rdf:value rdf:parseType="Literal">One <b>two</b>'
        "</rdf:value></c:item></rdf:li></rdf:Bag></c:items></item></rdf:RDF>"
    )
    (entry,) = parse(document.encode(), url=URL).entries

    assert entry.markup == "One <b>two</b>"


def test_marks_of_cdata_that_were_escaped_are_removed_from_values() -> None:
    entry = rss(
        "<link>&lt;![CDATA[https://site.example/1]]&gt;</link><guid isPermaLink='false'>&lt;![CDATA[a-1]]&gt;</guid>"
        "<author>&lt;![CDATA[Ada]]&gt;</author><description>&lt;![CDATA[One]]&gt;</description>"
    )

    assert (entry.link, entry.guid, entry.author, entry.markup) == ("https://site.example/1", "a-1", "Ada", "One")


@table(
    ("enclosure", "url"),
    [
        pytest.param("<enclosure>https://site.example/a.mp3</enclosure>", "https://site.example/a.mp3", id="text"),
        pytest.param("<enclosure type='audio/mpeg'> /a.mp3 </enclosure>", "https://site.example/a.mp3", id="relative"),
        pytest.param("<enclosure url='/b.mp3'>/a.mp3</enclosure>", "https://site.example/b.mp3", id="both"),
    ],
)  # fmt: skip
def test_address_of_a_file_may_be_text(enclosure: str, url: str) -> None:
    (medium,) = rss(f"<title>T</title>{enclosure}<description>One</description>").media

    assert medium == ParsedMedia(url, "enclosure", medium.mime_type)


@table(
    ("item", "author"),
    [
        pytest.param('<source url="https://ann.example/feed">Ann\'s notes</source>', "Ann's notes", id="rss"),
        pytest.param("<source url='https://ann.example/'>Notes</source><author>Ann</author>", "Ann", id="with-author"),
        pytest.param("<source url='https://site.example/feed'>T</source>", "Editor", id="the-feed-itself"),
        pytest.param("", "Editor", id="none"),
    ],
)  # fmt: skip
def test_entry_passed_on_by_another_feed_names_its_source(item: str, author: str) -> None:
    assert rss(f"<title>A</title>{item}", channel="<managingEditor>Editor</managingEditor>").author == author


def test_author_of_an_atom_source_goes_before_its_title() -> None:
    assert atom("<source><title>Notes</title><author><name>Ann</name></author></source>").author == "Ann"
    assert atom("<source><title>Notes</title></source><title>A</title>").author == "Notes"


@pytest.mark.parametrize(
    "document",
    [
        pytest.param(
            b"<rss version='2.0'><channel><title>T</title><item><title>half an ent", id="cut off in the first"
        ),
        pytest.param(b"<rss version='2.0'><channel><title>T</title></item></rss>", id="broken"),
    ],
)
def test_document_without_a_readable_entry_is_refused(document: bytes) -> None:
    with pytest.raises(ParseError) as refusal:
        parse(document, url=URL)

    assert refusal.value.reason == "unreadable"


@pytest.mark.parametrize(
    "document",
    [
        pytest.param(b"<rss version='2.0'><channel><title>T</title></channel></rss>", id="rss"),
        pytest.param(b"<rss version='2.0'><channel><title>T & U</title></channel></rss>", id="repaired"),
        pytest.param(b"<feed xmlns='http://www.w3.org/2005/Atom'><title>T</title></feed>", id="atom"),
    ],
)
def test_feed_may_have_no_entries_yet(document: bytes) -> None:
    feed = parse(document, url=URL)

    assert (feed.title[0], feed.entries) == ("T", ())
