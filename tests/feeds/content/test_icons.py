"""Which icons of a page are tried, and which files are icons."""

import struct

import pytest

from feeds.content.icons import MAX_ICON_BYTES, MAX_PIXELS, icon_type, page_icons
from rssmanager.demo.media import icon as draw_icon
from tests.tables import table

PNG = draw_icon("paper", "ring")
SVG = b'<?xml version="1.0"?><!-- a - b --><svg xmlns="http://www.w3.org/2000/svg"><circle r="9"/></svg>'


def png(width: int, height: int) -> bytes:
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", width, height)


def gif(width: int, height: int) -> bytes:
    return b"GIF89a" + struct.pack("<HH", width, height)


def jpeg(width: int, height: int) -> bytes:
    comment = b"\xff\xfe" + struct.pack(">H", 6) + b"\xff\xc0\xff\xc0"
    frame = b"\xff\xc2" + struct.pack(">HBHH", 11, 8, height, width)
    return b"\xff\xd8\xff\xe0" + struct.pack(">H", 4) + b"JF" + comment + frame


def webp(kind: bytes, size: bytes) -> bytes:
    return b"RIFF\0\0\0\0WEBP" + kind + b"\0\0\0\0" + size


def ico(width: int, height: int) -> bytes:
    return b"\x00\x00\x01\x00\x01\x00" + bytes((width, height)) + bytes(30)


@table(
    ("head", "names"),
    [
        pytest.param("", [], id="none"),
        pytest.param('<link rel="shortcut icon" href="/a.ico">', ["a.ico"], id="an old relation"),
        pytest.param('<LINK REL="ICON" HREF=a.png>', ["a.png"], id="upper case"),
        pytest.param('<link rel="stylesheet" href="a"><link rel="mask-icon" href="b">', [], id="something else"),
        pytest.param(
            '<link rel="icon" sizes="192x192" href="c"><link rel="icon" sizes="16x16" href="a">'
            '<link rel="icon" sizes="32x32" href="b"><link rel="icon" sizes="8x8" href="z">',
            ["b", "c", "a", "z"],
            id="the smallest that is large enough first, too small ones last",
        ),
        pytest.param(
            '<link rel="apple-touch-icon" href="apple"><link rel="icon" sizes="any" href="a.svg">'
            '<link rel="apple-touch-icon-precomposed" sizes="180x180" href="b">',
            ["b", "a.svg", "apple"],
            id="icons without a size before Apple's",
        ),
        pytest.param('<link rel="icon" sizes="16X16 48x48" href="a"><link rel=icon sizes=64x64 href=b>', ["a", "b"]),
        pytest.param('<link rel=icon sizes="x 99999999x1" href=a>', ["a"], id="nonsense as a size"),
        pytest.param(
            '<link rel=icon href=white media="(prefers-color-scheme: dark)"><link rel=icon href=a>', ["a"], id="dark"
        ),
        pytest.param('<link rel=icon href=a><link rel="icon" href=a>', ["a"], id="one twice"),
        pytest.param(
            '<link rel=icon href="data:image/png;base64,AA"><link rel=icon href="javascript:x">', [], id="no web"
        ),
    ],
)
def test_chooses_among_the_icons_of_a_page(head: str, names: list[str]) -> None:
    page = f"<!doctype html><head>{head}</head><body>".encode()
    assert page_icons(page, url="https://paper.example/") == tuple(f"https://paper.example/{name}" for name in names)


def test_icons_are_relative_to_the_base() -> None:
    page = b'<base href="https://cdn.example/x/"><link rel=icon href=a.png>'
    assert page_icons(page, url="https://paper.example/") == ("https://cdn.example/x/a.png",)


@table(
    ("content", "mime_type"),
    [
        pytest.param(PNG, "image/png", id="a whole PNG"),
        pytest.param(png(32, 32), "image/png", id="PNG"),
        pytest.param(gif(16, 16), "image/gif", id="GIF"),
        pytest.param(jpeg(64, 48), "image/jpeg", id="JPEG"),
        pytest.param(ico(16, 16), "image/x-icon", id="ICO"),
        pytest.param(ico(0, 0), "image/x-icon", id="ICO of 256 pixels"),
        pytest.param(webp(b"VP8X", b"\0\0\0\0\x1f\0\0\x1f\0\0"), "image/webp", id="WebP with a header"),
        pytest.param(webp(b"VP8L", b"\x2f\x1f\xc0\x07\0"), "image/webp", id="WebP without loss"),
        pytest.param(webp(b"VP8 ", b"\0\0\0\x9d\x01\x2a\x20\0\x20\0"), "image/webp", id="WebP"),
        pytest.param(SVG, "image/svg+xml", id="SVG"),
        pytest.param(b"\xef\xbb\xbf \n<svg/onx>" + b"</svg>", "", id="SVG that doesn't begin as one"),
        pytest.param(png(480, 270), "", id="a picture"),
        pytest.param(jpeg(144, 400), "", id="a banner"),
        pytest.param(gif(1, 1), "", id="a pixel"),
        pytest.param(png(MAX_PIXELS + 1, MAX_PIXELS + 1), "", id="too many pixels"),
        pytest.param(webp(b"VP8X", b"\0\0\0\0\xff\xff\xff\xff\xff\xff"), "", id="far too many"),
        pytest.param(PNG + bytes(MAX_ICON_BYTES), "", id="too many bytes"),
        pytest.param(b"\x89PNG\r\n\x1a\n", "", id="cut off"),
        pytest.param(b"\xff\xd8\xff\xff\xff\xff", "", id="JPEG without a frame"),
        pytest.param(b"\xff\xd8\xff\xe0\0\0" * 9, "", id="JPEG with empty segments"),
        pytest.param(b"BM" + bytes(60), "", id="BMP"),
        pytest.param(b"", "", id="nothing"),
        pytest.param(b"<!doctype html><title>Not found</title>", "", id="HTML"),
        pytest.param(b"<html><svg></svg></html>", "", id="SVG in HTML"),
        pytest.param(SVG.replace(b"<circle", b"<script>alert(1)</script><circle"), "", id="script"),
        pytest.param(SVG.replace(b"<circle", b"<circle onload='alert(1)'"), "", id="event handler"),
        pytest.param(SVG.replace(b"<circle", b"<svg/ONload=alert(1)><circle"), "", id="event handler after a slash"),
        pytest.param(SVG.replace(b"<circle", b"<a href='JavaScript:x'/><circle"), "", id="script in a link"),
        pytest.param(SVG.replace(b"<circle", b"<foreignObject/><circle"), "", id="HTML in SVG"),
        pytest.param(b'<!DOCTYPE svg [<!ENTITY a "b">]>' + SVG, "", id="entities"),
        pytest.param(SVG.decode().encode("utf-16"), "", id="another encoding"),
    ],
)  # fmt: skip
def test_recognizes_icons_by_their_bytes(content: bytes, mime_type: str) -> None:
    assert icon_type(content) == mime_type


def test_reads_svg_in_linear_time() -> None:
    assert icon_type(b"<!---->" * 14_000) == ""
    assert icon_type(b"<!--" * 25_000) == ""
    assert icon_type(b"<svg " + b" on" * 30_000) == "image/svg+xml"
