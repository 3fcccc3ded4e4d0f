"""Lines of an untrusted uploaded file. Pure: reads an open file one line at a time and writes nothing.

Names within a ZIP are compared and never used as paths, and only the one expected file is unpacked. The size of a ZIP's
directory is checked before the library reads it, as it would read one of any length.
"""

import io
import json
import re
import zipfile
import zlib
from collections.abc import Iterator
from struct import unpack_from
from typing import Any, BinaryIO

from django.utils.translation import gettext as _

from feeds.wording import format_number
from rssmanager.accounts.errors import DataRefused
from rssmanager.accounts.format import (
    KINDS,
    LINES_NAME,
    MAX_LINE,
    MAX_LINES,
    MAX_NESTED,
    MAX_NESTED_TOTAL,
    MAX_UNPACKED,
    VERSION,
)

_END = b"PK\x05\x06"
_END_SIZE = 22  # bytes of the end of a directory without a comment
_ZIP64 = b"PK\x06\x07"  # 20 bytes before it, if the directory is large
_MAX_DIRECTORY = 64 * 1024  # bytes, enough for hundreds of files
_KIND = re.compile(rb'\s{0,9}\{\s{0,9}"kind"\s{0,9}:\s{0,9}"([a-z]{1,20})"')


def read_lines(file: BinaryIO) -> Iterator[bytes]:
    """The lines of a ZIP, or of a bare `rssmanager.jsonl`, without line ends. Raises DataRefused, possibly midway."""
    file.seek(0)
    is_zip = file.read(2) == b"PK"
    file.seek(0)
    if not is_zip:
        yield from _lines(file)
        return
    _check_directory(file)
    try:
        with zipfile.ZipFile(file) as archive, archive.open(_find_lines(archive)) as packed:
            yield from _lines(io.BufferedReader(packed, 256 * 1024))  # type: ignore[type-var]
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, ValueError) as error:
        raise DataRefused(_broken()) from error


def parse_line(line: bytes) -> dict[str, Any] | None:
    """The object on a line; None if it isn't JSON, isn't an object, or is nested too deeply."""
    if _count_brackets(line) > MAX_NESTED:
        return None
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def kind_of(line: bytes) -> str:
    """The kind of a line, without parsing it: one of `KINDS`, or "unknown"."""
    match = _KIND.match(line)
    kind = match[1].decode() if match else ""
    return kind if kind in KINDS else "unknown"


def check_header(line: bytes) -> dict[str, Any]:
    """The first line. Raises DataRefused for other files, and exports of newer versions."""
    header = parse_line(line)
    if header is None or header.get("kind") != "rssmanager":
        raise DataRefused(_("This is not an export of RSS Manager."))
    version = header.get("version")
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise DataRefused(_("This export has no version number."))
    if version > VERSION:
        raise DataRefused(_("This export is from a newer version of RSS Manager. Update first."))
    return header


def _lines(file: BinaryIO | io.BufferedReader) -> Iterator[bytes]:
    n_bytes = n_lines = n_nested = 0
    while line := file.readline(MAX_LINE + 1):
        n_bytes += len(line)
        n_lines += 1
        n_nested += _count_brackets(line)
        if len(line) > MAX_LINE:
            values = {"line": format_number(n_lines), "most": MAX_LINE // 2**20}
            raise DataRefused(_("Line %(line)s is longer than %(most)s MB.") % values)
        if n_bytes > MAX_UNPACKED or n_lines > MAX_LINES:
            values = {"most": MAX_UNPACKED // 2**20, "lines": format_number(MAX_LINES)}
            raise DataRefused(_("This file has more than %(most)s MB or %(lines)s lines.") % values)
        if n_nested > MAX_NESTED_TOTAL:
            raise DataRefused(_("This file is nested too deeply."))
        yield line.rstrip(b"\r\n")


def _count_brackets(line: bytes) -> int:
    return line.count(b"[") + line.count(b"{")


def _broken() -> str:
    return _("This ZIP file is damaged or incomplete. Upload it again, or export again.")


def _check_directory(file: BinaryIO) -> None:
    size = file.seek(0, io.SEEK_END)
    file.seek(max(0, size - _END_SIZE - 20))
    tail = file.read()
    file.seek(0)
    end = tail[-_END_SIZE:]
    if len(end) < _END_SIZE or not end.startswith(_END):
        raise DataRefused(_broken())
    (directory,) = unpack_from("<I", end, 12)
    if directory > _MAX_DIRECTORY or tail[:4] == _ZIP64:
        raise DataRefused(_("This ZIP file contains too many files."))


def _find_lines(archive: zipfile.ZipFile) -> zipfile.ZipInfo:
    """The one file of lines, possibly in a folder, as some programs repack ZIP files."""
    files = [file for file in archive.infolist() if file.filename.rpartition("/")[2] == LINES_NAME]
    if len(files) != 1:
        raise DataRefused(_("This is not an export of RSS Manager: it has no %(name)s.") % {"name": LINES_NAME})
    if files[0].flag_bits & 0x1:
        raise DataRefused(_("This ZIP file is encrypted. Unpack it, and import the file in it."))
    if files[0].compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise DataRefused(_("This ZIP file uses an unsupported compression. Unpack it, and import the file in it."))
    return files[0]
