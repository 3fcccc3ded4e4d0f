"""The lines of an uploaded file, which may be anybody's. Pure: reads an open file, keeps one line, writes nothing.

Names within a ZIP are compared and never used as paths; nothing but the one file looked for is unpacked. The directory
of a ZIP is looked at before the library reads it, for it would read one of any length.
"""

import io
import json
import zipfile
import zlib
from collections.abc import Iterator
from struct import unpack_from
from typing import Any, BinaryIO

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from rssmanager.account.document import LINES_NAME, MOST_LINE, MOST_LINES, MOST_UNPACKED, VERSION
from rssmanager.account.errors import DataRefused

_END = b"PK\x05\x06"
_END_SIZE = 22  # bytes of the end of a directory without a comment
_ZIP64 = b"PK\x06\x07"  # 20 bytes before it, where the directory is a large one
_MOST_DIRECTORY = 64 * 1024  # bytes: hundreds of files


def lines_of(file: BinaryIO) -> Iterator[bytes]:
    """The lines, without their ends, of a ZIP or of its `rssmanager.jsonl` alone. Raises DataRefused, also midway."""
    file.seek(0)
    is_zip = file.read(2) == b"PK"
    file.seek(0)
    if not is_zip:
        yield from _lines(file)
        return
    _check_directory(file)
    try:
        with zipfile.ZipFile(file) as archive, archive.open(_wanted(archive)) as packed:
            yield from _lines(io.BufferedReader(packed, 256 * 1024))  # type: ignore[type-var]
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, ValueError) as error:
        raise DataRefused(_broken()) from error


def parsed(line: bytes) -> dict[str, Any] | None:
    """The object on a line; None where there is none: no JSON, nested too deep, or something else than an object."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def check_header(line: bytes) -> dict[str, Any]:
    """The first line. Raises DataRefused for a file that is not ours, or newer than this program."""
    header = parsed(line)
    if header is None or header.get("kind") != "rssmanager":
        raise DataRefused(_("This is no export of this program."))
    version = header.get("version")
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise DataRefused(_("This export does not say its version."))
    if version > VERSION:
        raise DataRefused(_("This export was made by a newer version of this program. Update this one first."))
    return header


def _lines(file: BinaryIO | io.BufferedReader) -> Iterator[bytes]:
    n_bytes = n_lines = 0
    while line := file.readline(MOST_LINE + 1):
        n_bytes += len(line)
        n_lines += 1
        if len(line) > MOST_LINE:
            told = {"line": number_format(n_lines, force_grouping=True), "most": MOST_LINE // 2**20}
            raise DataRefused(_("Line %(line)s is longer than %(most)s MB, which no export's is.") % told)
        if n_bytes > MOST_UNPACKED or n_lines > MOST_LINES:
            told = {"most": MOST_UNPACKED // 2**20, "lines": number_format(MOST_LINES, force_grouping=True)}
            raise DataRefused(_("There is more than %(most)s MB in it, or %(lines)s lines.") % told)
        yield line.rstrip(b"\r\n")


def _broken() -> str:
    return _("This ZIP is damaged. Export again, or look whether it was uploaded whole.")


def _check_directory(file: BinaryIO) -> None:
    size = file.seek(0, io.SEEK_END)
    file.seek(max(0, size - _END_SIZE - 20))
    tail = file.read()
    file.seek(0)
    end = tail[-_END_SIZE:]
    if len(end) < _END_SIZE or not end.startswith(_END):
        raise DataRefused(_broken())
    (directory,) = unpack_from("<I", end, 12)
    if directory > _MOST_DIRECTORY or tail[:4] == _ZIP64:
        raise DataRefused(_("There are far more files in this ZIP than in an export."))


def _wanted(archive: zipfile.ZipFile) -> zipfile.ZipInfo:
    """The one file of lines, also in a folder, as some programs pack anew."""
    found = [each for each in archive.infolist() if each.filename.rpartition("/")[2] == LINES_NAME]
    if len(found) != 1:
        raise DataRefused(_("This is no export of this program: there is no %(name)s in it.") % {"name": LINES_NAME})
    if found[0].flag_bits & 0x1:
        raise DataRefused(_("This ZIP is encrypted. Unpack it, and import the file within."))
    if found[0].compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise DataRefused(_("This ZIP is packed in an unusual way. Unpack it, and import the file within."))
    return found[0]
