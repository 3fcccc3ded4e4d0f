"""A ZIP written as it is sent: nothing of it is kept but what was not sent yet."""

import io
import zipfile
from collections.abc import Iterable, Iterator
from datetime import datetime

SENT_AT_ONCE = 64 * 1024  # bytes


class _Pipe(io.RawIOBase):
    """A file that can only be written; what was written is taken away by `taken`."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self.n_waiting = 0

    def writable(self) -> bool:
        return True

    def write(self, data: bytes) -> int:  # type: ignore[override]
        piece = bytes(data)
        self._pieces.append(piece)
        self.n_waiting += len(piece)
        return len(piece)

    def taken(self) -> bytes:
        found = b"".join(self._pieces)
        self._pieces.clear()
        self.n_waiting = 0
        return found


def zipped(files: Iterable[tuple[str, Iterable[bytes]]], *, made_at: datetime) -> Iterator[bytes]:
    """The ZIP of files, each a name and its pieces, deflated."""
    pipe = _Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name, pieces in files:
            entry = zipfile.ZipInfo(name, made_at.timetuple()[:6])
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            with archive.open(entry, "w") as file:
                for piece in pieces:
                    file.write(piece)
                    if pipe.n_waiting >= SENT_AT_ONCE:
                        yield pipe.taken()
    yield pipe.taken()
