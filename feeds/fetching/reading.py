"""Reading an answer from a socket within a time and a size that hold for all of it.

A socket's own timeout is per `recv`: a server that sends a byte every few seconds never meets it, not in the body and
not in the headers, which http.client reads line by line. So the time that is left is set anew before every `recv`, and
everything is counted there: endless headers, interim answers and chunks of a made-up size end like endless bodies.
"""

import io
import socket
import time
from http.client import HTTPException, HTTPResponse
from typing import BinaryIO

from feeds.fetching.decoding import BodyPastLimit

_BUFFER_BYTES = 2**16  # a small feed, headers and body, in one recv
_HEAD_BYTES = 2**18  # status line, headers and interim answers; servers send some hundred to some thousand bytes
_FRAMING_BYTES = 2**20  # what sizes of chunks and trailers may add to a body


class _MeasuredReader(io.RawIOBase):
    """Reads until the deadline, which is the timeout that the socket has when reading begins."""

    def __init__(self, sock: socket.socket) -> None:
        self.room = _HEAD_BYTES
        self._sock = sock
        self._file = sock.makefile("rb", buffering=0)
        self._deadline = time.monotonic() + (sock.gettimeout() or 0.0)

    def makefile(self, mode: str) -> BinaryIO:
        """Return what http.client asks a socket for."""
        return io.BufferedReader(self, _BUFFER_BYTES)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int | None:  # type: ignore[override]
        seconds = self._deadline - time.monotonic()
        if seconds <= 0:
            raise TimeoutError("timed out")
        self._sock.settimeout(seconds)
        n_bytes = self._file.readinto(buffer)
        self.room -= n_bytes or 0
        if self.room < 0:
            raise BodyPastLimit
        return n_bytes

    def close(self) -> None:
        self._file.close()
        super().close()


class MeasuredResponse(HTTPResponse):
    """http.client's response over a socket, read within the socket's timeout in all, its body within `max_bytes`."""

    def __init__(self, sock: socket.socket, *, max_bytes: int, method: str | None = None) -> None:
        self._reader = _MeasuredReader(sock)
        self._max_bytes = max_bytes
        super().__init__(self._reader, method=method)  # type: ignore[arg-type]

    def begin(self) -> None:
        """Read the status and the headers."""
        try:
            super().begin()
        except BodyPastLimit:
            raise HTTPException("headers without end") from None
        self._reader.room += self._max_bytes + _FRAMING_BYTES
