"""Reading OPML and URL lists, writing OPML."""

import contextlib
import csv
import string
from datetime import UTC, datetime
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feeds.errors import ImportFileError
from feeds.subscription_lists.detect import MAX_FILE_BYTES, decode_list, read_subscriptions
from feeds.subscription_lists.model import ListedFeed, Refusal, SubscriptionList, clean_name
from feeds.subscription_lists.opml import MAX_FOLDER_DEPTH, read_opml, write_opml
from feeds.subscription_lists.opml_parser import MAX_OUTLINES
from rssmanager.env import PROJECT
from tests.tables import table

SHARED = PROJECT.parent / "shared" / "data" / "opml"
WRITTEN_AT = datetime(2026, 3, 1, 12, 30, tzinfo=UTC)
FIRST = '<outline text="First" xmlUrl="https://first.example/feed"/>\n'
LAST = '<outline text="Last" xmlUrl="https://last.example/feed"/>\n'


def opml(body: str, head: str = "<title>Mine</title>") -> bytes:
    """An OPML document whose body begins on line 2."""
    return f'<opml version="2.0"><head>{head}</head><body>\n{body}</body></opml>'.encode()


def read(data: bytes) -> SubscriptionList:
    return read_opml(*decode_list(data))


def urls(parsed: SubscriptionList) -> list[str]:
    return [feed.url for feed in parsed.feeds]


def test_reads_folders_titles_sites_and_languages() -> None:
    parsed = read(
        opml(
            '<outline text="News"><outline text="World">\n'
            '<outline type="rss" text="A" title="B" xmlUrl="https://a.example/f" htmlUrl="https://a.example/"'
            ' language="zh-TW"/></outline></outline>\n'
            '<outline type="rss" title="Only a title" xmlUrl="https://b.example/f" language="unknown"/>'
        )
    )
    assert parsed == SubscriptionList(
        title="Mine",
        feeds=(
            ListedFeed("https://a.example/f", "A", "https://a.example/", ("News", "World"), "zh"),
            ListedFeed("https://b.example/f", "Only a title"),
        ),
    )


@table(
    ("outline", "url"),
    [
        pytest.param('xmlUrl="https://a.example/f"', "https://a.example/f", id="as specified"),
        pytest.param('xmlurl="https://a.example/f"', "https://a.example/f", id="lower case"),
        pytest.param('XMLURL="https://a.example/f"', "https://a.example/f", id="upper case"),
        pytest.param('type="rss" url="https://a.example/f"', "https://a.example/f", id="url of an rss outline"),
        pytest.param('type="RSS" URL="https://a.example/f"', "https://a.example/f", id="url in upper case"),
        pytest.param('xmlUrl=" https://a.example/f&#10;"', "https://a.example/f", id="white space around"),
        pytest.param('xmlUrl="https://a.example/my feed"', "https://a.example/my%20feed", id="a space inside"),
        pytest.param('xmlUrl="https://a.example/f?a=1&amp;amp;b=2"', "https://a.example/f?a=1&b=2", id="encoded twice"),
        pytest.param('xmlUrl="HTTPS://A.example/F"', "https://A.example/F", id="scheme in upper case"),
        pytest.param('xmlUrl="feed://a.example/f"', "http://a.example/f", id="feed scheme with slashes"),
        pytest.param('xmlUrl="feed:https://a.example/f"', "https://a.example/f", id="feed scheme before https"),
        pytest.param('xmlUrl="feed://https://a.example/f"', "https://a.example/f", id="feed slashes before https"),
        pytest.param('xmlUrl="pcast://a.example/f"', "http://a.example/f", id="podcast scheme"),
        pytest.param('xmlUrl="a.example/f"', "http://a.example/f", id="no scheme"),
        pytest.param('xmlUrl="a.example:8080/f"', "http://a.example:8080/f", id="no scheme, a port"),
        pytest.param('xmlUrl="//a.example/f"', "https://a.example/f", id="no scheme, slashes"),
        pytest.param('xmlUrl="http://localhost:8000/f"', "http://localhost:8000/f", id="a host at home"),
        pytest.param('xmlUrl="http://[::1]:8000/f"', "http://[::1]:8000/f", id="an address"),
        pytest.param('xmlUrl="https://u:p@a.example/f"', "https://u:p@a.example/f", id="credentials"),
        pytest.param('xmlUrl="https://例え.jp/フィード"', "https://例え.jp/フィード", id="Japanese host and path"),
    ],
)
def test_normalizes_the_feed_url(outline: str, url: str) -> None:
    parsed = read(opml(f'<outline text="A" {outline}/>'))
    assert (urls(parsed), parsed.refusals) == ([url], ())


@pytest.mark.parametrize(
    ("outline", "reason"),
    [
        pytest.param('text="X"', "no feed URL (xmlUrl) and nothing inside it", id="nothing"),
        pytest.param('text="X" xmlUrl=""', "no feed URL (xmlUrl) and nothing inside it", id="empty URL"),
        pytest.param('text="X" isBreakpoint="true"', "no feed URL (xmlUrl) and nothing inside it", id="breakpoint"),
        pytest.param(
            'text="X" type="rss"', "it is marked as a feed but has no feed URL (xmlUrl)", id="rss without URL"
        ),
        pytest.param('text="X" type="link" url="https://x.example/"', "a link to a page, not a feed", id="link"),
        pytest.param(
            'text="X" type="link" url="https://x.example/l.opml"',
            "a list at another URL; import that file separately",
            id="link to a list",
        ),
        pytest.param(
            'text="X" type="include" url="https://x.example/l"',
            "a list at another URL; import that file separately",
            id="include",
        ),
        pytest.param(
            'text="X" isComment="true" xmlUrl="https://x.example/f"',
            "commented out in the file (isComment)",
            id="comment",
        ),
        pytest.param(
            'text="X" xmlUrl="|~/tweets.py"', "it is a command, and commands from a file are never run", id="pipe"
        ),
        pytest.param(
            'text="X" xmlUrl="exec:/bin/x"', "it is a command, and commands from a file are never run", id="exec"
        ),
        pytest.param(
            'text="X" xmlUrl="filter:/bin/x:https://x.example/f"',
            "it is a command, and commands from a file are never run",
            id="filter",
        ),
        pytest.param(
            'text="X" xmlUrl="file:///etc/passwd"',
            "only http and https URLs can be followed, not file",
            id="a file",
        ),
        pytest.param(
            'text="X" xmlUrl="javascript:alert(1)"',
            "only http and https URLs can be followed, not javascript",
            id="a script",
        ),
        pytest.param('text="X" xmlUrl="my favourite blog"', "the feed URL is not a valid web address", id="words"),
        pytest.param('text="X" xmlUrl="http:///feed"', "the feed URL is not a valid web address", id="no host"),
        pytest.param(
            'text="X" xmlUrl="http://[::1/feed"', "the feed URL is not a valid web address", id="half an address"
        ),
        pytest.param(
            'text="X" xmlUrl="http://a.example:x/"', "the feed URL is not a valid web address", id="a port of letters"
        ),
        pytest.param(
            f'text="X" xmlUrl="https://x.example/{"y" * 2000}"',
            "the feed URL is longer than 2,000 characters",
            id="endless URL",
        ),
        pytest.param(
            'text="X" xmlUrl="http://www.first.example/feed/"', "listed twice, first on line 2", id="duplicate"
        ),
    ],
)
def test_skips_entries_with_line_and_reason(outline: str, reason: str) -> None:
    parsed = read(opml(f"{FIRST}<outline {outline}/>\n{LAST}"))
    assert urls(parsed) == ["https://first.example/feed", "https://last.example/feed"]
    assert parsed.refusals == (Refusal(3, "X", reason),)


def test_gives_the_first_line_of_an_outline() -> None:
    parsed = read(opml(f'{FIRST}<outline\n  text="X"\n  type="rss"\n/>\n{LAST}'))
    assert [refusal.line for refusal in parsed.refusals] == [3]


def test_counts_lines_beyond_sixteen_bits() -> None:
    parsed = read(opml("\n" * 70_000 + '<outline text="X"/>\n'))
    assert [refusal.line for refusal in parsed.refusals] == [70_002]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param('<outline text="B & C" xmlUrl="http://b.example/?x=1&y=2"/>',
                     ("B & C", "http://b.example/?x=1&y=2"), id="bare ampersands"),
        pytest.param('<outline text="caf&eacute; &amp; t&#233;" xmlUrl="http://b.example/?a=1&copy=2"/>',
                     ("café & té", "http://b.example/?a=1&copy=2"), id="HTML entities, but not in a query"),
        pytest.param('<outline text="x < 12" xmlUrl="http://b.example/"/>',
                     ("x < 12", "http://b.example/"), id="less-than"),
        pytest.param('<outline text="<b>x</b> > y" xmlUrl="http://b.example/"/>',
                     ("<b>x</b> > y", "http://b.example/"), id="markup in a title"),
        pytest.param('<outline text="a\x01b" xmlUrl="http://b.example/"/>', ("ab", "http://b.example/"), id="control"),
        pytest.param("<outline text=B xmlUrl=http://b.example/ />", ("B", "http://b.example/"), id="no quotes"),
        pytest.param('<outline text="B "q" r" xmlUrl="http://b.example/"/>',
                     ('B "q" r', "http://b.example/"), id="quotes in quotes"),
        pytest.param('<outline text="B xmlUrl="http://b.example/"/>', ("B", "http://b.example/"), id="quote forgotten"),
        pytest.param('<outline text="B"xmlUrl="http://b.example/"/>',
                     ("B", "http://b.example/"), id="no space between"),
        pytest.param('<outline text="B" checked xmlUrl="http://b.example/"/>',
                     ("B", "http://b.example/"), id="bare word"),
        pytest.param('<outline text="B" text="C" xmlUrl="http://b.example/"/>',
                     ("B", "http://b.example/"), id="attribute twice"),
        pytest.param('<outline text="B" xmlUrl="http://b.example/">', ("B", "http://b.example/"), id="not closed"),
        pytest.param('<outline text="B" xmlUrl="http://b.example/"></outlines>',
                     ("B", "http://b.example/"), id="closed by another name"),
        pytest.param('<outline text="B" xmlUrl="http://b.example/"/></outline>',
                     ("B", "http://b.example/"), id="closed twice"),
        pytest.param('<x:outline text="B" xmlUrl="http://b.example/"/></wrong>',
                     ("B", "http://b.example/"), id="unknown prefix"),
        pytest.param('<!-- <outline text="Z" xmlUrl="http://z.example/"/> --><outline text="B & C" xmlUrl="http://b.example/"/>',
                     ("B & C", "http://b.example/"), id="a commented outline stays out"),
        pytest.param('<!-- no end <outline text="B" xmlUrl="http://b.example/"/>',
                     ("B", "http://b.example/"), id="a comment without an end"),
        pytest.param("<outline text='B & \"q\"' xmlUrl='http://b.example/'/>",
                     ('B & "q"', "http://b.example/"), id="single quotes"),
    ],
)  # fmt: skip
def test_recovers_malformed_outlines_whole(body: str, expected: tuple[str, str]) -> None:
    parsed = read(opml(f'<outline text="F">\n{FIRST}{body}\n</outline>\n'))
    assert [(feed.title, feed.url) for feed in parsed.feeds] == [("First", "https://first.example/feed"), expected]
    assert {feed.folder for feed in parsed.feeds} == {("F",)}
    assert parsed.refusals == ()


@pytest.mark.parametrize("after", ["\x01", "&", "&nbsp;"])
def test_folders_end_correctly_in_a_malformed_file(after: str) -> None:
    parsed = read(opml(f'<outline text="F">\n{FIRST}</outline>\n{after}{LAST}'))
    assert [(feed.title, feed.folder) for feed in parsed.feeds] == [("First", ("F",)), ("Last", ())]


def test_records_repairs_with_lines() -> None:
    parsed = read(opml('<outline text="B & C" xmlUrl="http://b.example/"/>'))
    assert parsed.notes == ("Malformed XML (not well-formed (invalid token), line 2); read tag by tag instead.",)
    assert read(opml(FIRST)).notes == ()


def test_a_truncated_file_gives_outlines_before_the_cut() -> None:
    whole = opml(f'<outline text="F">\n{FIRST}{LAST}</outline>\n').decode()
    parsed = read(whole[: whole.index("last.example")].encode())
    assert [(feed.url, feed.folder) for feed in parsed.feeds] == [("https://first.example/feed", ("F",))]
    assert parsed.refusals == (Refusal(4, "Last", "the file is cut off or damaged inside this outline"),)


@table("length", range(60, 330, 9))
def test_survives_a_cut_anywhere(length: int) -> None:
    whole = opml(f'<outline text="F">\n{FIRST}{LAST}</outline>\n<outline text="E"/>')
    parsed = read(whole[:length])
    assert urls(parsed) == ["https://first.example/feed", "https://last.example/feed"][: len(parsed.feeds)]
    assert len(parsed.feeds) >= whole[:length].count(b"/>\n")


def test_keeps_thousands_of_unclosed_feeds() -> None:
    body = "".join(f'<outline text="{n}" xmlUrl="https://{n}.example/">\n' for n in range(5_000))
    parsed = read(opml(f'<outline text="All">\n{body}'))
    assert len(parsed.feeds) == 5_000
    assert {feed.folder for feed in parsed.feeds} == {("All",)}


def test_folders_after_unclosed_feeds_are_not_nested() -> None:
    unclosed = '<outline text="{0}" xmlUrl="https://{0}.example/">\n'
    body = "".join(f'<outline text="F{n}">\n{unclosed.format(n)}</outline>\n' for n in range(3))
    assert [feed.folder for feed in read(opml(body)).feeds] == [("F0",), ("F1",), ("F2",)]


@pytest.mark.parametrize("tail", ["", "</broken>"], ids=["well-formed", "malformed"])
def test_more_outlines_are_refused(tail: str) -> None:
    full = FIRST + '<outline text="x"/>' * (MAX_OUTLINES - 1)
    assert urls(read(opml(full + tail))) == ["https://first.example/feed"]
    with pytest.raises(ImportFileError, match=r"The list has more than 50,000 outlines\. Split it and try again\."):
        read(opml(full + LAST + tail))


def test_reads_two_documents_in_one_file() -> None:
    parsed = read(opml(FIRST) + b"\n" + opml(LAST))
    assert urls(parsed) == ["https://first.example/feed", "https://last.example/feed"]


def test_reads_outlines_without_a_root() -> None:
    assert urls(read((FIRST + LAST).encode())) == ["https://first.example/feed", "https://last.example/feed"]


@pytest.mark.parametrize("depth", [1, 15, 40, MAX_FOLDER_DEPTH])
def test_keeps_every_level_of_folders(depth: int) -> None:
    body = "".join(f'<outline text="L{level}">' for level in range(depth)) + FIRST + "</outline>" * depth
    assert read(opml(body)).feeds[0].folder == tuple(f"L{level}" for level in range(depth))


@pytest.mark.slow
@pytest.mark.parametrize("closing", ["</outline>", ""], ids=["closed", "left open"])
def test_limits_hostile_nesting(closing: str) -> None:
    body = '<outline text="d">' * 49_000 + FIRST + closing * 49_000
    parsed = read(opml(body))
    assert [len(feed.folder) for feed in parsed.feeds] == [MAX_FOLDER_DEPTH]
    assert "Folders nested too deeply were joined into one." in parsed.notes


@pytest.mark.slow
@pytest.mark.parametrize(
    "body",
    [
        pytest.param("<!--" * 200_000, id="comments without end"),
        pytest.param("<![CDATA[" * 200_000, id="sections without end"),
        pytest.param('<outline text="' * 49_000, id="quotes without end"),
        pytest.param("<outline " + 'a="!x text="' * 50_000, id="quotes in one tag"),
        pytest.param("<outline " + "a b " * 200_000, id="bare words"),
        pytest.param("<outline " + " " * 500_000, id="white space"),
        pytest.param('<outline text="' + "& " * 200_000, id="ampersands"),
    ],
)
def test_hostile_markup_terminates(body: str) -> None:
    assert urls(read(opml(FIRST + body))) == ["https://first.example/feed"]


@pytest.mark.parametrize(
    "doctype",
    [
        pytest.param('<!DOCTYPE opml SYSTEM "http://evil.example/x.dtd">', id="external DTD"),
        pytest.param('<!DOCTYPE opml [<!ENTITY e SYSTEM "file:///etc/hostname">]>', id="external entity"),
        pytest.param('<!DOCTYPE opml [<!ENTITY e "eeeeeeeee">]>', id="internal entity"),
        pytest.param('<!DOCTYPE opml [<!ENTITY a "aaaaaaaaaa"><!ENTITY e "&a;&a;&a;&a;">]>', id="nested entities"),
        pytest.param('<!DOCTYPE opml [<!ENTITY e "never closed', id="unfinished"),
    ],
)
def test_reads_no_entities(doctype: str) -> None:
    document = f'<?xml version="1.0"?>\n{doctype}\n<opml><body><outline text="T &e; T" xmlUrl="https://a.example/"/></body></opml>'
    assert [feed.title for feed in read(document.encode()).feeds] == ["T &e; T"]


@pytest.mark.parametrize(
    ("attributes", "folder", "category"),
    [
        pytest.param('category="Tech"', ("Tech",), "", id="a tag"),
        pytest.param(
            'category="/Philosophy/Baseball/Mets,/Tourism"', ("Philosophy", "Baseball", "Mets"), "", id="a path"
        ),
        pytest.param('category=" , / "', (), "", id="nothing"),
    ],
)
def test_category_is_the_folder_outside_folders(attributes: str, folder: tuple[str, ...], category: str) -> None:
    parsed = read(opml(f'<outline text="A" xmlUrl="https://a.example/" {attributes}/>'))
    assert (parsed.feeds[0].folder, parsed.feeds[0].category) == (folder, category)


def test_category_stays_a_category_inside_a_folder() -> None:
    feed = '<outline text="A" xmlUrl="https://a.example/" category="/x/y"/>'
    parsed = read(opml(f'<outline text="F">{feed}</outline>'))
    assert (parsed.feeds[0].folder, parsed.feeds[0].category) == (("F",), "x/y")


def test_outlines_inside_a_feed_belong_to_its_folder() -> None:
    parsed = read(opml(f'<outline text="F"><outline text="A" xmlUrl="https://a.example/">{LAST}</outline></outline>'))
    assert [(feed.title, feed.folder) for feed in parsed.feeds] == [("A", ("F",)), ("Last", ("F",))]


def test_everything_under_a_comment_is_commented_out() -> None:
    parsed = read(opml(f'<outline text="Old" isComment="true">{FIRST}</outline>{LAST}'))
    assert urls(parsed) == ["https://last.example/feed"]
    assert [refusal.label for refusal in parsed.refusals] == ["Old", "First"]


def test_ignores_unnamed_folders() -> None:
    assert read(opml(f'<outline><outline text=" ">{FIRST}</outline></outline>')).feeds[0].folder == ()


RUSSIAN = "Новости дня и обзор событий"
CHINESE = "中文独立博客列表与每日新闻"


@pytest.mark.parametrize(
    ("declared", "actual", "title"),
    [
        pytest.param("utf-8", "utf-8", CHINESE, id="UTF-8"),
        pytest.param("utf-8", "utf-8-sig", CHINESE, id="UTF-8 with mark"),
        pytest.param("utf-16", "utf-16", CHINESE, id="UTF-16 with mark"),
        pytest.param("utf-16", "utf-16-le", "ascii title", id="UTF-16 without mark"),
        pytest.param("utf-16", "utf-16-be", "ascii title", id="UTF-16 big-endian without mark"),
        pytest.param("utf-8", "utf-16", CHINESE, id="UTF-16 sold as UTF-8"),
        pytest.param("windows-1251", "cp1251", RUSSIAN, id="windows-1251"),
        pytest.param("koi8-r", "koi8-r", RUSSIAN, id="KOI8-R"),
        pytest.param("gb2312", "gb18030", CHINESE + "镕", id="GBK sold as GB2312"),
        pytest.param("big5", "big5", "中央通訊社", id="Big5"),
        pytest.param("shift_jis", "cp932", "日本語のブログ①", id="cp932 sold as Shift_JIS"),
        pytest.param("euc-jp", "euc-jp", "日本語のブログ", id="EUC-JP"),
        pytest.param("iso-2022-jp", "iso-2022-jp", "日本語のブログ", id="ISO-2022-JP"),
        pytest.param("iso-8859-1", "cp1252", "“Café” – 5 €", id="windows-1252 sold as ISO-8859-1"),
        pytest.param("utf-8", "cp1252", "“Café” – 5 €", id="windows-1252 sold as UTF-8"),
        pytest.param("utf-8", "cp1251", RUSSIAN, id="windows-1251 sold as UTF-8"),
        pytest.param("iso-8859-1", "utf-8", CHINESE, id="UTF-8 sold as ISO-8859-1"),
        pytest.param("no-such-encoding", "utf-8", CHINESE, id="an encoding nobody knows"),
    ],
)
def test_reads_every_encoding(declared: str, actual: str, title: str) -> None:
    document = f'<?xml version="1.0" encoding="{declared}"?>\n<opml><body><outline text="{title}" xmlUrl="https://a.example/"/></body></opml>'
    assert [feed.title for feed in read(document.encode(actual)).feeds] == [title]


def test_reads_text_with_a_few_broken_bytes() -> None:
    damaged = opml(f'<outline text="{CHINESE}" xmlUrl="https://a.example/"/>').replace("博".encode(), b"\xff")
    parsed = read(damaged)
    assert parsed.feeds[0].title == CHINESE.replace("博", "")
    assert len(parsed.notes) == 1


@pytest.mark.parametrize(
    ("data", "message"),
    [
        pytest.param(b"", "The file is empty.", id="empty"),
        pytest.param(b" \n\t", "The file is empty.", id="white space"),
        pytest.param(b"\xef\xbb\xbf", "The file is empty.", id="only a mark"),
        pytest.param(
            b"<!DOCTYPE html><html><head><title>x</title><body>hi<br></body>",
            "This is not a subscription list: it looks like a web page (HTML)."
            " To follow a site, enter its address instead.",
            id="HTML",
        ),
        pytest.param(
            b'<rss version="2.0"><channel/></rss>',
            "This is not a subscription list: it looks like a feed (RSS). To follow it, enter its address instead.",
            id="RSS",
        ),
        pytest.param(
            b'<feed xmlns="http://www.w3.org/2005/Atom"/>',
            "This is not a subscription list: it looks like a feed (Atom). To follow it, enter its address instead.",
            id="Atom",
        ),
        pytest.param(
            b"<project><modelVersion>4</modelVersion></project>",
            "This is not a subscription list: it looks like a build file (Maven's pom.xml).",
            id="a pom.xml",
        ),
        pytest.param(
            b"<note>x</note>",
            "This is not a subscription list: it looks like other XML (<note>).",
            id="other XML",
        ),
        pytest.param(
            b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(range(32)) * 8,
            "This is not a text file. A subscription list is OPML, feeds.yaml or one URL per line.",
            id="an image",
        ),
        pytest.param(
            b"dear friend, how are you?",
            "This is not a subscription list: no line is a web address.",
            id="prose",
        ),
    ],
)
def test_explains_what_is_not_a_list(data: bytes, message: str) -> None:
    with pytest.raises(ImportFileError) as refused:
        read_subscriptions(data, "subscriptions.opml")
    assert str(refused.value) == message


def test_refuses_a_file_beyond_all_measure() -> None:
    with pytest.raises(ImportFileError, match="larger than 8 MiB"):
        read(b" " * (MAX_FILE_BYTES + 1))


@pytest.mark.parametrize("body", ["", "<body/>", "<head/><body></body>"])
def test_an_empty_list_is_a_list(body: str) -> None:
    assert read(f"<opml>{body}</opml>".encode()) == SubscriptionList("", ())


def test_accepts_another_root_with_a_note() -> None:
    parsed = read(f"<not-opml><body>{FIRST}</body></not-opml>".encode())
    assert urls(parsed) == ["https://first.example/feed"]
    assert parsed.notes == ("The outermost element is <not-opml>, not <opml>.",)


def test_ignores_filter_commands_with_a_note() -> None:
    parsed = read(opml('<outline text="A" xmlUrl="https://a.example/" filtercmd="rm -rf /"/>'))
    assert urls(parsed) == ["https://a.example/"]
    assert parsed.notes == ("Filter commands (filtercmd) were ignored: commands from a file are never run.",)


def test_reads_a_list_of_urls() -> None:
    text = (
        "# mine\nhttps://a.example/feed\n\n  b.example/rss  \nnonsense words\nhttps://www.a.example/feed\n"
        'https://c.example/f "tag one" "two" "~My Title"\n"query:x:unread" x\n"exec:/bin/x"\n|cmd\n'
    )
    parsed = read_subscriptions(text.encode(), "urls.txt")
    assert parsed.feeds == (
        ListedFeed("https://a.example/feed"),
        ListedFeed("http://b.example/rss"),
        ListedFeed("https://c.example/f", "My Title", folder=("tag one",)),
    )
    assert [(refusal.line, refusal.reason) for refusal in parsed.refusals] == [
        (5, "the feed URL is not a valid web address"),
        (6, "listed twice, first on line 2"),
        (8, "a saved search, not a feed"),
        (9, "it is a command, and commands from a file are never run"),
        (10, "it is a command, and commands from a file are never run"),
    ]


@pytest.mark.parametrize(
    ("data", "filename", "count"),
    [
        pytest.param(opml(FIRST), "list.txt", 1, id="OPML by content"),
        pytest.param(
            b"tabs:\n  a:\n    sources:\n      - url: https://a.example/\n", "x", 1, id="feeds.yaml by content"
        ),
        pytest.param(
            b"\xef\xbb\xbftabs: {a: {sources: [{url: 'https://a.example/'}]}}", "x", 1, id="feeds.yaml in flow"
        ),
        pytest.param(b"https://a.example/\r\nhttps://b.example/\r\n", "x.opml", 2, id="URLs by content"),
    ],
)
def test_content_decides_the_format(data: bytes, filename: str, count: int) -> None:
    assert len(read_subscriptions(data, filename).feeds) == count


def _manifest() -> list[dict[str, str]]:
    if not SHARED.is_dir():
        return []
    with (SHARED / "manifest.tsv").open(encoding="utf-8") as rows:
        return list(csv.DictReader(rows, delimiter="\t"))


NO_LISTS = {
    "rometools+rome--pom.xml",
    "rometools+rome--logback-test.xml",
    "rubys+feedvalidator--InvalidOPMLVersion.xml",
    "rubys+feedvalidator--missingOpml.opml",
    "rubys+feedvalidator--twittergram.xml",
    "stringer-rss+stringer--invalid.opml",
}
COUNTED_IN_TITLES = {"scripting+opml.org--source.opml": 1}  # program text that mentions xmlUrl; no feed is in it


def test_shared_lists_are_here() -> None:
    if not SHARED.is_dir():
        pytest.skip("../shared/data is not here")
    assert len(_manifest()) == len([path for path in SHARED.iterdir() if path.name != "manifest.tsv"])


@table("row", _manifest(), ids=lambda row: row["file"])
def test_real_lists_are_read_or_reported_in_full(row: dict[str, str]) -> None:
    data = (SHARED / row["file"]).read_bytes()
    if row["file"] in NO_LISTS:
        with pytest.raises(ImportFileError):
            read_subscriptions(data, row["file"])
        return
    parsed = read_subscriptions(data, row["file"])
    with_url = [
        refusal for refusal in parsed.refusals if refusal.reason.startswith(("listed twice", "it is a command"))
    ]
    assert len(parsed.feeds) + len(with_url) == int(row["feeds"]) - COUNTED_IN_TITLES.get(row["file"], 0)
    assert all(refusal.line for refusal in parsed.refusals)


@pytest.mark.slow
def test_a_list_of_36515_feeds_round_trips() -> None:
    path = SHARED / "smallweb-urls.txt"
    if not path.is_file():
        pytest.skip("../shared/data is not here")
    parsed = read_subscriptions(path.read_bytes(), path.name)
    again = read(write_opml(parsed.feeds, title="Small web", created_at=WRITTEN_AT))
    assert (again.feeds, again.refusals, again.notes) == (parsed.feeds, (), ())


def test_writes_opml_2_with_nested_folders() -> None:
    feeds = [
        ListedFeed("https://a.example/?x=1&y=2", 'A "q" <b>', "https://a.example/", ("News", "World")),
        ListedFeed("https://b.example/"),
        ListedFeed(
            "https://c.example/", "C", folder=("News",), language="zh", category="x", max_items=20, source_name="S"
        ),
    ]
    root = ElementTree.fromstring(write_opml(feeds, title="T & U", created_at=WRITTEN_AT))  # noqa: S314 (our own)
    assert (root.tag, root.attrib) == ("opml", {"version": "2.0"})
    assert root.findtext("head/title") == "T & U"
    assert root.findtext("head/dateCreated") == "Sun, 01 Mar 2026 12:30:00 +0000"
    assert [outline.get("text") for outline in root.findall("body/outline")] == ["News", "https://b.example/"]
    assert [outline.get("xmlUrl") for outline in root.findall("body/outline/outline")] == [None, "https://c.example/"]
    world = root.find("body/outline/outline/outline")
    assert world is not None
    assert world.attrib == {
        "type": "rss",
        "text": 'A "q" <b>',
        "title": 'A "q" <b>',
        "xmlUrl": "https://a.example/?x=1&y=2",
        "htmlUrl": "https://a.example/",
    }


names = st.text(max_size=40)
wanted_feeds = st.builds(
    ListedFeed,
    url=st.builds(
        "https://{}.example/{}".format,
        st.text(string.ascii_lowercase + "日本é", min_size=1, max_size=6),
        st.text(string.ascii_letters + string.digits + "/%?=&+\"'<>日本🙂", max_size=12).map(lambda s: f"{s}x"),
    ),
    title=names,
    site_url=st.sampled_from(["", "https://site.example/?a=1&b=<2>"]),
    folder=st.lists(names, max_size=4).map(tuple),
    language=st.sampled_from(["", "zh", "en", "pt"]),
    category=names,
    max_items=st.none() | st.integers(1, 500),
    source_name=names,
)


def _as_read(feed: ListedFeed) -> ListedFeed:
    return ListedFeed(
        url=feed.url,
        title=clean_name(feed.title),
        site_url=feed.site_url,
        folder=tuple(name for name in map(clean_name, feed.folder) if name),
        language=feed.language,
        category=clean_name(feed.category),
        max_items=feed.max_items,
        source_name=clean_name(feed.source_name),
    )


@given(st.lists(wanted_feeds, max_size=8, unique_by=lambda feed: feed.url.split("/")[2]), names)
def test_an_export_imports_without_loss(feeds: list[ListedFeed], title: str) -> None:
    parsed = read(write_opml(feeds, title=title, created_at=WRITTEN_AT))
    assert parsed.title == clean_name(title)
    assert (parsed.refusals, parsed.notes) == ((), ())
    assert {feed.url: feed for feed in parsed.feeds} == {feed.url: _as_read(feed) for feed in feeds}


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_rejected(data: bytes) -> None:
    for document in (data, b"<opml><body>" + data + b"</body>", b'<outline xmlUrl="' + data):
        with contextlib.suppress(ImportFileError):
            assert isinstance(read_subscriptions(document), SubscriptionList)
