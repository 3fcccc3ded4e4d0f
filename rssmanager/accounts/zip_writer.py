"""Writing a ZIP file while it is sent, so that it is never held as a whole."""

import io
import zipfile
from collections.abc import Iterable, Iterator
from datetime import datetime

CHUNK_BYTES = 64 * 1024


class _Pipe(io.RawIOBase):
    """A write-only file; `read_all` returns and drops what was written."""

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

    def read_all(self) -> bytes:
        data = b"".join(self._pieces)
        self._pieces.clear()
        self.n_waiting = 0
        return data


def stream_zip(files: Iterable[tuple[str, Iterable[bytes]]], *, made_at: datetime) -> Iterator[bytes]:
    """The ZIP of files, each a name and its pieces, in chunks."""
    pipe = _Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name, pieces in files:
            entry = zipfile.ZipInfo(name, made_at.timetuple()[:6])
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            with archive.open(entry, "w") as file:
                for piece in pieces:
                    file.write(piece)
                    if pipe.n_waiting >= CHUNK_BYTES:
                        yield pipe.read_all()
    yield pipe.read_all()
