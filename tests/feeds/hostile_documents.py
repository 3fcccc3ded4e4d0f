"""Documents designed to cost as much as possible at the maximum size: every limit on documents must hold for them.

Each maker takes the number of bytes to fill; documents that are hostile by their number of parts stay below it.
"""

import base64
import gzip
import io
import json
import random
import zipfile
from collections.abc import Callable

LIMIT = 16 * 2**20  # bytes of a decompressed body, as fetching lets through

Maker = Callable[[int], bytes]

_NAMESPACES = (
    'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:content="http://purl.org/rss/1.0/modules/content/" '
    'xmlns:media="http://search.yahoo.com/mrss/"'
)
_START = (
    f'<?xml version="1.0"?><rss version="2.0" {_NAMESPACES}><channel><title>t</title><link>https://a.example/</link>'
)
_END = "</channel></rss>"
_JSON_START = '{"version": "https://jsonfeed.org/version/1.1", "title": "t", "items": ['


def rss(items: str, *, start: str = _START) -> bytes:
    """An RSS document of these items."""
    return f"{start}{items}{_END}".encode()


def item(n: int = 1, body: str = "", *, title: str = "A title of five words", more: str = "") -> str:
    """One item with a link of its own."""
    return (
        f"<item><title>{title} {n}</title><link>https://a.example/{n}</link><guid>g{n}</guid>"
        f"<pubDate>Tue, 03 Mar 2026 10:20:30 GMT</pubDate>{more}<description>{body}</description></item>"
    )


def filled(unit: str, size: int, *, around: str = "") -> str:
    """`unit` as often as fits in `size` bytes beside `around`."""
    return unit * max(1, (size - len(around.encode()) - 2000) // len(unit.encode()))


def cdata(text: str) -> str:
    return f"<![CDATA[{text}]]>"


def _bodies(markup: Callable[[int], str]) -> Maker:
    """One item whose body is the markup, unescaped."""
    return lambda size: rss(item(body=cdata(markup(size))))


def _field(name: str, text: Callable[[int], str]) -> Maker:
    """One item with one huge field."""
    return lambda size: rss(f"<item><title>x</title><{name}>{text(size)}</{name}></item>")


def _words(size: int, seed: int = 1) -> str:
    """Prose of a few thousand different words."""
    chooser = random.Random(seed)
    vocabulary = ["".join(chooser.choices("abcdefghijklmnoprstuvw", k=chooser.randint(2, 10))) for _ in range(5000)]
    return " ".join(chooser.choices(vocabulary, k=size // 7))


def _many_bodies(size: int) -> bytes:
    paragraphs = [f"<p>{_words(1500, seed)}</p>" for seed in range(20)]
    return rss("".join(item(n, cdata(f"<p>{n}</p>" + "".join(paragraphs))) for n in range(min(500, size // 31_000))))


def _many_marked_bodies(size: int) -> bytes:
    body = "<p><b>a</b> <i>b</i> <a href='/c'>c</a> &amp; d<br></p>" * 550
    return rss("".join(item(n, cdata(f"{n}{body}")) for n in range(min(500, size // 31_000))))


def _atom(entry: str) -> bytes:
    return f"<feed xmlns='http://www.w3.org/2005/Atom'><title>t</title><entry><title>x</title>{entry}</entry></feed>".encode()


def _xhtml(markup: str) -> bytes:
    return _atom(f"<content type='xhtml'><div xmlns='http://www.w3.org/1999/xhtml'>{markup}</div></content>")


def _summary(text: str) -> bytes:
    return _atom(f"<summary>{text}</summary>")


def _json_of(items: str) -> bytes:
    return f"{_JSON_START}{items}]}}".encode()


FEEDS: dict[str, Maker] = {
    # Size alone
    "one entry of prose": _bodies(lambda size: filled(_words(100_000), size)),
    "one entry of one word": _bodies(lambda size: filled("a", size)),
    "500 entries of 30 KB of prose": _many_bodies,
    "500 entries of 30 KB of markup": _many_marked_bodies,
    "200,000 tiny items": lambda size: rss("".join(f"<item><title>t{n}</title></item>" for n in range(200_000))),
    "120,000 items with links": lambda size: rss("".join(item(n) for n in range(min(90_000, size // 180)))),
    "one emoji in ASCII": _bodies(lambda size: "😀" + filled(_words(100_000), size)),
    "500 entries with one emoji": lambda size: _many_bodies(size).replace(b"<p>7</p>", "<p>😀</p>".encode()),
    "500 broken entries": lambda size: _many_bodies(size).replace(b"<description>", b"& <description>"),
    "500 entries of CJK": lambda size: rss(
        "".join(item(n, f"{n}" + "新聞記事本文發表" * 1200, title="標題") for n in range(min(500, size // 30_000)))
    ),
    "spaces": lambda size: rss(item() + filled(" ", size)),
    "line breaks": lambda size: rss(item() + filled("\n", size)),
    # Nesting
    "XML in each other": lambda size: rss(f"<item>{'<a>' * 100_000}{'</a>' * 100_000}</item>"),
    "XML in each other, to the limit": lambda size: rss(f"<item>{filled('<a>', size)}</item>"),
    "XHTML in each other": lambda size: _xhtml("<div>" * 100_000 + "</div>" * 100_000),
    "XHTML, many elements": lambda size: _xhtml(filled("<b>x</b><i a='b'>y</i>", size)),
    "HTML in each other": _bodies(lambda size: "<div>" * 100_000),
    "HTML in each other, to the limit": _bodies(lambda size: filled("<div>", size)),
    "lists in each other": _bodies(lambda size: filled("<ul><li>", size)),
    "tables in each other": _bodies(lambda size: filled("<table><tr><td>", size)),
    "quotes in each other": _bodies(lambda size: filled("<blockquote><p>a", size)),
    "links in each other": _bodies(lambda size: filled("<a href='x'>", size)),
    "links over paragraphs": _bodies(lambda size: filled("<p><a href='x'>", size)),
    # Elements
    "formatting never closed": _bodies(lambda size: "<b><i>" * 500_000),
    "formatting over paragraphs": _bodies(lambda size: filled("<p><b><i><u>x", size)),
    "formatting with different attributes": _bodies(
        lambda size: "".join(f"<font size={n}><p>" for n in range(size // 25))
    ),
    "1,900 formatting tags over paragraphs": _bodies(lambda size: "<p><font a=1>" * 900),
    "39,000 tags": _bodies(lambda size: "<p>a<b>b</b></p>" * 9700),
    "19,000 elements": _bodies(lambda size: "<p><b>b</b></p>" * 9400),
    "19,000 links": _bodies(lambda size: "<a href='https://a.example/a?b=1&amp;c=2' title='t'>b</a>\n" * 18_000),
    "19,000 pictures": _bodies(lambda size: "<img src='a.png' srcset='a.png 1x, b.png 2x' alt='&amp;'>" * 18_000),
    "a table of a million cells": _bodies(lambda size: "<table>" + "<tr>" + "<td>x" * 1_000_000),
    "a table of 19,000 cells": _bodies(lambda size: f"<table>{('<tr>' + '<td>x</td>' * 50 + '</tr>') * 380}</table>"),
    "cells outside rows": _bodies(lambda size: "<table>" + "x<b>" * 19_000),
    "styles": _bodies(lambda size: filled("<p style='color:red;width:expression(1)'>a</p>", size)),
    "one enormous style": _bodies(lambda size: f"<p style='{filled('color:red;', size)}'>a</p>"),
    "comments": _bodies(lambda size: filled("<!-- a -->", size)),
    "scripts": _bodies(lambda size: filled("<script>a</script>", size)),
    "pictures in pictures": _bodies(lambda size: filled("<picture><source srcset=a><img src=b>", size)),
    "SVG in HTML in SVG": _bodies(lambda size: filled("<svg><foreignObject><p>", size)),
    "selects": _bodies(lambda size: filled("<select><option>a", size)),
    "templates": _bodies(lambda size: filled("<template><p>", size)),
    # Attributes
    "many attributes in XML": lambda size: rss(
        "<item><enclosure " + " ".join(f"a{n}='x'" for n in range(size // 12)) + "/></item>"
    ),
    "many attributes in HTML": _bodies(lambda size: "<p " + " ".join(f"a{n}=x" for n in range(size // 12)) + ">x"),
    "the same attribute in HTML": _bodies(lambda size: "<p " + filled("a=x ", size) + ">x"),
    "quoted attributes in HTML": _bodies(lambda size: "<p " + " ".join(f'a{n}="x"' for n in range(size // 14)) + ">x"),
    "one enormous attribute in XML": lambda size: rss(f"<item><enclosure url='{filled('a', size)}'/></item>"),
    "one enormous attribute in HTML": _bodies(lambda size: f"<p title='{filled('a', size)}'>x</p>"),
    "one enormous alt": _bodies(lambda size: f"<img src=a.png alt='{filled('a ', size)}'>x"),
    "many namespaces": lambda size: rss(
        item(), start=_START.replace("<rss ", "<rss " + " ".join(f"xmlns:n{n}='u{n}'" for n in range(400_000)) + " ")
    ),
    "a namespace on every level": lambda size: rss(
        "<item>" + "".join(f"<n{n}:a xmlns:n{n}='u{n}'>" for n in range(200_000)) + "</item>"
    ),
    "undeclared prefixes": lambda size: rss("".join(f"<item><p{n}:a>x</p{n}:a></item>" for n in range(300_000))),
    # Fields
    "a title of 16 MiB": _field("title", lambda size: filled("a ", size)),
    "a title of tags": _field("title", lambda size: cdata(filled("<b>", size))),
    "a title of references": _field("title", lambda size: filled("&amp;amp;", size)),
    "an author of 16 MiB": _field("author", lambda size: filled("a@b.c ", size)),
    "an author of marks": _field("author", lambda size: filled("(", size)),
    "a link of 16 MiB": _field("link", lambda size: "https://a.example/" + filled("a/../", size)),
    "links of 1 MB": lambda size: rss(
        "".join(
            f"<item><title>x{n}</title><link>https://a.example/{'%41' * 333_000}{n}</link></item>" for n in range(15)
        )
    ),
    "links of 2,000 characters": lambda size: rss(
        "".join(item(n).replace("https://a.example/", f"https://a.example/{'a/../?b=%41&' * 150}") for n in range(7000))
    ),
    "a guid of 16 MiB": _field("guid", lambda size: filled("a", size)),
    "a date of 16 MiB": _field("pubDate", lambda size: filled("1 ", size)),
    "dates of 70 characters": lambda size: rss(
        "".join(f"<item><title>x{n}</title><pubDate>{'Mon, ' * 13}{n}</pubDate></item>" for n in range(size // 140))
    ),
    "a category of 16 MiB": _field("category", lambda size: filled("a ", size)),
    "many categories": lambda size: rss(
        "<item><title>x</title>" + "".join(f"<category>c{n}</category>" for n in range(140_000)) + "</item>"
    ),
    "many enclosures": lambda size: rss(
        "<item><title>x</title>" + "".join(f"<enclosure url='/{n}.mp3'/>" for n in range(140_000)) + "</item>"
    ),
    "many media": lambda size: rss(
        "<item><title>x</title><media:group>"
        + "".join(f"<media:content url='/{n}.mp3' width='1'/><media:thumbnail url='/{n}'/>" for n in range(70_000))
        + "</media:group></item>"
    ),
    "many authors": lambda size: rss(
        "<item><title>x</title>" + "".join(f"<dc:creator>c{n}</dc:creator>" for n in range(140_000)) + "</item>"
    ),
    "many bodies": lambda size: rss(
        "<item><title>x</title>"
        + "".join(f"<content:encoded>{n}{'b' * 80}</content:encoded>" for n in range(140_000))
        + "</item>"
    ),
    "many links": lambda size: _atom("".join(f"<link href='/{n}'/>" for n in range(140_000))),
    # References
    "a million references": _bodies(lambda size: filled("&amp;", size)),
    "a million references, escaped": lambda size: rss(item(body=filled("&amp;amp;", size))),
    "19,000 references in 4 places": _bodies(lambda size: "<p>&amp;</p>" * 19_000),
    "numeric references": _bodies(lambda size: filled("&#x41;", size)),
    "unfinished references": _bodies(lambda size: filled("&am", size)),
    "references in the document's type": lambda size: (
        b"<!DOCTYPE rss [<!ENTITY a 'b'>]>" + rss(item(body=filled("&a;", size)))
    ),
    "escaped markup": lambda size: rss(item(body=filled("&lt;p&gt;a&lt;/p&gt;", size))),
    "twice escaped markup": lambda size: rss(item(body=filled("&amp;lt;p&amp;gt;a&amp;lt;/p&amp;gt;", size))),
    "bare ampersands": lambda size: rss(item(body=filled("a & b ", size))),
    # Bait for regular expressions
    "open brackets": _bodies(lambda size: filled("[", size)),
    "open tags": _bodies(lambda size: filled("<", size)),
    "open tags of letters": _bodies(lambda size: filled("<a ", size)),
    "open tags of quotes": _bodies(lambda size: filled("<a b='", size)),
    "open tags of both quotes": _bodies(lambda size: filled("<img a=\"'", size)),
    "open comments": _bodies(lambda size: filled("<!--", size)),
    "open comments in XML": lambda size: rss(item() + filled("<!--", size)),
    "open CDATA in XML": lambda size: rss(item() + filled("<![CDATA[", size)),
    "open instructions in XML": lambda size: rss(item() + filled("<?", size)),
    "open declarations": lambda size: filled("<!DOCTYPE ", size).encode() + rss(item()),
    "brackets in declarations": lambda size: filled("<!DOCTYPE a [", size).encode() + rss(item()),
    "CDATA after CDATA": lambda size: rss(item(body=filled("<![CDATA[a]]>", size))),
    "marks and a letter": _bodies(lambda size: filled("!", size) + "x"),
    "letters and a mark": _bodies(lambda size: filled("a", size) + "!"),
    "points and spaces": _bodies(lambda size: filled(". ", size)),
    "spaces in a body": _bodies(lambda size: "<p>a" + filled(" ", size) + "x"),
    "blank lines in a body": _bodies(lambda size: "a" + filled("\n ", size) + "x"),
    "text with blank lines": lambda size: _summary(filled("\n ", size) + "a"),
    "text with addresses": lambda size: _summary(filled("http://a.example/((((", size)),
    "tails of entries": lambda size: rss(filled("</item>", size)),
    "heads of entries": lambda size: rss(filled("<item>", size)),
    "junk before a feed": lambda size: filled("*", size).encode() + rss(item()),
    "tags before a feed": lambda size: filled("<a>", size).encode() + rss(item()),
    "tag soup": lambda size: rss(filled("<item><title>a</b></title><p>x</i>", size)),
    "cut in the middle": lambda size: _many_bodies(size)[:-1000] + b"<b",
    # Text
    "CJK without spaces": _bodies(lambda size: filled("新聞記事本文發表", 5_000_000)),
    "Thai without spaces": _bodies(lambda size: filled("ข่าววันนี้", 5_000_000)),
    "Arabic": _bodies(lambda size: filled("خبر اليوم ", 5_000_000)),
    "directions": _bodies(lambda size: filled("\u202e\u2066", 1_000_000)),
    "combining marks": _bodies(lambda size: "Z" + filled("\u0301\u0337\u0316", 1_000_000)),
    "combining marks in the title": _field("title", lambda size: "Z" + filled("\u0301\u0337\u0316", 1_000_000)),
    "zero-width joiners in the title": _field("title", lambda size: filled("\u200d", 1_000_000)),
    "invisible characters": _bodies(lambda size: filled("\u200b", size)),
    "a picture in base64": _bodies(
        lambda size: f"<img src='data:image/png;base64,{base64.b64encode(bytes(size * 2 // 3)).decode()}'>"
    ),
    "pictures in base64": _bodies(lambda size: filled(f"<img src='data:image/png;base64,{'A' * 60_000}'>", size)),
    "base64 as content": lambda size: _atom(
        f"<content type='application/octet-stream'>{filled('QUFB', size)}</content>"
    ),
    # Encodings
    "random bytes": lambda size: random.Random(1).randbytes(size),
    "a feed of random bytes": lambda size: rss("@").replace(
        b"@",
        b"<item><title>x</title><description>" + random.Random(1).randbytes(size - 2000) + b"</description></item>",
    ),
    "bytes over 127": lambda size: rss(item(body="@")).replace(b"@", bytes(range(128, 256)) * ((size - 2000) // 128)),
    "Latin as UTF-8": lambda size: rss(item(body="@")).replace(
        b"@", "caf\xe9 ".encode("latin-1") * ((size - 2000) // 5)
    ),
    "Cyrillic without a declaration": lambda size: rss(item(body="@")).replace(
        b"@", "новости дня ".encode("cp1251") * ((size - 2000) // 12)
    ),
    "UTF-8 twice": lambda size: rss(item(body="@")).replace(
        b"@", "é ".encode().decode("cp1252").encode() * ((size - 2000) // 5)
    ),
    "UTF-8 with broken characters": lambda size: rss(item(body="@")).replace(
        b"@", b"\xc3\xa9\xc3 " * ((size - 2000) // 4)
    ),
    "UTF-16": lambda size: rss(item(body=filled("a ", size // 2 - 4000))).decode().encode("utf-16"),
    "UTF-7": lambda size: b"<?xml version='1.0' encoding='utf-7'?>" + filled("+AGE-", size).encode(),
    "ISO-2022-JP": lambda size: rss(item(body="@")).replace(b"@", b'\x1b$B$"\x1b(B' * ((size - 2000) // 8)),
    "control characters": lambda size: rss(item(body=filled("\x01", size))),
    # JSON
    "JSON in each other": lambda size: _json_of("[" * 100_000 + "]" * 100_000),
    "JSON in each other, unfinished": lambda size: _json_of(filled('{"a":[', size)),
    "JSON with huge numbers": lambda size: _json_of(f'{{"id": 1, "a": {filled("9", size)}}}'),
    "JSON with many huge numbers": lambda size: _json_of(
        ",".join(f'{{"id": {"9" * 4000}}}' for _ in range(size // 4100))
    ),
    "JSON with tiny items": lambda size: _json_of(",".join(f'{{"id": {n}, "title": "t"}}' for n in range(size // 32))),
    "JSON with empty objects": lambda size: _json_of(filled("{},", size) + "{}"),
    "JSON with arrays": lambda size: _json_of('{"id":1,"title":"x","a":[' + filled("[],", size) + "1]}"),
    "JSON with numbers": lambda size: _json_of('{"id":1,"title":"x","a":[' + filled("1.5,", size) + "1]}"),
    "JSON with tags": lambda size: _json_of(
        '{"id":1,"title":"x","tags":[' + ",".join(f'"t{n}"' for n in range(size // 12)) + "]}"
    ),
    "JSON with attachments": lambda size: _json_of(
        '{"id":1,"title":"x","attachments":[' + ",".join(f'{{"url":"/{n}"}}' for n in range(size // 20)) + "]}"
    ),
    "JSON with one body": lambda size: _json_of(json.dumps({"id": 1, "content_html": filled(_words(100_000), size)})),
    "JSON broken off": lambda size: _json_of(",".join(json.dumps({"id": n, "title": "t"}) for n in range(size // 40)))[
        :-5
    ],
    # Packed
    "gzip of spaces": lambda size: gzip.compress(rss(item() + filled(" ", size))),
    "gzip beyond the limit": lambda size: gzip.compress(bytes(200_000_000)),
    "gzip of entries": lambda size: gzip.compress(_many_bodies(size)),
}
"""Name → document, as a feed's server would answer with it."""


def _page(head: str = "", body: str = "") -> bytes:
    return f"<!doctype html><html><head><title>t</title>{head}</head><body>{body}</body></html>".encode()


PAGES: dict[str, Maker] = {
    "10,000 alternates": lambda size: _page(
        "".join(f"<link rel=alternate type='application/rss+xml' href='/f{n}'>" for n in range(10_000))
    ),
    "alternates to the limit": lambda size: _page(
        "".join(f"<link rel=alternate type='application/rss+xml' href='/f{n}'>" for n in range(size // 62))
    ),
    "anchors to the limit": lambda size: _page("", filled("<a href='/rss/feed.xml'>RSS</a>", size)),
    "anchors in each other": lambda size: _page("", filled("<a href='/rss'><p>", size)),
    "formatting never closed": lambda size: _page("", filled("<b><i><p>", size)),
    "divisions in each other": lambda size: _page("", filled("<div>", size)),
    "attributes": lambda size: _page("", "<p " + " ".join(f"a{n}=x" for n in range(size // 12)) + ">"),
    "open comments": lambda size: _page("", filled("<!--", size)),
    "open tags": lambda size: _page("", filled("<", size)),
    "prose": lambda size: _page("", "<article>" + filled(f"<p>{_words(700)}</p>", size) + "</article>"),
    "tables": lambda size: _page("", filled("<table><tr><td>", size)),
    "references": lambda size: _page("", filled("&amp;", size)),
    "bytes over 127": lambda size: _page("", "@").replace(b"@", bytes(range(128, 256)) * (size // 128)),
    "one long address": lambda size: _page("", f"<a href='/{filled('a/../', size)}rss'>RSS</a>"),
}
"""Pages that feeds are looked for in, or articles."""


def _opml(outlines: str) -> bytes:
    return (
        f"<?xml version='1.0'?><opml version='2.0'><head><title>t</title></head><body>{outlines}</body></opml>".encode()
    )


def _outlines(n: int) -> str:
    return "".join(f"<outline text='Feed {i}' type='rss' xmlUrl='https://a{i}.example/feed'/>" for i in range(n))


LISTS: dict[str, Maker] = {
    "200,000 outlines": lambda size: _opml(_outlines(min(200_000, size // 75))),
    "200,000 broken outlines": lambda size: _opml(_outlines(min(200_000, size // 75)) + "<b"),
    "10,000 folders in each other": lambda size: _opml(
        "<outline text='a'>" * 10_000 + _outlines(1) + "</outline>" * 10_000
    ),
    "folders to the limit": lambda size: _opml(filled("<outline text='a'>", size)),
    "attributes": lambda size: _opml("<outline " + " ".join(f"a{n}='x'" for n in range(size // 12)) + "/>"),
    "attributes of a broken one": lambda size: _opml(
        "<outline " + " ".join(f"a{n}=x" for n in range(size // 12)) + "/>"
    ),
    "a name to the limit": lambda size: _opml(f"<outline text='{filled('a', size)}' xmlUrl='https://a.example/'/>"),
    "references": lambda size: _opml(f"<outline text='{filled('&amp;', size)}' xmlUrl='https://a.example/'/>"),
    "elements of another kind": lambda size: _opml(filled("<a/>", size)),
    "open comments": lambda size: _opml(filled("<!--", size)),
    "quotes never closed": lambda size: _opml(filled('<outline a="', size)),
    "bytes over 127": lambda size: _opml("@").replace(b"@", bytes(range(128, 256)) * ((size - 2000) // 128)),
    "one emoji": lambda size: _opml("<!-- 😀 -->" + _outlines(min(200_000, size // 75))),
    "addresses": lambda size: "\n".join(f"https://a{n}.example/feed" for n in range(size // 30)).encode(),
    "lines": lambda size: filled("\n", size).encode() + b"x",
    "spaces": lambda size: filled(" ", size).encode() + b"x",
    "quotes": lambda size: b"https://a.example/ " + filled('"\\', size).encode(),
    "one address": lambda size: b"https://a.example/" + filled("a/../", size).encode(),
    "YAML of sources": lambda size: (
        b"tabs:\n  a:\n    sources:\n"
        + "".join(f"      - {{url: 'https://a{n}.example/'}}\n" for n in range(size // 45)).encode()
    ),
    "YAML of keys": lambda size: b"tabs:\n" + "".join(f"  k{n}: x\n" for n in range(size // 14)).encode(),
    "YAML of marks": lambda size: b"tabs: " + filled("[", size).encode(),
    "YAML of lists": lambda size: b"tabs: [" + filled("a,", size).encode() + b"]",
    "YAML of one value": lambda size: b"tabs: '" + filled("a ", size).encode() + b"'",
    "YAML of quotes": lambda size: b'tabs: "' + filled("\\\\", size).encode() + b'"',
}
"""Files of subscriptions, as a user uploads them."""


def _export(lines: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("rssmanager.jsonl", lines)
    return packed.getvalue()


_HEADER = b'{"kind": "rssmanager", "version": 1}\n'

ZIPS: dict[str, Maker] = {
    "lines beyond the limit": lambda size: _export(_HEADER + b'{"kind": "tag", "name": "x"}\n' * 2_100_000),
    "lines of 4 MB": lambda size: _export(_HEADER + (b'{"a":"' + b"x" * (4 * 2**20 - 10) + b'"}\n') * 30),
    "lines of empty lists": lambda size: _export(_HEADER + (b'{"a":[' + b"[]," * 1_390_000 + b"1]}\n") * 4),
    "one line of 200 MB": lambda size: _export(_HEADER + b"x" * 200_000_000),
    "zeros": lambda size: _export(bytes(700 * 2**20)),
}
"""Files of accounts, as a user uploads them."""

TEXTS: dict[str, Maker] = {
    "prose": lambda size: _words(size).encode(),
    "two versions of prose": lambda size: f"{_words(size // 2)}\0{_words(size // 2, 2)}".encode(),
    "one word": lambda size: filled("a ", size).encode(),
    "one letter": lambda size: filled("a", size).encode(),
    "CJK": lambda size: filled("新聞記事本文發表", size).encode(),
    "line breaks": lambda size: filled("a\n", size).encode(),
    "different words": lambda size: " ".join(f"w{n}" for n in range(size // 8)).encode(),
    "spaces": lambda size: filled(" ", size).encode() + b"x",
    "brackets": lambda size: filled("(", size).encode(),
    "minus signs": lambda size: filled("-", size).encode() + b"x",
    "alternatives": lambda size: filled("a OR ", size).encode(),
    "quotes": lambda size: filled('"', size).encode(),
}
"""Texts that are compared with others, and asked for in searches."""
