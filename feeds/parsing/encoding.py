"""Decodes a document, in whatever encoding it really is (SPEC §4).

The first rule that applies decides:

1. a byte order mark, or NULs where UTF-16 and UTF-32 have them, whatever is declared;
2. 7-bit documents: the declared stateful codec (ISO-2022-JP, HZ, UTF-7) or ISO-2022-JP by its escapes, else ASCII;
3. valid UTF-8, whatever is declared: legacy text is rarely valid UTF-8 by accident;
4. the HTTP charset, then the XML declaration, each as its superset, if it decodes strictly *and* the text is plausible:
   servers declare ISO-8859-1 for everything, and ISO-8859-1 decodes anything;
5. UTF-8 with a few broken sequences: text cut by bytes, a stray Windows-1252 quote;
6. the most plausible of the known codecs, with a bonus for the declared one and those of the declared language.

An incomplete character at the end (a truncated response) is dropped and doesn't count against a codec. Text that was
encoded as UTF-8 twice is decoded twice if all of it survives the round trip.
"""

import codecs
import re
from dataclasses import dataclass

from feeds.parsing.charset_detection import (
    READS_AS_LANGUAGE,
    SCRIPT_OF,
    codecs_of_declared_language,
    detect,
    plausibility,
)
from feeds.wording import gettext as _

SUPERSETS = {
    "ascii": "utf_8",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "iso8859-1": "cp1252",
    "latin_1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "euc_kr": "cp949",
    "big5": "big5hkscs",
    "cp950": "big5hkscs",
}
"""Declared codec → codec to use, as in browsers (WHATWG Encoding)."""

_NOT_FOR_DOCUMENTS = frozenset({"idna", "punycode", "unicode-escape", "raw-unicode-escape", "undefined", "mbcs", "oem"})
_BOMS = (
    (codecs.BOM_UTF32_LE, "utf_32_le"),  # before UTF-16 LE, whose mark is its prefix
    (codecs.BOM_UTF32_BE, "utf_32_be"),
    (codecs.BOM_UTF8, "utf_8"),
    (codecs.BOM_UTF16_LE, "utf_16_le"),
    (codecs.BOM_UTF16_BE, "utf_16_be"),
)
_STATEFUL = re.compile(r"iso2022|hz$|utf-7|utf_7")
_ISO2022_JP_ESCAPE = re.compile(rb"\x1b\$[@B]|\x1b\([JI]")
_DECLARATION = re.compile(r"<\?xml\b[^>]{0,200}?\bencoding\s*=\s*[\"']\s*([A-Za-z][\w.:-]{0,40})")
_EBCDIC_PROLOG = b"\x4c\x6f\xa7\x94"
_HEAD_BYTES = 1024  # searched for a declaration, junk before the prolog included


@dataclass(frozen=True, slots=True)
class DecodedDocument:
    """The text, its Python codec, and notes on any repairs."""

    text: str
    encoding: str
    notes: tuple[str, ...] = ()


def decode(body: bytes, http_charset: str = "") -> DecodedDocument:
    """Return the document as text without its byte order mark. Never raises: undecodable bytes are dropped."""
    unicode_codec = _codec_by_bytes(body)
    document = _decode_unicode(body, unicode_codec) if unicode_codec else _decode_bytes(body, http_charset)
    text = document.text.removeprefix("\ufeff")
    repaired = undo_double_encoding(text)
    if repaired is None:
        return DecodedDocument(text, document.encoding, document.notes)
    return DecodedDocument(repaired, document.encoding, (*document.notes, _("text was encoded as UTF-8 twice")))


def codec_named(label: str) -> str:
    """Return the Python codec for a declared charset, or its superset; "" when unknown or not for documents."""
    try:
        info = codecs.lookup(label.strip().lower().replace("x-sjis", "shift_jis").replace("windows-31j", "cp932"))
    except (LookupError, ValueError, UnicodeError):
        return ""
    if info.name in _NOT_FOR_DOCUMENTS or not getattr(info, "_is_text_encoding", True):
        return ""
    return SUPERSETS.get(info.name, info.name.replace("-", "_"))


def _codec_by_bytes(body: bytes) -> str:
    """Return the UTF codec shown by a byte order mark or a pattern of NULs, else ""."""
    for mark, codec in _BOMS:
        if body.startswith(mark) and (codec == "utf_8" or b"\0" in body[:400] or not _looks_like_ascii(body[2:400])):
            return codec
    head = body[:200]
    n_nul_even, n_nul_odd = head[::2].count(0), head[1::2].count(0)
    if n_nul_even + n_nul_odd < len(head) // 4 or len(head) < 4:
        return ""
    if head[:3] == b"\0\0\0":
        return "utf_32_be"
    if head[1:4] == b"\0\0\0":
        return "utf_32_le"
    return "utf_16_be" if n_nul_even > n_nul_odd else "utf_16_le"


def _looks_like_ascii(head: bytes) -> bool:
    return b"<" in head and head.count(b"\0") == 0 and head.isascii()


def _decode_unicode(body: bytes, codec: str) -> DecodedDocument:
    for mark, marked_codec in _BOMS:
        if marked_codec == codec and body.startswith(mark):
            body = body[len(mark) :]
    text, is_cut = _decode_strictly(body, codec)
    if text is not None:
        return DecodedDocument(text, codec, _cut_note(is_cut))
    if codec == "utf_8":
        return _decode_bytes(body, "utf-8")
    return DecodedDocument(body.decode(codec, "ignore"), codec, (_("undecodable bytes were dropped"),))


def _decode_bytes(body: bytes, http_charset: str) -> DecodedDocument:
    declared = _declared_codecs(body, http_charset)
    if body.isascii():
        return _decode_seven_bit(body, declared)
    text, is_cut = _decode_strictly(body, "utf_8")
    if text is not None and not _is_utf8_by_accident(body, text, declared):
        notes = _cut_note(is_cut)
        if declared and declared[0] != "utf_8":
            notes = (_("declared as %(codec)s, but is utf_8") % {"codec": declared[0]}, *notes)
        return DecodedDocument(text, "utf_8", notes)
    favoured = codecs_of_declared_language(body)
    for codec in declared:
        if codec == "cp1252" and favoured:
            continue  # can't encode the declared language: leave it to detection
        text, is_cut = _decode_strictly(body, codec)
        if text is not None and plausibility(text, codec) >= READS_AS_LANGUAGE:
            return DecodedDocument(text, codec, _cut_note(is_cut))
    broken = decode_broken_utf8(body)
    if broken is not None:
        return DecodedDocument(broken, "utf_8", (_("invalid UTF-8 sequences were replaced or dropped"),))
    detected = detect(body, declared, favoured)
    note = _("encoding detected: %(codec)s") % {"codec": detected}
    if declared:
        note = _("encoding detected: %(codec)s, declared as %(declared)s") % {
            "codec": detected,
            "declared": declared[0],
        }
    text, is_cut = _decode_strictly(body, detected)
    if text is not None:
        return DecodedDocument(text, detected, (note, *_cut_note(is_cut)))
    return DecodedDocument(body.decode(detected, "ignore"), detected, (note, _("undecodable bytes were dropped")))


def _declared_codecs(body: bytes, http_charset: str) -> list[str]:
    """Return the declared codecs by priority, HTTP first. 16-bit codecs are left out: the bytes rule them out."""
    head = body[:_HEAD_BYTES]
    prolog = head.decode("cp037") if head.startswith(_EBCDIC_PROLOG) else head.decode("latin-1")
    match = _DECLARATION.search(prolog)
    labels = [http_charset, match.group(1) if match else ""]
    if head.startswith(_EBCDIC_PROLOG):
        labels.append("cp037")
    names = [codec_named(label) for label in labels if label]
    return [name for name in dict.fromkeys(names) if name and not name.startswith(("utf_16", "utf_32"))]


def _decode_seven_bit(body: bytes, declared: list[str]) -> DecodedDocument:
    stateful = [codec for codec in declared if _STATEFUL.search(codec)]
    if _ISO2022_JP_ESCAPE.search(body):
        stateful += ["iso2022_jp_2", "iso2022_jp_ext"]
    for codec in stateful:
        text, is_cut = _decode_strictly(body, codec)
        if text is not None:
            return DecodedDocument(text, codec, _cut_note(is_cut))
    name = declared[0] if declared and not _STATEFUL.search(declared[0]) else "utf_8"
    return DecodedDocument(body.decode("ascii"), name)


def _decode_strictly(body: bytes, codec: str) -> tuple[str | None, bool]:
    """Return the text, None if a byte doesn't decode, and whether an incomplete character is left at the end."""
    decoder = codecs.getincrementaldecoder(codec)("strict")
    try:
        text = decoder.decode(body, False)
    except (UnicodeError, ValueError):
        return None, False
    return text, bool(decoder.getstate()[0])


def _cut_note(is_cut: bool) -> tuple[str, ...]:
    return (_("the document ends in the middle of a character"),) if is_cut else ()


def _is_utf8_by_accident(body: bytes, text: str, declared: list[str]) -> bool:
    """Whether a few two-byte sequences are more plausible in the declared codec, such as "联通" in GBK."""
    n_sequences = len(body) - len(text)  # for two-byte sequences: one each
    if not declared or declared[0] not in SCRIPT_OF or declared[0] == "cp1252" or n_sequences > 8:
        return False
    as_declared, _ = _decode_strictly(body, declared[0])
    if as_declared is None or max(text) > "\u07ff":
        return False
    return (
        plausibility(as_declared, declared[0]) > max(plausibility(text, "cp1252"), plausibility(text, "cp1251")) + 0.3
    )


_VALID_UTF8 = re.compile(rb"[\xc3-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
_MAX_BROKEN = 0.5  # broken sequences per valid one in a UTF-8 document


def decode_broken_utf8(body: bytes) -> str | None:
    """Decode UTF-8 with a few broken sequences and repair them; None when the document is something else."""
    n_valid = sum(1 for _ in _VALID_UTF8.finditer(body))
    n_broken = body.decode("utf-8", "replace").count("\ufffd") - body.count(b"\xef\xbf\xbd")
    if n_valid == 0 or n_broken > _MAX_BROKEN * n_valid:
        return None
    return body.decode("utf-8", _REPAIR)


_REPAIR = "feeds.parsing.repair"


def _repair_bytes(error: UnicodeError) -> tuple[str, int]:
    """Read a single byte among ASCII as a pasted Windows-1252 character; drop the rest of a cut character."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    data, start, end = error.object, error.start, error.end
    before, after = data[start - 1 : start], data[end : end + 1]
    is_lone = end - start == 1 and before.isascii() and after.isascii()
    is_quote_or_dash = data[start] in range(0x80, 0xA0)
    if is_lone and (is_quote_or_dash or (before.isalpha() and after.isalpha())):
        return data[start:end].decode("cp1252", "ignore"), end
    return "", end


codecs.register_error(_REPAIR, _repair_bytes)


def undo_double_encoding(text: str) -> str | None:
    """Decode the text once more if every character outside ASCII is part of UTF-8 read as a Western codec, else None.

    *All* of it must survive, so that an article that quotes such garbage beside intact letters isn't changed.
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
