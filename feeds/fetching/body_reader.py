"""Reads a response from a socket within limits of time and size that hold for all of it.

A socket's own timeout is per `recv`: a server that sends a byte every few seconds never reaches it, neither in the body
nor in the headers, which http.client reads line by line. So the timeout is set to the time left before every `recv`,
and all bytes are counted there: endless headers, interim responses and false chunk sizes end like endless bodies.
"""

import io
import socket
import time
from http.client import HTTPException, HTTPResponse
from typing import BinaryIO

from feeds.fetching.decoding import BodyLimitExceeded

_BUFFER_BYTES = 2**16  # a small feed, headers and body, in one recv
_HEAD_BYTES = 2**18  # status line, headers and interim responses; servers send hundreds to thousands of bytes
_FRAMING_BYTES = 2**20  # chunk sizes and trailers, on top of the body


class _LimitedReader(io.RawIOBase):
    """Reads until a deadline, given by the socket's timeout when reading starts, and at most `bytes_left` bytes."""

    def __init__(self, sock: socket.socket) -> None:
        self.bytes_left = _HEAD_BYTES
        self._sock = sock
        self._file = sock.makefile("rb", buffering=0)
        self._deadline = time.monotonic() + (sock.gettimeout() or 0.0)

    def makefile(self, mode: str) -> BinaryIO:
        return io.BufferedReader(self, _BUFFER_BYTES)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int | None:  # type: ignore[override]
        seconds = self._deadline - time.monotonic()
        if seconds <= 0:
            raise TimeoutError("timed out")
        self._sock.settimeout(seconds)
        n_bytes = self._file.readinto(buffer)
        self.bytes_left -= n_bytes or 0
        if self.bytes_left < 0:
            raise BodyLimitExceeded
        return n_bytes

    def close(self) -> None:
        self._file.close()
        super().close()


class LimitedResponse(HTTPResponse):
    """http.client's response, read within the socket's timeout in total, its body within `max_bytes`."""

    def __init__(self, sock: socket.socket, *, max_bytes: int, method: str | None = None) -> None:
        self._reader = _LimitedReader(sock)
        self._max_bytes = max_bytes
        super().__init__(self._reader, method=method)  # type: ignore[arg-type]

    def begin(self) -> None:
        try:
            super().begin()
        except BodyLimitExceeded:
            raise HTTPException("headers without end") from None
        self._reader.bytes_left += self._max_bytes + _FRAMING_BYTES
