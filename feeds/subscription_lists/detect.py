"""Reads a subscription list in any format: OPML, feeds.yaml, or one URL per line, detected from its content."""

import contextlib
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import PurePath

from feeds.content.confined import Exhausted, run_confined
from feeds.errors import ImportFileError
from feeds.parsing.encoding import decode
from feeds.subscription_lists.feeds_yaml import read_feeds_yaml
from feeds.subscription_lists.model import SubscriptionList
from feeds.subscription_lists.opml import read_opml
from feeds.subscription_lists.opml_parser import MAX_OUTLINES, too_many_outlines
from feeds.subscription_lists.url_list import read_url_list
from feeds.wording import gettext as _

MAX_FILE_BYTES = 8 * 1024 * 1024  # 36,515 feeds take 4 MB
_SAMPLE = 4096  # characters that are checked
_CONTROL_SHARE = 0.05  # of control characters in the sample of a text file
SUBPROCESS_BYTES = 2**18  # files from this size (2,000 feeds) are read in a subprocess
CPU_SECONDS = 8.0  # 36,515 feeds take 1.7 s on a slow machine; it is the user's own file
MAX_MEMORY = 128 * 2**20  # bytes that reading a file may use
_SUBPROCESS = "feeds.subscription_lists.detect:read_in_subprocess"

# Line by line and without backtracking: a file may consist of line breaks only.
_TABS = re.compile(r"""^[^\S\n]*+\{?[^\S\n]*+["']?tabs["']?\s*+:""", re.MULTILINE)
_YAML_SUFFIXES = (".yaml", ".yml")
_OUTLINE_START = re.compile(rb"(?i)<(?:[\w.-]{1,64}:)?outline\b")
_OUTLINE = re.compile(r"(?i)<(?:[\w.-]{1,64}:)?(?:opml|outline)\b")


def check_size(data: bytes) -> None:
    """Refuse a file that is too large, unread. Raises ImportFileError, which names the limit."""
    if len(data) > MAX_FILE_BYTES:
        raise ImportFileError(
            _("The file is larger than %(n)s MiB. Split it and try again.") % {"n": MAX_FILE_BYTES // 1024**2}
        )
    starts = islice(_OUTLINE_START.finditer(data.replace(b"\0", b"")), MAX_OUTLINES + 1)  # of UTF-16, too
    if sum(1 for _start in starts) > MAX_OUTLINES:
        raise too_many_outlines()


def read_subscriptions(data: bytes, filename: str = "") -> SubscriptionList:
    """Return the feeds of a file. The name only matters if the content is ambiguous: a `.yaml` is read as feeds.yaml.

    A large file is read in a subprocess with limited time and memory.

    Raises ImportFileError, which names the likely format, if the file has none of the three formats.
    """
    if len(data) <= SUBPROCESS_BYTES or len(data) > MAX_FILE_BYTES:  # a file that is too large is rejected unread
        return _read(data, filename)
    try:
        result: SubscriptionList = next(
            run_confined(_SUBPROCESS, data, filename, cpu_seconds=CPU_SECONDS, memory=MAX_MEMORY)
        )
    except Exhausted as error:
        raise ImportFileError(_("The file takes too long to read. Split it and try again.")) from error
    return result


def read_in_subprocess(data: bytes, filename: str) -> Iterator[SubscriptionList]:
    yield _read(data, filename)


def _read(data: bytes, filename: str) -> SubscriptionList:
    text, notes = decode_list(data)
    if text.lstrip().startswith("<") or _OUTLINE.search(text):
        return read_opml(text, notes)
    if _TABS.search(text) or PurePath(filename).suffix.lower() in _YAML_SUFFIXES:
        return read_feeds_yaml(text, notes)
    return read_url_list(text, notes)


def decode_list(data: bytes) -> tuple[str, tuple[str, ...]]:
    """Return the text of a file with normalized line breaks, and notes on any repairs.

    Raises ImportFileError if it is empty, too large or not text.
    """
    check_size(data)
    text, notes = _decoded(data)
    if not text.strip("\x00 \t\r\n\ufeff"):
        raise ImportFileError(_("The file is empty."))
    sample = text[:_SAMPLE]
    if sum(character < " " and character not in "\t\r\n\f" for character in sample) > len(sample) * _CONTROL_SHARE:
        raise ImportFileError(
            _("This is not a text file. A subscription list is OPML, feeds.yaml or one URL per line.")
        )
    return text.replace("\r\n", "\n").replace("\r", "\n"), notes


def _decoded(data: bytes) -> tuple[str, tuple[str, ...]]:
    """Decode valid UTF-8 as it is, so that an export is read back exactly: the repair of double-encoded text would
    change a title such as `Ã©`."""
    if not data.isascii():
        with contextlib.suppress(UnicodeDecodeError):
            return data.decode("utf-8-sig"), ()
    document = decode(data)
    return document.text, document.notes
