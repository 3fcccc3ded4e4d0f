"""Plain elements are read as feedparser's handlers read them, in real, broken, hostile and random feeds."""

import importlib.util
import random
import re
import tarfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any
from unittest import mock

import pytest

from feeds.parsing import expat_reader
from feeds.parsing.encoding import decode
from feeds.parsing.expat_reader import StrictReading, read_strictly
from feeds.parsing.feedparser_handlers import MAX_CATEGORIES, MAX_DEPTH, StrictReader
from feeds.parsing.from_feedparser import feed_from
from feeds.parsing.repair import repair
from rssmanager.demo.feed_documents import render
from rssmanager.demo.publishers import load_publishers
from rssmanager.demo.templating import Edition
from rssmanager.env import PROJECT
from tests.feeds.parsing.random_feeds import change, random_feed
from tests.tables import table

SHARED = PROJECT.parent / "shared"
FEEDS = SHARED / "data" / "feeds"
URL = "https://feed.example/feed.xml"
NOW = datetime(2026, 11, 25, 10, tzinfo=UTC)
N_RANDOM = 400
N_RANDOM_SLOW = 15_000
MAX_SIZE = 2_000_000  # characters; the largest documents only take longer

needs_feeds = pytest.mark.skipif(not FEEDS.exists(), reason="../shared/data is not here")

NAMESPACES = (
    ' xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:content="http://purl.org/rss/1.0/modules/content/"'
    ' xmlns:a="http://www.w3.org/2005/Atom" xmlns:media="http://search.yahoo.com/mrss/" xmlns:x="urn:x"'
)


def rss(item: str, *, attributes: str = "") -> str:
    item = f"<item>{item}</item><item><title>next</title><link>/2</link></item>"
    return f'<rss version="2.0"{NAMESPACES}{attributes}><channel>{item}</channel></rss>'


def atom(entry: str, *, attributes: str = "") -> str:
    entry = f"<entry>{entry}</entry><entry><title>next</title></entry>"
    return f'<feed xmlns="http://www.w3.org/2005/Atom"{NAMESPACES}{attributes}>{entry}</feed>'


def stopping_after(n_checks: int | None) -> Callable[[], bool]:
    """Return a clock that runs out at its n-th check, or never."""
    left = iter(range(n_checks)) if n_checks is not None else None
    return lambda: left is not None and next(left, None) is None


def read_by_handlers(text: str, n_checks: int | None = None) -> StrictReading:
    """Read the document as if no element were plain."""
    with mock.patch.object(expat_reader, "open_entry", return_value=None):
        return read_strictly(text, stopping_after(n_checks), url=URL)


def result(reading: StrictReading) -> dict[str, Any]:
    """Return all that handlers have stored, and their state. The type of a title is left out: nothing uses it."""
    reader = reading.reader
    state = ("version", "n_elements", "depth", "title_depth", "baseuri", "lang", "inentry", "inauthor", "guidislink")
    return {
        "feed": feed_from(reader.feeddata, reader.entries, url=URL, version=""),
        "stopped by": reading.stopped_by,
        "values": [
            {key: value for key, value in context.items() if key != "title_detail"}
            for context in (reader.feeddata, *reader.entries)
        ],
        "open elements": [(name, "".join(map(str, texts))) for name, _, texts in reader.elementstack],
        **{name: getattr(reader, name, None) for name in state},
    }


def assert_same(text: str, n_checks: int | None = None) -> None:
    expected = result(read_by_handlers(text, n_checks))
    ours = result(read_strictly(text, stopping_after(n_checks), url=URL))
    assert {key: ours[key] for key in ours if ours[key] != expected[key]} == {}


def root_of(body: bytes) -> str:
    """Return the document from its root element on, or "" if it has none that is a feed's."""
    text = body[:MAX_SIZE].decode("utf-8", "ignore")
    root = re.search(r"<(?:[\w.-]+:)?(?:rss|feed|RDF)\b", text)
    return text[root.start() :] if root else ""


def documents(*folders: str) -> Iterator[tuple[str, str]]:
    """Yield name and text of each feed in these folders of the shared data and in the archives there."""
    for path in sorted(path for folder in folders for path in (FEEDS / folder).rglob("*") if path.is_file()):
        if tarfile.is_tarfile(path):
            with tarfile.open(path) as archive:
                for member in archive:
                    if (file := archive.extractfile(member)) and (text := root_of(file.read())):
                        yield member.name, text
        elif text := root_of(path.read_bytes()):
            yield path.name, text


def farm_documents() -> Iterator[tuple[str, str]]:
    path = SHARED / "tools" / "farm.py"
    spec = importlib.util.spec_from_file_location("farm", path)
    assert spec is not None
    assert spec.loader is not None
    farm = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(farm)
    generator = farm.Gen(30)
    for index in range(30):
        yield f"farm {index}", root_of(generator.feed_xml(index))


def names_of_different(named: Iterator[tuple[str, str]], *, with_repaired: bool = False) -> list[str]:
    different = []
    for name, text in named:
        for document in dict.fromkeys((text, repair(text).text) if with_repaired else (text,)):
            try:
                assert_same(document)
            except AssertionError:
                different.append(name)
    return different


@table(
    "text",
    [
        rss("<link>https://site.example/a?b=1&amp;c;=2</link><guid>/1</guid><pubDate>25 Nov 2026</pubDate>"),
        rss("<title>one</title><title>two</title><description>a</description><description>b</description>"),
        rss("<title> </title><title>two</title><media:title>three</media:title>"),
        rss("<media:group><media:title>deep</media:title><media:content url='a.png'/></media:group><title>t</title>"),
        rss("<media:content url='a.png'>\n<media:description>&lt;b&gt;x&lt;/b&gt;</media:description></media:content>"),
        rss("<media:content url='a.png'/><media:content url='b.png'><media:thumbnail url='c'/></media:content>"),
        rss("<media:group><media:content url='a'/><media:description>d</media:description></media:group>"),
        rss("<media:group><media:content url='a'><media:thumbnail url='b'/></media:content></item><item>"),
        rss("<enclosure> /a </enclosure><enclosure/><enclosure url='/b'>c</enclosure>", attributes=" xml:base='http://b/'"),
        rss("<title>with <b>markup</b> inside</title><description>a<br/>b</description>"),
        rss("<link>outer <a:link href='https://site.example/'/> tail</link>"),
        rss("<link>?a=1&amp;amp;b=2&amp;c;</link>"),
        rss("<media_content>a <media:content url='a.png'/> tail</media_content>"),
        rss("<dc:date>2026 <b xmlns:dc='http://search.yahoo.com/mrss/'>x</b></dc:date>"),
        rss("<dc:creator>A</dc:creator><b xmlns:dc='http://search.yahoo.com/mrss/'/><dc:creator>B</dc:creator>"),
        rss("<link xmlns='http://www.w3.org/2005/Atom' rel='SELF' href='http:///odd.example'/>"),
        rss("<category domain='d'/><category>a</category><category>a</category><category domain='d'>a</category>"),
        rss("<links>text</links><link>/1</link><tags>a, b</tags><category>c</category><authors/><author>A</author>"),
        rss("<description>caf\u00c3\u00a9 &#150;</description><content:encoded>\u00a0\u0085x</content:encoded>"),
        rss("<author>A <x:note>b</x:note> c</author><author/><author><name/></author>"),
        rss("<a:content type='xhtml'><div>x</div></a:content><title>after</title>"),
        rss("<a:content>&lt;b&gt;x&lt;/b&gt;</a:content><a:summary>Fish &amp;amp; Chips</a:summary>"),
        rss("<enclosure url='' uri='b' type='AUDIO/MPEG'/><enclosure>a</enclosure>"),
        rss("<media:thumbnail>c</media:thumbnail><media:thumbnail url='d'/>"),
        rss("<title>t</title><item><title>inner</title></item><link>/3</link>"),
        rss("<source url='u'><title>s</title></source><title>t</title><image><title>i</title></image><title>u</title>"),
        rss("</item><image><title>feed</title></image><item><image><title>i</title></image><image><link>j</link></image>"),
        rss("<image><title>i</title><link>l</link><guid>g</guid></image><textInput><title>i</title></textInput>"),
        rss("</item><textInput/><item><textInput><title>i</title></textInput><textInput><link>l</link></textInput>"),
        rss("<i:owner xmlns:i='http://www.itunes.com/dtds/podcast-1.0.dtd'><author><name>A</name></author></i:owner>"),
        rss("".join(f"<category>{number}</category>" for number in range(MAX_CATEGORIES + 5))),
        rss("<link>/1</link>", attributes=" xml:base='http://base.example/a/../b?'"),
        rss("<link>/1</link>", attributes=" xml:base='https://base.example/a/'"),
        rss("<title xml:base='https://base.example/x/'>t</title><link>y</link><guid>z</guid>"),
        rss("<title xml:base='sub/' xml:lang='zh_CN'>t</title><description lang='de'>d</description><link>y</link>"),
        atom("<author><name>A</name><uri>/a</uri><email>e</email></author><author>B<name/></author><title>t</title>"),
        atom("<author>\n<name>A</name><x:image rel='n'/><name>B</name></author>"),
        atom("<contributor><name>C</name></contributor><author><name>A</name></author>"),
        atom("<author><title>t</title><name>A</name></author><author_detail>x</author_detail><id>1</id>"),
        atom("<author_detail>x</author_detail><author><name>A</name></author>"),
        atom("<content type='html' xml:base='/x'>a</content><content type='image/png'>PHA+</content>"),
        atom("<content src='s'/><content/><title/>"),
        atom("<published>2026-11-25T10:00:00Z</published><updated>2026-11-25T10:00:00Z</updated>"),
        atom("<published>2026-11-25T10:00:00Z</published><updated>2026-11-25T10:00:01Z</updated>"),
        atom("<title xml:base='http://base.example/a/../b?'>t</title><link href='c'/>"),
        atom("<title>t</title>", attributes=" xml:lang=''"),
        atom("<title>" * (MAX_DEPTH + 5) + "deep" + "</title>" * (MAX_DEPTH + 5)),
        *(
            atom("<x:a>" * depth + "<author><name>A</name></author>" + "</x:a>" * depth)
            for depth in range(MAX_DEPTH - 6, MAX_DEPTH)
        ),
        atom("<title>cut off</title><link href='https://site.example/'/>")[:-60],
        atom("<title>cut off</title><link href='https://site.example/'>")[:-90],
        rss("<title>&undefined;</title>"),
    ],
)  # fmt: skip
def test_reads_elements_as_handlers_do(text: str) -> None:
    assert_same(text)
    for end in range(len(text) // 2, len(text), max(17, len(text) // 30)):
        assert_same(text[:end])


def test_a_limit_of_time_holds_at_the_same_element() -> None:
    text = rss("<title>t</title><author><name>n</name></author><link>/1</link>" * 200)

    for n_checks in range(5):
        assert_same(text, n_checks)
    assert read_strictly(text, stopping_after(1)).stopped_by == "too long"


def test_a_limit_of_elements_holds_at_the_same_element(monkeypatch: pytest.MonkeyPatch) -> None:
    text = rss("<title>t</title><author><name>n</name></author><link>/1</link>" * 5)

    for limit in range(1, 30):
        monkeypatch.setattr("feeds.parsing.feedparser_handlers.MAX_ELEMENTS", limit)
        assert_same(text)


def test_reads_random_feeds_as_handlers_do() -> None:
    for seed in range(N_RANDOM):
        assert_same(random_feed(random.Random(seed)))


def test_reads_the_feeds_of_the_demo_as_handlers_do() -> None:
    named = [
        (f"{publisher.key} {generation}", root_of(decode(render(publisher, feed, edition), "").text.encode()))
        for generation in (0, 1)
        for edition in [Edition(now=NOW, generation=generation, base_url="https://paper.example")]
        for publisher in load_publishers()
        for feed in publisher.feeds
    ]

    assert sum(bool(text) for _, text in named) > len(named) / 2  # the others are JSON
    assert names_of_different(iter(named)) == []


@needs_feeds
def test_reads_real_feeds_as_handlers_do() -> None:
    assert names_of_different(documents("real")) == []


@needs_feeds
def test_most_elements_of_real_entries_are_plain() -> None:
    n_in_entries = n_by_handlers = 0

    def count(reader: Any, tag: str, attrs: list[tuple[str, str]]) -> None:
        nonlocal n_in_entries
        n_in_entries += bool(reader.inentry)
        start(reader, tag, attrs)

    start = StrictReader.unknown_starttag
    texts = [text for _, text in documents("real")]
    with mock.patch.object(StrictReader, "unknown_starttag", count):
        for text in texts:
            read_strictly(text)
        n_by_handlers, n_in_entries = n_in_entries, 0
        for text in texts:
            read_by_handlers(text)

    assert n_by_handlers / n_in_entries < 0.1


@pytest.mark.slow
@needs_feeds
def test_reads_every_fixture_as_handlers_do() -> None:
    assert names_of_different(documents("fixtures", "conformance", "broken"), with_repaired=True) == []
    assert names_of_different(farm_documents()) == []


@pytest.mark.slow
@needs_feeds
def test_reads_changed_real_feeds_as_handlers_do() -> None:
    texts = [text for _, text in documents("real") if len(text) < 50_000]
    for seed in range(N_RANDOM_SLOW):
        rng = random.Random(seed)
        assert_same(change(rng, rng.choice(texts) if seed % 10 == 0 else random_feed(rng)))
