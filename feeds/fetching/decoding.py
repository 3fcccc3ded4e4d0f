"""Decodes `Content-Encoding` while the body is read, never beyond the size limit.

Tolerated, because servers do it: plain bodies labelled gzip, deflate or br; gzip labelled deflate and the reverse;
deflate without its zlib header; gzip in several members, with junk after it, or cut off before its checksum; Brotli,
which we didn't offer. Rejected: more than two layers (only bombs have them) and other encodings.

Raw deflate has no signature, so it is tried on the first chunk and accepted unless it turns text into gibberish.
"""

import re
import zlib
from collections.abc import Iterable

import brotli

from feeds.wording import gettext as _

MAX_LAYERS = 2

_GZIP_MARK = b"\x1f\x8b"
_GZIP, _ZLIB, _RAW = 16 + zlib.MAX_WBITS, zlib.MAX_WBITS, -zlib.MAX_WBITS
_INFLATABLE = frozenset({"gzip", "x-gzip", "deflate"})
_TEXT_BEGINS = (b"<", b"{", b"[", b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_TRIED_BYTES = 64
_NOT_IN_NAMES = re.compile(r"[^a-z0-9.-]")


class BodyLimitExceeded(Exception):
    """The body, or a layer of its encoding, is larger than allowed."""


class UndecodableBody(Exception):
    """The message gives the reason, to follow the words "the response is"."""


def decode_body(chunks: Iterable[bytes], content_encoding: str, *, max_bytes: int) -> bytes:
    """Return the whole decompressed body; no layer is ever expanded beyond `max_bytes`.

    Raises:
        BodyLimitExceeded: as soon as a layer exceeds `max_bytes`.
        UndecodableBody: an encoding is unknown, damaged, or applied more than twice.
    """
    codings = [name for name in map(str.strip, content_encoding.lower().split(",")) if name not in ("", "identity")]
    if len(codings) > MAX_LAYERS:
        raise UndecodableBody(_("compressed %(n)s times") % {"n": len(codings)})
    layers = [_Layer(coding, max_bytes) for coding in reversed(codings)] or [_Layer("", max_bytes)]
    body = []
    for chunk in chunks:
        unpacked = chunk
        for layer in layers:
            unpacked = layer.feed(unpacked)
        body.append(unpacked)
    return b"".join(body)


class _Layer:
    """Decodes one layer, in whatever format its first bytes show it to be."""

    def __init__(self, coding: str, max_bytes: int) -> None:
        self._coding = coding
        self._bytes_left = max_bytes
        self._has_started = False
        self._window: int | None = None
        self._inflater = zlib.decompressobj()
        self._brotli: brotli.Decompressor | None = None

    def feed(self, data: bytes) -> bytes:
        if not data:
            return data
        if not self._has_started:
            self._start(data)
        if self._brotli is not None:
            unpacked = self._unpacked_brotli(self._brotli, data)
        else:
            unpacked = data if self._window is None else self._inflated(data)
        self._bytes_left -= len(unpacked)
        if self._bytes_left < 0:
            raise BodyLimitExceeded
        return unpacked

    def _start(self, data: bytes) -> None:
        self._has_started = True
        if self._coding == "br" and not _is_text(data):
            self._brotli = brotli.Decompressor()
            return
        self._window = _window(self._coding, data)
        if self._window is not None:
            self._inflater = zlib.decompressobj(self._window)

    def _unpacked_brotli(self, decompressor: brotli.Decompressor, data: bytes) -> bytes:
        """Decompress one chunk; later chunks after the end are left out."""
        unpacked = bytearray()
        try:
            while not decompressor.is_finished():
                unpacked += decompressor.process(data, output_buffer_limit=self._bytes_left - len(unpacked) + 1)
                data = b""
                if len(unpacked) > self._bytes_left or decompressor.can_accept_more_data():
                    break
        except brotli.error as error:
            raise UndecodableBody(_("damaged %(coding)s") % {"coding": self._coding}) from error
        return bytes(unpacked)

    def _inflated(self, data: bytes) -> bytes:
        unpacked = bytearray()
        while data and not self._inflater.eof:
            try:
                unpacked += self._inflater.decompress(data, self._bytes_left - len(unpacked) + 1)
            except zlib.error as error:
                raise UndecodableBody(_("damaged %(coding)s") % {"coding": self._coding}) from error
            if len(unpacked) > self._bytes_left:
                break
            data = self._inflater.unused_data
            if data.startswith(_GZIP_MARK) and self._window == _GZIP:
                self._inflater = zlib.decompressobj(_GZIP)
        return bytes(unpacked)


def _window(coding: str, data: bytes) -> int | None:
    """Return zlib's `wbits` for the format that `data` starts, None when it is plain."""
    if coding == "":
        return None
    if coding not in _INFLATABLE:
        if _is_text(data):
            return None
        name = _NOT_IN_NAMES.sub("?", coding[:20])
        raise UndecodableBody(_("compressed as %(coding)s, which was not requested") % {"coding": name})
    if data.startswith(_GZIP_MARK):
        return _GZIP
    if len(data) > 1 and data[0] & 0x8F == 0x08 and int.from_bytes(data[:2], "big") % 31 == 0:  # RFC 1950 §2.2
        return _ZLIB
    return _RAW if coding == "deflate" and _is_raw_deflate(data) else None


def _is_raw_deflate(data: bytes) -> bool:
    try:
        opening = zlib.decompressobj(_RAW).decompress(data, _TRIED_BYTES)
    except zlib.error:
        return False
    return _is_text(opening) or not _is_text(data)


def _is_text(data: bytes) -> bool:
    return data[:_TRIED_BYTES].lstrip().startswith(_TEXT_BEGINS)
