"""Mending text whose bytes went through two encodings: broken UTF-8, and UTF-8 encoded twice."""

import codecs
import re

_MOST_BROKEN = 0.5  # broken sequences per sound one, up to which a document is still UTF-8


def decode_broken_utf8(body: bytes) -> str | None:
    """UTF-8 with few broken sequences, mended; None when the document is something else."""
    n_sound = len(re.findall(rb"[\xc3-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}", body))
    n_broken = body.decode("utf-8", "replace").count("\ufffd") - body.count(b"\xef\xbf\xbd")
    if n_sound == 0 or n_broken > _MOST_BROKEN * n_sound:
        return None
    return body.decode("utf-8", _MEND)


_MEND = "feeds.parsing.mend"


def _mend(error: UnicodeError) -> tuple[str, int]:
    """A lone byte among ASCII is a pasted Windows-1252 character; the rest of a cut character is dropped."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    data, start, end = error.object, error.start, error.end
    before, after = data[start - 1 : start], data[end : end + 1]
    is_lone = end - start == 1 and before.isascii() and after.isascii()
    is_quote_or_dash = data[start] in range(0x80, 0xA0)
    if is_lone and (is_quote_or_dash or (before.isalpha() and after.isalpha())):
        return data[start:end].decode("cp1252", "ignore"), end
    return "", end


codecs.register_error(_MEND, _mend)


def undo_double_encoding(text: str) -> str | None:
    """The text decoded once more, if every character outside ASCII is part of UTF-8 read as a Western codec.

    None when nothing is to be undone. Demands that *all* of it survives, so that an article that quotes such
    garbage beside sound letters stays as it is.
    """
    if text.isascii() or not _MOJIBAKE.search(text):
        return None
    try:
        data = text.translate(_CP1252_TO_BYTES).encode("latin-1")
        return data.decode("utf-8")
    except UnicodeError:
        return None


_MOJIBAKE = re.compile("[\u00c2-\u00f4][\u0080-\u00bf\u0152-\u2122]")
_CP1252_TO_BYTES = {
    ord(bytes([code]).decode("cp1252")): chr(code)
    for code in range(0x80, 0xA0)
    if bytes([code]).decode("cp1252", "ignore")
}
