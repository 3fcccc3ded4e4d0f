"""Every broken feed in the shared data has one correct outcome: its expected entries and text, or a named error.

References to files and URLs are not read, and expansions stay small. Scripts in bodies are left to the sanitizer.
"""

import builtins
import contextlib
import gzip
import io
import os
import socket
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from feeds.errors import ParseError
from feeds.parsing import ParsedEntry, ParsedFeed, parse
from rssmanager.env import PROJECT
from tests.tables import table

BROKEN = PROJECT.parent / "shared" / "data" / "feeds" / "broken"
URL = "https://feed.example/feed.xml"
MAX_MEMORY = 60_000_000  # bytes at the peak; the largest file has 1 MB
needs_data = pytest.mark.skipif(not BROKEN.exists(), reason="../shared/data is not here")


@dataclass(frozen=True)
class Outcome:
    """What must come out: the number of entries, the first one's title and body's beginning; and the feed's title."""

    n_entries: int
    title: str = ""
    markup: str = ""
    feed_title: str = "t"
    well_formed: bool = True


LATIN = Outcome(1, "It’s déjà vu — £5 / €6", "“Quoted” – dash … ellipsis", "Café – “smart quotes” €")
JAPANESE = Outcome(
    4, "東京都内で震度4の地震、津波の心配なし", "気象庁によると震源の深さは約40キロ", "日本語テストニュース"
)
CHINESE = Outcome(8, "萨达姆之墓在反“伊斯兰国”战事中被毁", "在提克里特附近的一轮战事中", "bbcchinese.com | 新闻主页")
BBC = Outcome(
    27, "Relish and dread as Starmer 'shambles' h", "Laura Kuenssberg travels to Wales", "BBC News", well_formed=False
)

OUTCOMES: dict[str, Outcome | str] = {
    "encodings/double_encoded_utf8.xml": LATIN,
    "encodings/ja_cp932.xml": JAPANESE,
    "encodings/ja_eucjp_no_declaration.xml": JAPANESE,
    "encodings/ja_iso2022_jp.xml": JAPANESE,
    "encodings/ja_shiftjis_declared_utf8.xml": JAPANESE,
    "encodings/koi8-r.xml": Outcome(1, "Заголовок новости", "", "Новости"),
    "encodings/win1252_declared_utf-8.xml": LATIN,
    "encodings/zh_big5.xml": CHINESE,
    "encodings/zh_gb2312.xml": CHINESE,
    "encodings/zh_gbk.xml": CHINESE,
    "encodings/zh_gbk_no_declaration.xml": CHINESE,
    "encodings/zh_utf16_declared_but_utf8_bytes.xml": CHINESE,
    "encodings/zh_utf16le_bom.xml": CHINESE,
    "encodings/zh_utf8_bom.xml": CHINESE,
    "hostile/billion_laughs.xml": "unreadable",
    "hostile/deep_nesting_20000.xml": Outcome(1, "", "<b><b><b>"),
    "hostile/future_and_epoch_dates.xml": Outcome(11, "Tue, 17 Feb 2099 00:00:00 GMT"),
    "hostile/guid_collision_across_items.xml": Outcome(5, "Different story 0"),
    "hostile/huge_title_1MB.xml.gz": Outcome(1, "AAAAAAAA", "d"),
    "hostile/many_attributes_20000.xml": Outcome(1, "x"),
    "hostile/tracking_pixel_and_srcset.xml": Outcome(1, "t", '<img src="https://tracker.example/p.gif?u=1"'),
    "hostile/xss_cdata_content.xml": Outcome(1, "t", '<p onmouseover="alert(1)">hi</p>'),
    "hostile/xss_script_escaped.xml": Outcome(1, "<script>alert(1)</script>", "<img src=x"),
    "hostile/xxe_file.xml": Outcome(1, "item", "", ""),
    "hostile/xxe_parameter_entity.xml": Outcome(0),
    "malformed/control_chars.xml": Outcome(1, "badchars", "d", well_formed=False),
    "malformed/empty.xml": "empty",
    "malformed/json_error_instead.xml": "json",
    "malformed/leading_whitespace_and_text.xml": BBC,
    "malformed/nbsp_and_html_entities.xml": Outcome(1, "AT&T\u00a0—©…", "a\u00a0bé", well_formed=False),
    "malformed/no_guid_no_link_no_date.xml": Outcome(2, "", "only a description"),
    "malformed/trailing_html_after_rss.xml": BBC,
    "malformed/truncated_in_multibyte.xml": Outcome(
        1, CHINESE.title, CHINESE.markup, CHINESE.feed_title, well_formed=False
    ),
    "malformed/undeclared_namespaces.xml": Outcome(1, "x", "<p>hi</p>", well_formed=False),
    "malformed/unescaped_ampersands.xml": BBC,
}


def body_of(name: str) -> bytes:
    body = (BROKEN / name).read_bytes()
    return gzip.decompress(body) if name.endswith(".gz") else body


def entries_of(name: str) -> tuple[ParsedEntry, ...]:
    return parse(body_of(name), url=URL).entries


@pytest.fixture
def nothing_is_read(monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes], ParsedFeed]:
    """`parse`, with opening files and sockets patched to fail; attempts are recorded in case the error is swallowed."""

    def parse_watched(body: bytes) -> ParsedFeed:
        attempts: list[str] = []

        def refuse(*arguments: object, **_: object) -> None:
            attempts.append(repr(arguments))
            raise OSError("the parser may not read anything")

        with monkeypatch.context() as patched:
            for owner, name in ((builtins, "open"), (io, "open"), (os, "open"), (socket, "socket")):
                patched.setattr(owner, name, refuse)
            patched.setattr(socket, "getaddrinfo", refuse)
            try:
                return parse(body, url=URL)
            finally:
                assert attempts == []

    return parse_watched


@needs_data
def test_every_file_has_an_expected_outcome() -> None:
    assert {f"{path.parent.name}/{path.name}" for path in BROKEN.glob("*/*")} == OUTCOMES.keys()


@needs_data
@table("name", [name for name, outcome in OUTCOMES.items() if isinstance(outcome, Outcome)])
def test_gives_the_expected_entries(name: str, nothing_is_read: Callable[[bytes], ParsedFeed]) -> None:
    outcome = OUTCOMES[name]
    assert isinstance(outcome, Outcome)

    feed = nothing_is_read(body_of(name))

    first = feed.entries[0] if feed.entries else ParsedEntry()
    stated = (outcome.n_entries, outcome.feed_title, outcome.well_formed)
    assert (len(feed.entries), feed.title, feed.well_formed) == stated
    assert first.title[: len(outcome.title) or 1] == outcome.title
    assert first.markup[: len(outcome.markup) or 1] == outcome.markup
    assert feed.well_formed or feed.notes


@needs_data
@pytest.mark.parametrize("name", [name for name, outcome in OUTCOMES.items() if isinstance(outcome, str)])
def test_is_rejected_with_the_expected_reason(name: str, nothing_is_read: Callable[[bytes], ParsedFeed]) -> None:
    with pytest.raises(ParseError) as refusal:
        nothing_is_read(body_of(name))

    assert refusal.value.reason == OUTCOMES[name]


@needs_data
@table("name", OUTCOMES)
def test_memory_stays_bounded(name: str) -> None:
    body = body_of(name)
    tracemalloc.start()
    try:
        with contextlib.suppress(ParseError):
            parse(body, url=URL)
    finally:
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()

    assert peak < MAX_MEMORY


@needs_data
@table("name", [name for name, outcome in OUTCOMES.items() if isinstance(outcome, Outcome)])
def test_no_text_is_mojibake(name: str) -> None:
    feed = parse(body_of(name), url=URL)

    texts = [feed.title, feed.description, *(entry.title + entry.markup for entry in feed.entries)]
    assert [text for text in texts if "\ufffd" in text or "Ã" in text or "â€" in text] == []


@needs_data
def test_repaired_links_keep_all_their_parameters() -> None:
    links = [entry.link for entry in entries_of("malformed/unescaped_ampersands.xml")]

    assert links[0].endswith("?at_medium=RSS&at_campaign=rss")
    assert all("&at_campaign=" in link and "&amp;" not in link for link in links)


@needs_data
def test_undeclared_prefixes_get_the_usual_namespace() -> None:
    (entry,) = entries_of("malformed/undeclared_namespaces.xml")

    assert (entry.author, [media.url for media in entry.media]) == ("me", ["https://e.example/t.jpg"])


@needs_data
def test_a_huge_title_is_kept_whole() -> None:
    (entry,) = entries_of("hostile/huge_title_1MB.xml.gz")

    assert len(entry.title) == 1_000_000


def laughs(levels: int, width: int) -> bytes:
    entities = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * width}">' for n in range(1, levels))
    return (
        f'<!DOCTYPE x [<!ENTITY e0 "lol">{entities}]><rss version="2.0"><channel><title>&e{levels - 1};</title>'
        "<item><title>x</title></item></channel></rss>"
    ).encode()


def quadratic(size: int, n_references: int) -> bytes:
    return (
        f'<!DOCTYPE x [<!ENTITY e "{"a" * size}">]><rss version="2.0"><channel><title>{"&e;" * n_references}</title>'
        "</channel></rss>"
    ).encode()


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(laughs(10, 10), id="exponential"),
        pytest.param(laughs(3, 1000), id="wide"),
        pytest.param(quadratic(100_000, 10_000), id="quadratic"),
        pytest.param(
            b'<!DOCTYPE x [<!ENTITY a "&b;"><!ENTITY b "&a;">]><rss><channel><title>&a;</title></channel></rss>',
            id="circular",
        ),
    ],
)
def test_rejects_entity_bombs_before_expansion(body: bytes) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(ParseError) as refusal:
            parse(body, url=URL)
    finally:
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()

    assert refusal.value.reason == "unreadable"
    assert peak < 3_000_000 + 10 * len(body)


@pytest.mark.parametrize(
    ("declarations", "title"),
    [
        pytest.param('<!ENTITY e "text">', "a text b", id="a text"),
        pytest.param("<!ENTITY e 'it&#8217;s'>", "a it’s b", id="a character reference"),
        pytest.param('<!ENTITY f "inner"><!ENTITY e "&f;!">', "a inner! b", id="one within another"),
        pytest.param('<!ENTITY e SYSTEM "file:///etc/hostname">', "a  b", id="a file"),
        pytest.param('<!ENTITY e PUBLIC "x" "http://127.0.0.1:9/x">', "a  b", id="an address"),
        pytest.param('<!ENTITY % p SYSTEM "http://127.0.0.1:9/x"> %p;<!ENTITY e "t">', "a t b", id="a parameter"),
        pytest.param('<!ENTITY e "<b>x</b>">', "a  b", id="markup"),
        pytest.param('<!-- <!ENTITY e "no"> --><!ENTITY e "yes">', "a yes b", id="a comment"),
        pytest.param('<!ENTITY e "]>">', "a ]> b", id="brackets"),
    ],
)
def test_expands_harmless_entities(
    declarations: str, title: str, nothing_is_read: Callable[[bytes], ParsedFeed]
) -> None:
    body = f"<!DOCTYPE rss [{declarations}]><rss version='2.0'><channel><title>a &e; b</title></channel></rss>"

    assert nothing_is_read(body.encode()).title == title


@pytest.mark.parametrize(
    ("body", "titles"),
    [
        pytest.param(b"<item><title>a</title></item><item><title>b</ti", ["a"], id="cut in an end tag"),
        pytest.param(b"<item><title>a</title></item><item><title><![CDATA[b", ["a"], id="cut in CDATA"),
        pytest.param(b"<item><title>a</title></item><item><link hr", ["a"], id="cut in a start tag"),
        pytest.param(b"<item><title>a & b</title></item><item><title>c", ["a & b"], id="cut and unescaped"),
        pytest.param(b"<item><title>a<br></title></item><item><title>c", ["a<br></br>"], id="cut and unbalanced"),
        pytest.param(b"<item><title>a</title></item>", ["a"], id="cut after an entry"),
    ],
)
def test_a_truncated_feed_gives_complete_entries(body: bytes, titles: list[str]) -> None:
    feed = parse(b"<rss version='2.0'><channel><title>t</title>" + body, url=URL)

    assert ([entry.title for entry in feed.entries], feed.well_formed) == (titles, False)
    assert feed.notes


@pytest.mark.parametrize(
    ("tail", "notes"),
    [
        pytest.param("", (), id="nothing"),
        pytest.param(" \r\n\t\n", (), id="white space"),
        pytest.param("\n</div>\n", ("text after the end of the feed was dropped",), id="markup"),
        pytest.param("\u00a0", ("text after the end of the feed was dropped",), id="no-break space"),
    ],
)
def test_notes_dropped_text_only_if_there_was_some(tail: str, notes: tuple[str, ...]) -> None:
    body = f"<rss version='2.0'><channel><title>t</title><item><title>a & b</title></item></channel></rss>{tail}"

    feed = parse(body.encode(), url=URL)

    assert [entry.title for entry in feed.entries] == ["a & b"]
    assert feed.notes == (*notes, "bare & or <, or unknown entities, were escaped")


@pytest.mark.parametrize(
    ("item", "title"),
    [
        pytest.param("<title>AT&T &copy; 5 < 6</title>", "AT&T © 5 < 6", id="bare & and <"),
        pytest.param("<title>&unknown; &amp;copy;</title>", "&unknown; &copy;", id="unknown entity"),
        pytest.param("<title>it&#146;s &#0;&#xD800;&#X41;</title>", "it’s A", id="references XML forbids"),
        pytest.param("<title><![CDATA[a & b < c &nbsp;]]> & d</title>", "a & b < c &nbsp; & d", id="CDATA stays"),
        pytest.param("<!-- & --><title>x & y</title>", "x & y", id="comments stay"),
        pytest.param("<title>x</title><foo:bar>y</foo:bar>", "x", id="unknown prefix"),
        pytest.param("<title>a<b>c</title>", "a<b>c</b>", id="unclosed tag"),
        pytest.param("<title>x</title></p>", "x", id="stray end tag"),
        pytest.param("<title a=1 b>x</title>", "x", id="attributes as in HTML"),
    ],
)
def test_damage_is_repaired(item: str, title: str) -> None:
    feed = parse(f"<rss version='2.0'><channel><item>{item}</item></channel></rss>".encode(), url=URL)

    assert ([entry.title for entry in feed.entries], feed.well_formed) == ([title], False)


@pytest.mark.parametrize(
    "before",
    [
        "\n",
        "Warning: x in /var/www\n",
        "<br /><b>Notice</b>: undefined &lt;\n",
        "<!-- cached -->\n",
    ],
    ids=["white space", "a message", "an HTML message", "a comment"],
)
def test_drops_text_before_the_feed(before: str) -> None:
    body = f"{before}<?xml version='1.0'?><rss version='2.0'><channel><item><title>x</title></item></channel></rss>"

    feed = parse(body.encode(), url=URL)

    assert ([entry.title for entry in feed.entries], feed.well_formed) == (["x"], False)


HOSTILE_TAGS = 100_000


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("<category>x</category>" * 5_000, id="categories"),
        pytest.param(f"<author>{'a' * 500_000}</author>", id="an author"),
        pytest.param(f"<pubDate>{'1 ' * 300_000}</pubDate>", id="a date"),
        pytest.param(f"<link>{'http://a' * 100_000}</link>", id="a link"),
        pytest.param("<a>" * HOSTILE_TAGS, id="open elements"),
        pytest.param("<item>" * HOSTILE_TAGS, id="open entries"),
        pytest.param("<!DOCTYPE [" * HOSTILE_TAGS, id="declarations"),
        pytest.param("<!--" * HOSTILE_TAGS, id="comments"),
        pytest.param("<?" * HOSTILE_TAGS, id="instructions"),
        pytest.param('<a b="' * HOSTILE_TAGS, id="quotes"),
        pytest.param("&" * HOSTILE_TAGS, id="ampersands"),
        pytest.param("<" * HOSTILE_TAGS, id="brackets"),
        pytest.param(" ".join(["<x", *(f'a{n}="1"' for n in range(20_000)), "/>"]), id="attributes"),
    ],
)
def test_repetition_is_read_in_linear_time(body: str) -> None:
    """Would take minutes if anything here were quadratic; the suite's timeout is the limit."""
    feed = parse(f"<rss version='2.0'><channel><title>t</title><item>{body}</item></channel></rss>".encode(), url=URL)

    assert len(feed.entries) <= 200
    assert all(len(entry.categories) <= 200 for entry in feed.entries)
