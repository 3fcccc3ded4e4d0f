"""Decoding of Content-Encoding, chunk by chunk."""

import gzip
import tracemalloc
import zlib

import brotli
import pytest

from feeds.fetching.decoding import BodyLimitExceeded, UndecodableBody, decode_body
from tests.tables import table

BODY = b"<rss>" + bytes(range(256)) * 40 + b"</rss>"


def raw_deflate(body: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(body) + packer.flush()


@table(
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
        pytest.param(brotli.compress(BODY), "br", BODY, id="brotli"),
        pytest.param(gzip.compress(brotli.compress(BODY)), "br, gzip", BODY, id="brotli-and-gzip"),
        pytest.param(b"\n\n<rss/>", "br", b"\n\n<rss/>", id="plain-called-br"),
        pytest.param(b"\xef\xbb\xbf<rss/>", "zstd", b"\xef\xbb\xbf<rss/>", id="plain-called-zstd"),
        pytest.param(b"<", "deflate", b"<", id="one-byte"),
    ],
)
@table("piece_bytes", [100, 2**16])
def test_decodes_the_actual_encoding(wire: bytes, coding: str, body: bytes, piece_bytes: int) -> None:
    pieces = [wire[start : start + piece_bytes] for start in range(0, len(wire), piece_bytes)]

    assert decode_body(pieces, coding, max_bytes=len(BODY)) == body


@pytest.mark.parametrize("coding", ["", "gzip", "deflate", "br"])
def test_stops_at_the_first_excess_byte(coding: str) -> None:
    wire = {
        "": BODY,
        "gzip": gzip.compress(BODY),
        "deflate": zlib.compress(BODY),
        "br": brotli.compress(BODY),
    }[coding]

    assert decode_body([wire], coding, max_bytes=len(BODY)) == BODY
    with pytest.raises(BodyLimitExceeded):
        decode_body([wire], coding, max_bytes=len(BODY) - 1)


def test_reads_no_chunk_after_the_limit() -> None:
    pieces = iter([gzip.compress(bytes(1000)), b"never read"])

    with pytest.raises(BodyLimitExceeded):
        decode_body(pieces, "gzip", max_bytes=999)

    assert list(pieces) == [b"never read"]


def test_never_unpacks_a_brotli_bomb() -> None:
    bomb = brotli.compress(bytes(200 * 2**20), quality=5)
    tracemalloc.start()

    with pytest.raises(BodyLimitExceeded):
        decode_body([bomb], "br", max_bytes=2**20)

    assert tracemalloc.get_traced_memory()[1] < 8 * 2**20
    tracemalloc.stop()


def test_limits_every_layer() -> None:
    inner = gzip.compress(b"small") + bytes(10_000)

    with pytest.raises(BodyLimitExceeded):
        decode_body([gzip.compress(inner)], "gzip, gzip", max_bytes=1000)


@pytest.mark.parametrize(
    ("wire", "coding", "message"),
    [
        pytest.param(BODY, "gzip, gzip, gzip", "compressed 3 times", id="three-layers"),
        pytest.param(BODY, ", ".join(["gzip"] * 5000), "compressed 5000 times", id="five-thousand-layers"),
        pytest.param(brotli.compress(BODY)[:9] + b"\xff" * 50, "br", "damaged br", id="damaged-brotli"),
        pytest.param(b"(\xb5/\xfd", "zstd", "compressed as zstd, which was not requested", id="zstd"),
        pytest.param(b"\x00", "\x1b[31m<b>", r"compressed as \?\?31m\?b\?, which", id="a-name-to-fool-terminals"),
        pytest.param(gzip.compress(BODY)[:10] + b"\xff" * 50, "gzip", "damaged gzip", id="damaged"),
        pytest.param(gzip.compress(BODY)[:-8] + bytes(8), "gzip", "damaged gzip", id="wrong-checksum"),
        pytest.param(
            gzip.compress(BODY) + b"\x1f\x8b" + b"\xff" * 20, "gzip", "damaged gzip", id="damaged-second-member"
        ),
    ],
)
def test_rejects_other_encodings_with_a_reason(wire: bytes, coding: str, message: str) -> None:
    with pytest.raises(UndecodableBody, match=message):
        decode_body([wire], coding, max_bytes=10**6)
