"""From the bytes of a subscription list to text, or to a plain sentence on why it cannot be one."""

import contextlib

from feeds.errors import ImportFileError
from feeds.parsing.encoding import decode
from feeds.wording import gettext as _

MAX_FILE_BYTES = 16 * 1024 * 1024  # 36,515 feeds take 4 MB; nobody follows four times as many
_SAMPLE = 4096  # characters looked at
_CONTROL_SHARE = 0.05  # of the sample; more control characters than this are not text


def subscription_text(data: bytes) -> tuple[str, tuple[str, ...]]:
    """Return the text of a file, line ends made one, and notes on what was done beside plain decoding.

    Raises ImportFileError for what is empty, too large or not text.
    """
    if len(data) > MAX_FILE_BYTES:
        raise ImportFileError(
            _("The file is larger than %(n)s MiB; split it and try again.") % {"n": MAX_FILE_BYTES // 1024**2}
        )
    text, notes = _decoded(data)
    if not text.strip("\x00 \t\r\n\ufeff"):
        raise ImportFileError(_("The file is empty."))
    sample = text[:_SAMPLE]
    if sum(character < " " and character not in "\t\r\n\f" for character in sample) > len(sample) * _CONTROL_SHARE:
        raise ImportFileError(
            _("This is not a text file: a list of subscriptions is OPML, feeds.yaml or one URL a line.")
        )
    return text.replace("\r\n", "\n").replace("\r", "\n"), notes


def _decoded(data: bytes) -> tuple[str, tuple[str, ...]]:
    """Return the text as it stands when it is plainly UTF-8, so that an export reads back exactly: the recovery of
    text that was encoded twice would take a title such as `Ã©` for one."""
    if not data.isascii():
        with contextlib.suppress(UnicodeDecodeError):
            return data.decode("utf-8-sig"), ()
    document = decode(data)
    return document.text, document.notes
