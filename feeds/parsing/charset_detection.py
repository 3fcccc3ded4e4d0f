"""Which legacy codec a document is in, when nothing declared fits: the most plausible reading wins."""

import codecs
import re
from collections.abc import Sequence

from charset_normalizer import from_bytes

from feeds.parsing.plausibility import READS_AS_LANGUAGE, SCRIPT_OF, plausibility

_SAMPLE_BYTES = 200_000  # what candidates are compared on
_NUDGE = 0.15  # for a codec that was declared, and for one of the declared language
_LANGUAGE = re.compile(r"<(?:\w+:)?language[^>]{0,99}>\s*([a-z]{2})|\bxml:lang\s*=\s*[\"']([a-z]{2})", re.IGNORECASE)
_LANGUAGE_CODECS = {
    "ja": ("cp932", "euc_jp", "iso2022_jp"),
    "zh": ("gb18030", "big5hkscs"),
    "ko": ("cp949",),
    "ru": ("cp1251", "koi8_r", "iso8859_5", "cp866"),
    "uk": ("cp1251", "koi8_u"),
    "bg": ("cp1251",),
    "el": ("cp1253", "iso8859_7"),
    "he": ("cp1255",),
    "ar": ("cp1256",),
    "fa": ("cp1256",),
    "th": ("cp874",),
    "tr": ("cp1254",),
    "pl": ("cp1250", "iso8859_2"),
    "cs": ("cp1250", "iso8859_2"),
    "sk": ("cp1250", "iso8859_2"),
    "hu": ("cp1250", "iso8859_2"),
    "hr": ("cp1250", "iso8859_2"),
    "sl": ("cp1250", "iso8859_2"),
    "ro": ("cp1250", "iso8859_2", "iso8859_16"),
}
_CANDIDATES = tuple(codec for codec in SCRIPT_OF if codec not in ("iso2022_jp", "iso8859_16"))


def codecs_of_declared_language(body: bytes) -> tuple[str, ...]:
    """Legacy codecs of the language that the feed says it is in (its name is ASCII in all of them); may be empty."""
    match = _LANGUAGE.search(body[:20_000].decode("latin-1"))
    return _LANGUAGE_CODECS.get((match.group(1) or match.group(2)).lower(), ()) if match else ()


def detect(body: bytes, declared: Sequence[str], favoured: Sequence[str]) -> str:
    """The Python codec whose reading of the bytes is most like language.

    `declared` and `favoured` (by the declared language) are codecs that win among near equals.
    """
    sample = body[:_SAMPLE_BYTES]
    scores = {}
    for codec in dict.fromkeys((*declared, *favoured, *_CANDIDATES)):
        if codec in SCRIPT_OF:
            nudge = _NUDGE * (codec in declared) + _NUDGE * (codec in favoured)
            scores[codec] = _sample_plausibility(sample, codec) + nudge
    best = max(scores, key=lambda codec: scores[codec])
    if scores[best] < READS_AS_LANGUAGE:
        best = _second_opinion(sample) or best
    return best


def _sample_plausibility(sample: bytes, codec: str) -> float:
    decoder = codecs.getincrementaldecoder(codec)("replace")
    return plausibility(decoder.decode(sample, False), codec)


def _second_opinion(sample: bytes) -> str:
    """charset-normalizer's guess, for the scripts and codecs that `plausibility` does not know; "" if it has none."""
    guess = from_bytes(sample[:20_000], steps=3).best()
    return guess.encoding if guess else ""
