"""What becomes of a body, piece by piece."""

import gzip
import zlib

import pytest

from feeds.fetching.decoding import BodyPastLimit, UndecodableBody, decoded

BODY = b"<rss>" + bytes(range(256)) * 40 + b"</rss>"


def raw_deflate(body: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(body) + packer.flush()


@pytest.mark.parametrize(
    ("wire", "coding", "body"),
    [
        pytest.param(BODY, "", BODY, id="plain"),
        pytest.param(b"", "", b"", id="empty"),
        pytest.param(b"", "gzip", b"", id="empty-called-gzip"),
        pytest.param(gzip.compress(b""), "gzip", b"", id="gzip-of-nothing"),
        pytest.param(gzip.compress(BODY), "gzip", BODY, id="gzip"),
        pytest.param(gzip.compress(BODY), "GZIP", BODY, id="upper-case"),
        pytest.param(gzip.compress(BODY), "x-gzip", BODY, id="x-gzip"),
        pytest.param(gzip.compress(BODY), "identity, gzip,", BODY, id="with-identity"),
        pytest.param(gzip.compress(BODY), "deflate", BODY, id="gzip-called-deflate"),
        pytest.param(zlib.compress(BODY), "gzip", BODY, id="deflate-called-gzip"),
        pytest.param(zlib.compress(BODY), "deflate", BODY, id="deflate"),
        pytest.param(raw_deflate(BODY), "deflate", BODY, id="raw-deflate"),
        pytest.param(raw_deflate(b"no markup " * 99), "deflate", b"no markup " * 99, id="raw-deflate-of-text"),
        pytest.param(gzip.compress(zlib.compress(BODY)), "deflate, gzip", BODY, id="two-codings"),
        pytest.param(gzip.compress(BODY), "gzip, gzip", BODY, id="two-named-one-applied"),
        pytest.param(gzip.compress(BODY[:99]) + gzip.compress(BODY[99:]), "gzip", BODY, id="two-members"),
        pytest.param(gzip.compress(BODY) + b"\r\n<!-- junk -->", "gzip", BODY, id="junk-behind"),
        pytest.param(gzip.compress(BODY) + bytes(512), "gzip", BODY, id="padding-behind"),
        pytest.param(gzip.compress(BODY)[:-8], "gzip", BODY, id="no-checksum"),
        pytest.param(BODY, "gzip", BODY, id="plain-called-gzip"),
        pytest.param(BODY, "deflate", BODY, id="plain-called-deflate"),
        pytest.param(b'{"version": "1.1"}', "deflate", b'{"version": "1.1"}', id="json-called-deflate"),
        pytest.param(b"\n\n<rss/>", "br", b"\n\n<rss/>", id="plain-called-br"),
        pytest.param(b"\xef\xbb\xbf<rss/>", "zstd", b"\xef\xbb\xbf<rss/>", id="plain-called-zstd"),
        pytest.param(b"<", "deflate", b"<", id="one-byte"),
    ],
)
@pytest.mark.parametrize("piece_bytes", [100, 2**16])
def test_undoes_what_was_really_done(wire: bytes, coding: str, body: bytes, piece_bytes: int) -> None:
    pieces = [wire[start : start + piece_bytes] for start in range(0, len(wire), piece_bytes)]

    assert decoded(pieces, coding, max_bytes=len(BODY)) == body


@pytest.mark.parametrize("coding", ["", "gzip", "deflate"])
def test_stops_at_the_first_byte_too_many(coding: str) -> None:
    wire = {"": BODY, "gzip": gzip.compress(BODY), "deflate": zlib.compress(BODY)}[coding]

    assert decoded([wire], coding, max_bytes=len(BODY)) == BODY
    with pytest.raises(BodyPastLimit):
        decoded([wire], coding, max_bytes=len(BODY) - 1)


def test_no_further_piece_is_asked_for_once_the_limit_is_passed() -> None:
    pieces = iter([gzip.compress(bytes(1000)), b"never read"])

    with pytest.raises(BodyPastLimit):
        decoded(pieces, "gzip", max_bytes=999)

    assert list(pieces) == [b"never read"]


def test_the_limit_holds_between_layers_too() -> None:
    inner = gzip.compress(b"small") + bytes(10_000)

    with pytest.raises(BodyPastLimit):
        decoded([gzip.compress(inner)], "gzip, gzip", max_bytes=1000)


@pytest.mark.parametrize(
    ("wire", "coding", "says"),
    [
        pytest.param(BODY, "gzip, gzip, gzip", "compressed 3 times over", id="three-layers"),
        pytest.param(BODY, ", ".join(["gzip"] * 5000), "compressed 5000 times over", id="five-thousand-layers"),
        pytest.param(b"\x1b\x03\x00\x00", "br", "compressed as br, which was not asked for", id="brotli"),
        pytest.param(b"(\xb5/\xfd", "zstd", "compressed as zstd, which was not asked for", id="zstd"),
        pytest.param(b"\x00", "\x1b[31m<b>", r"compressed as \?\?31m\?b\?, which", id="a-name-to-fool-terminals"),
        pytest.param(gzip.compress(BODY)[:10] + b"\xff" * 50, "gzip", "damaged gzip", id="damaged"),
        pytest.param(gzip.compress(BODY)[:-8] + bytes(8), "gzip", "damaged gzip", id="wrong-checksum"),
        pytest.param(
            gzip.compress(BODY) + b"\x1f\x8b" + b"\xff" * 20, "gzip", "damaged gzip", id="damaged-second-member"
        ),
    ],
)
def test_refuses_the_rest_and_says_why(wire: bytes, coding: str, says: str) -> None:
    with pytest.raises(UndecodableBody, match=says):
        decoded([wire], coding, max_bytes=10**6)
