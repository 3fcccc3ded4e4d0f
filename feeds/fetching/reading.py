"""Reading an answer from a socket within a time and a size that hold for all of it.

A socket's own timeout is per `recv`: a server that sends a byte every few seconds never meets it, not in the body and
not in the headers, which http.client reads line by line. So the time that is left is set anew before every `recv`, and
everything is counted there: endless headers, interim answers and chunks of a made-up size end at the same limit.
"""

import io
import socket
import time
from http.client import HTTPResponse
from typing import BinaryIO

from feeds.fetching.decoding import BodyPastLimit

_BUFFER_BYTES = 2**16  # a small feed, headers and body, in one recv


class _MeasuredSocket:
    """What http.client needs of a socket to read an answer: a file."""

    def __init__(self, sock: socket.socket, max_bytes: int) -> None:
        self._sock = sock
        self._max_bytes = max_bytes

    def makefile(self, mode: str) -> BinaryIO:
        return io.BufferedReader(_MeasuredReader(self._sock, self._max_bytes), _BUFFER_BYTES)


class _MeasuredReader(io.RawIOBase):
    """Reads until the deadline, which is the timeout that the socket has when reading begins."""

    def __init__(self, sock: socket.socket, max_bytes: int) -> None:
        self._sock = sock
        self._file = sock.makefile("rb", buffering=0)
        self._room = max_bytes
        self._deadline = time.monotonic() + (sock.gettimeout() or 0.0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int | None:  # type: ignore[override]
        seconds = self._deadline - time.monotonic()
        if seconds <= 0:
            raise TimeoutError("timed out")
        self._sock.settimeout(seconds)
        n_bytes = self._file.readinto(buffer)
        self._room -= n_bytes or 0
        if self._room < 0:
            raise BodyPastLimit
        return n_bytes

    def close(self) -> None:
        self._file.close()
        super().close()


class MeasuredResponse(HTTPResponse):
    """http.client's response over a socket that is read within its timeout in all and `max_bytes`."""

    def __init__(self, sock: socket.socket, *, max_bytes: int, method: str | None = None) -> None:
        super().__init__(_MeasuredSocket(sock, max_bytes), method=method)  # type: ignore[arg-type]
