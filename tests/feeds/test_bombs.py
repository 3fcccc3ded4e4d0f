"""Documents that are small to send and expensive to read stay within limits of memory and time."""

import gzip
import json
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from feeds.dedup.sentences import first_sentences
from feeds.errors import ImportFileError, ParseError
from feeds.normalizing.author_names import clean_author
from feeds.normalizing.canonical_url import canonical_url
from feeds.normalizing.html import sanitize_body
from feeds.normalizing.html_text import visible_text
from feeds.normalizing.language import check_language
from feeds.normalizing.plain_text import plain_text
from feeds.normalizing.text import clean_title, is_partial
from feeds.parsing import parse
from feeds.parsing.feedparser_handlers import MAX_ENTRIES
from feeds.subscription_lists.detect import read_subscriptions
from tests.feeds.confined import confined

pytestmark = pytest.mark.slow

URL = "https://paper.example/feed.xml"
SECRET = "a secret of this machine"


def rss(item: str, before: str = "", attributes: str = "") -> str:
    return f"{before}<rss version='2.0' {attributes}><channel><title>t</title><item>{item}</item></channel></rss>"


def laughs(levels: int = 10) -> str:
    entities = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, levels))
    return rss(f"<title>&l{levels - 1};</title>", f'<!DOCTYPE rss [<!ENTITY l0 "ha">{entities}]>')


def quadratic(size: int = 100_000) -> str:
    return rss(f"<title>{'&a;' * size}</title>", f'<!DOCTYPE rss [<!ENTITY a "{"a" * size}">]>')


MANY = 100_000
ENTITIES = "".join(f'<!ENTITY e{n} "x">' for n in range(MANY))
FEEDS: dict[str, str] = {
    "billion laughs": laughs(),
    "quadratic blow-up": quadratic(),
    "laughs in an attribute": laughs().replace("<title>&l9;</title>", "<enclosure url='&l9;'/>"),
    "an entity of itself": rss("<title>&a;</title>", '<!DOCTYPE rss [<!ENTITY a "&b;"><!ENTITY b "&a;">]>'),
    "many small entities": rss("<title>&e9;</title>", f"<!DOCTYPE rss [{ENTITIES}]>"),
    "many references to what is not declared": rss(f"<title>{'&x;' * MANY}</title>"),
    "many numeric references": rss(f"<title>{'&#0;&#x110000;&#55296;' * MANY}</title>"),
    "parameter entities": rss("<title>x</title>", "<!DOCTYPE rss [<!ENTITY % a \"<!ENTITY b '%c;'>\">%a;%a;]>"),
    "open declarations": rss("<title>x</title>", "<!DOCTYPE rss [" + "<!--" * MANY),
    "open quotes in a declaration": rss("<title>x</title>", "<!DOCTYPE rss [" + "<!ENTITY a \"'" * MANY),
    "elements in each other": rss("<a>" * MANY + "</a>" * MANY),
    "known elements in each other": rss("<title>" * MANY + "</title>" * MANY),
    "XHTML in each other": rss(
        f"<content type='xhtml' xmlns='http://www.w3.org/2005/Atom'>{'<div>' * MANY}{'</div>' * MANY}</content>"
    ),
    "an attribute without end": rss(f"<enclosure url='{'a' * 5_000_000}'/>"),
    "many attributes": rss("<enclosure " + " ".join(f"a{n}='x'" for n in range(MANY)) + "/>"),
    "one attribute many times": rss("<enclosure " + "a='x' " * MANY + "/>"),
    "many namespaces": rss("<title>x</title>", attributes=" ".join(f"xmlns:n{n}='u{n}'" for n in range(20_000))),
    "namespaces on every level": rss("".join(f"<n{n}:a xmlns:n{n}='u'>" for n in range(20_000))),
    "a base on every level": rss("<a xml:base='http://a.example/b/'>" * 20_000),
    "a name without end": rss(f"<{'a' * 2_000_000}>x"),
    "CDATA after CDATA": rss(f"<description>{'<![CDATA[a]]>' * MANY}</description>"),
    "CDATA never closed": rss("<![CDATA[" * MANY),
    "instructions never closed": "<?" * MANY + rss("<title>x</title>"),
    "categories without end": rss("<category>a</category>" * 20_000),
    "entries without end": rss("<title>x</title></item><item>" * 50_000),
    "stars before a feed": "*" * 3_000_000 + rss("<title>x</title>"),
}


def outcome(body: bytes) -> str:
    try:
        feed = parse(body, url=URL)
    except ParseError as error:
        return f"refused: {error.reason}"
    assert len(feed.entries) <= MAX_ENTRIES
    assert SECRET not in repr(feed)
    return "read"


@pytest.mark.parametrize("document", FEEDS.values(), ids=FEEDS.keys())
def test_limits_the_cost_of_a_feed(document: str) -> None:
    assert confined(partial(outcome, document.encode())) in (
        "read",
        "refused: unreadable",
        "refused: not_a_feed",
        "refused: empty",
    )


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-32", "utf-32-be", "utf-7", "cp037", "cp500"])
@pytest.mark.parametrize("bomb", [laughs(), quadratic(20_000)], ids=["laughs", "quadratic"])
def test_finds_bombs_in_any_encoding(bomb: str, encoding: str) -> None:
    body = f"<?xml version='1.0' encoding='{encoding}'?>{bomb}".encode(encoding)

    assert confined(partial(outcome, body)) in ("refused: unreadable", "refused: not_a_feed", "read")


JSON = '{"version": "https://jsonfeed.org/version/1.1", "title": "t", "items": [%s]}'
JSON_FEEDS = {
    "arrays in each other": JSON % ("[" * MANY + "]" * MANY),
    "objects in each other": JSON % ('{"a":' * MANY + "1" + "}" * MANY),
    "as deep as can be read": JSON % ('{"id": 1, "a": ' + "[" * 900 + "]" * 900 + "}"),
    "as deep as can nearly be read": JSON % ('{"id": 1, "a": ' + "[" * 985 + "]" * 985 + "}"),
    "a number beyond all": JSON
    % '{"id": 1e999999, "title": "x", "attachments": [{"url": "/a", "size_in_bytes": 1e999}]}',
    "a number of many digits": JSON % f'{{"id": {"9" * 5_000}, "title": "x"}}',
    "a number of a million digits": JSON % f'{{"id": {"9" * 1_000_000}, "title": "x"}}',
    "not a number": JSON % '{"id": NaN, "title": "x", "attachments": [{"url": "/a", "size_in_bytes": -Infinity}]}',
    "a key without end": JSON % f'{{"{"a" * 3_000_000}": 1}}',
    "many keys": JSON % json.dumps({f"k{n}": n for n in range(MANY)}),
    "one key many times": JSON % ("{" + '"id": 1, ' * MANY + '"id": 2}'),
    "items without end": JSON % ",".join(['{"id": 1}'] * MANY),
    "broken off in a number": (JSON % ("9" * 1_000_000))[:-2],
}


@pytest.mark.parametrize("document", JSON_FEEDS.values(), ids=JSON_FEEDS.keys())
def test_limits_the_cost_of_a_json_feed(document: str) -> None:
    assert confined(partial(outcome, document.encode())) in ("read", "refused: unreadable", "refused: json")


PACKED: dict[str, Callable[[], bytes]] = {  # packed when needed: it takes seconds
    "zeros": lambda: gzip.compress(b"\0" * 200_000_000),
    "twice": lambda: gzip.compress(gzip.compress(rss("x").encode() * 1_000_000)),
    "a feed": lambda: gzip.compress(rss(" " * 40_000_000).encode()),
    "deflate": lambda: zlib.compress(b" " * 100_000_000),
}


@pytest.mark.parametrize("pack", PACKED.values(), ids=PACKED.keys())
def test_limits_the_size_of_an_unpacked_body(pack: Callable[[], bytes]) -> None:
    assert confined(partial(outcome, pack())) in ("refused: unreadable", "refused: not_a_feed")


@pytest.fixture
def secret(tmp_path: Path) -> str:
    path = tmp_path / "secret.txt"
    path.write_text(SECRET)
    return path.as_uri()


EXTERNAL: dict[str, Callable[[str], str]] = {
    "an entity": lambda uri: rss("<title>x&a;</title>", f'<!DOCTYPE rss [<!ENTITY a SYSTEM "{uri}">]>'),
    "a public entity": lambda uri: rss("<title>x&a;</title>", f'<!DOCTYPE rss [<!ENTITY a PUBLIC "b" "{uri}">]>'),
    "a parameter entity": lambda uri: rss("<title>x&b;</title>", f'<!DOCTYPE rss [<!ENTITY % a SYSTEM "{uri}">%a;]>'),
    "a declaration elsewhere": lambda uri: rss("<title>x&a;</title>", f'<!DOCTYPE rss SYSTEM "{uri}">'),
    "XInclude": lambda uri: rss(
        f"<title>x<xi:include xmlns:xi='http://www.w3.org/2001/XInclude' parse='text' href='{uri}'/></title>"
    ),
    "a schema": lambda uri: rss(
        "<title>x</title>",
        attributes=f"xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' xsi:noNamespaceSchemaLocation='{uri}'",
    ),
    "a style sheet": lambda uri: rss("<title>x</title>", f"<?xml-stylesheet type='text/xsl' href='{uri}'?>"),
    "a content elsewhere": lambda uri: (
        f"<feed xmlns='http://www.w3.org/2005/Atom'><title>t</title><entry><title>x</title><content src='{uri}'/>"
        "</entry></feed>"
    ),
}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("document", EXTERNAL.values(), ids=EXTERNAL.keys())
def test_reads_nothing_outside_the_document(secret: str, document: Callable[[str], str], encoding: str) -> None:
    feed = parse(document(secret).encode(encoding), url=URL)

    assert [entry.title[:1] for entry in feed.entries] == ["x"]
    assert SECRET not in repr(feed)


def read(data: bytes, name: str) -> str:
    try:
        subscriptions = read_subscriptions(data, name)
    except ImportFileError:
        return "refused"
    assert SECRET not in repr(subscriptions)
    return "read"


OPML = "{}<opml><head><title>&l9;</title></head><body>{}</body></opml>"
ONE = "<outline xmlUrl='https://a.example/' text='{}'/>"
LISTS = {
    "billion laughs": OPML.format(laughs().partition("<rss")[0], ONE.format("&l9;")),
    "quadratic blow-up": OPML.format(f'<!DOCTYPE o [<!ENTITY l9 "{"a" * MANY}">]>', ONE.format("&l9;" * MANY)),
    "outlines in each other": OPML.format("", "<outline text='a'>" * 20_000),
    "outlines without end": OPML.format("", ONE.format("a") * 10_000),
    "many attributes": OPML.format("", "<outline " + " ".join(f"a{n}='x'" for n in range(MANY)) + "/>"),
    "a name without end": OPML.format("", ONE.format("a" * 3_000_000)),
    "many small entities": OPML.format(f"<!DOCTYPE o [{ENTITIES}]>", ONE.format("&e7;" * 100)),
    "comments never closed": OPML.format("", "<!--" * MANY),
    "quotes never closed": OPML.format("", '<outline a="' * MANY),
    "YAML of aliases": "tabs:\n  a: &a0 {sources: [{url: https://a.example/}]}\n"
    + "".join(f"  b{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 12)),
    "YAML of merges": "tabs:\n  a: &a0 {name: x}\n"
    + "".join(f"  b{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 10)}]}}\n" for n in range(1, 12)),
    "YAML in each other": "tabs: " + "[" * MANY,
    "YAML of anchors": "tabs:\n" + "".join(f"  k{n}: &a{n} x\n" for n in range(50_000)),
    "a line without end": "https://a.example/" + "a" * 5_000_000,
    "quotes in a line": "https://a.example/ " + '"\\' * 500_000,
    "lines without end": "https://a.example/\n" * 20_000,
    "lines of nothing": "\n" * 2_000_000 + "x",
    "spaces before a brace": " " * 1_000_000 + "{" + " " * 1_000_000 + "x",
    "declarations never closed": "<opml><!DOCTYPE" * MANY,
    "declarations in declarations": "<opml><!DOCTYPE [" * MANY,
}


@pytest.mark.parametrize(("name", "text"), LISTS.items(), ids=LISTS.keys())
def test_limits_the_cost_of_a_subscription_list(name: str, text: str) -> None:
    data = text.encode()

    assert confined(partial(read, data, "feeds.yaml" if name.startswith("YAML") else "list")) in ("read", "refused")


TEXTS = {
    "marks": "!" * 400_000 + "x",
    "marks and quotes": '."' * 200_000 + "x",
    "points and spaces": ". " * 200_000,
    "quotes": '"' * 400_000,
    "abbreviations": "Dr. " * 100_000,
    "a word": "a" * 400_000,
    "spaces": " " * 400_000 + "x",
    "brackets": "<" * 400_000,
    "references": "&" * 400_000,
    "references that do not end": "&a" * 200_000,
}


def scan_text(text: str) -> str:
    """Run every function that scans a whole text or body from outside."""
    first_sentences(text)
    clean_title(text)
    clean_author(text)
    plain_text(text)
    visible_text(text)
    sanitize_body(text, base_url=URL)
    sanitize_body(text, base_url=URL, is_text=True)
    is_partial(text, 10)
    check_language("en", text)
    canonical_url(f"https://a.example/{text}?{text}")
    return "done"


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_no_regular_expression_runs_long(text: str) -> None:
    """Expressions that backtrack take hours here and would exceed the limit on CPU time."""
    assert confined(partial(scan_text, text)) == "done"
