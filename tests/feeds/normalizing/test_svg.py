"""Drawings without what could run or load something."""

from base64 import b64encode

import pytest

from feeds.normalizing.svg import MAX_SVG, safe_svg, safe_svg_url
from tests.tables import table

OPEN, CLOSE = b'<svg xmlns="http://www.w3.org/2000/svg" xmlns:x="http://www.w3.org/1999/xlink">', b"</svg>"
RECT = b'<rect width="9"/>'


def inside(content: bytes) -> bytes:
    """What is left of a drawing's content, between the root's tags."""
    safe = safe_svg(OPEN + content + CLOSE)
    assert safe.startswith(OPEN) == bool(safe)
    return safe.removeprefix(OPEN).removesuffix(CLOSE)


@table(
    ("content", "left"),
    [
        (RECT, RECT),
        (b"<script>alert(1)</script>" + RECT, RECT),
        (b"<g><x:script>alert(1)</x:script></g>" + RECT, b"<g/>" + RECT),
        (b'<rect onload="alert(1)" OnClick="alert(1)" width="9"/>', RECT),
        (b'<a x:href="javascript:alert(1)">' + RECT + b"</a>", b"<a>" + RECT + b"</a>"),
        (b'<a href=" https://evil.example/">' + RECT + b"</a>", b"<a>" + RECT + b"</a>"),
        (b'<image href="https://evil.example/pixel.png"/>', b"<image/>"),
        (b'<image href="data:image/png;base64,AAAA"/>', b'<image href="data:image/png;base64,AAAA"/>'),
        (b'<image href="data:text/html,&lt;script&gt;"/>', b"<image/>"),
        (b'<use x:href="#a"/>', b'<use x:href="#a"/>'),
        (b'<use x:href="https://evil.example/x.svg#a"/>', b"<use/>"),
        (b'<a><set attributeName="href" to="javascript:alert(1)"/>' + RECT + b"</a>", b"<a>" + RECT + b"</a>"),
        (b'<animate attributeName="x" values="0;9"/>' + RECT, b'<animate attributeName="x" values="0;9"/>' + RECT),
        (b"<?xml-stylesheet href='https://evil.example/x.css'?><!-- note -->" + RECT, RECT),
        (
            b'<foreignObject><p xmlns="http://www.w3.org/1999/xhtml">Label<iframe src="https://evil.example/"/></p>'
            b"</foreignObject>",
            b'<foreignObject><p xmlns="http://www.w3.org/1999/xhtml">Label</p></foreignObject>',
        ),
        (b"<style>rect { fill: red }</style>" + RECT, b"<style>rect { fill: red }</style>" + RECT),
        (b"", b""),
        (b"<title>Draws nothing</title>", b""),
        (b"<g>" + b"<rect></g>", b""),
    ],
)
def test_keeps_what_only_draws(content: bytes, left: bytes) -> None:
    assert inside(content) == left


@pytest.mark.parametrize(
    "before",
    [
        b'\xef\xbb\xbf<?xml version="1.0" encoding="utf-8"?>\n',
        b"<!-- Made by hand -->\n",
        b'<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">',
        b'<!DOCTYPE svg [ <!ENTITY ns "http://ns.example/"> ]>',
    ],
)
def test_reads_what_comes_before_a_drawing(before: bytes) -> None:
    assert safe_svg(before + OPEN + RECT + CLOSE) == OPEN + RECT + CLOSE


def test_expands_own_entities_and_reads_no_others() -> None:
    own = b'<!DOCTYPE svg [ <!ENTITY word "Roof"> ]>' + OPEN + b"<text>&word;</text>" + CLOSE
    assert safe_svg(own) == OPEN + b"<text>Roof</text>" + CLOSE
    other = b'<!DOCTYPE svg [ <!ENTITY file SYSTEM "file:///etc/hostname"> ]>' + OPEN + b"<text>&file;</text>" + CLOSE
    assert safe_svg(other) == b""
    levels = b"".join(b'<!ENTITY e%d "%s">' % (n + 1, b"&e%d;" % n * 10) for n in range(9))
    bomb = b'<!DOCTYPE svg [ <!ENTITY e0 "boom">' + levels + b"]>" + OPEN + b"<text>&e9;</text>" + CLOSE
    assert safe_svg(bomb) == b""


@pytest.mark.parametrize(
    "content",
    [
        b"<html><svg xmlns='http://www.w3.org/2000/svg'><rect/></svg></html>",
        b"<svg><rect/></svg>",
        b"<svg",
        b"\x89PNG",
        b"",
        OPEN + RECT + b"<!--" + b" " * MAX_SVG + b"-->" + CLOSE,
    ],
)
def test_anything_else_is_no_drawing(content: bytes) -> None:
    assert safe_svg(content) == b""


def test_address_of_a_drawing_becomes_one_of_the_harmless() -> None:
    hostile, harmless = OPEN + b"<script/>" + RECT + CLOSE, OPEN + RECT + CLOSE
    expected = "data:image/svg+xml;base64," + b64encode(harmless).decode()
    for url in (
        "data:image/svg+xml;base64," + b64encode(hostile).decode(),
        "data:image/svg+xml;charset=utf-8;base64," + b64encode(hostile).decode(),
        "data:image/svg+xml," + hostile.decode().replace("#", "%23").replace("<", "%3C"),
        "data:image/svg+xml;utf8," + hostile.decode(),
        expected,
    ):
        assert safe_svg_url(url, most=1000) == expected
    assert safe_svg_url(expected, most=len(harmless) - 1) == ""
    assert safe_svg_url("data:text/html;base64,AAAA", most=1000) == ""
    assert safe_svg_url("data:image/svg+xml;base64,A", most=1000) == ""
