"""Detects the legacy encoding of a document by how plausible its text is in each candidate codec.

Most legacy codecs decode most bytes, so "it decodes" proves little; but text read with the wrong codec doesn't look
like language. Four observations make up the score, and work for a single headline:

1. *Frequent characters.* In any language a few characters make up most of the text: five kana in a Japanese sentence,
   ten letters of an alphabet, a hundred Han characters. Bytes read with a wrong codec spread evenly over its table,
   which consists mostly of rare characters.
2. *Script.* Each codec is made for a script. Kana in text read as GBK, many Hanja in text read as EUC-KR, half-width
   katakana, box drawings and private-use characters point to another codec.
3. *Case.* A capital after a small letter is rare: this separates the Cyrillic codecs, whose halves are swapped.
4. *Neighbours.* In Western and Central European words, accented letters are next to ASCII letters; runs of accented
   letters are another script read with a Western codec. Letters of other scripts are not next to ASCII letters (a
   single East Asian one not between two), and quotation marks are not inside words.

Only characters outside ASCII count. A replacement character (an undecodable byte) weighs more than a good character.
Known failure: a single accented letter cannot tell ISO-8859-1 from ISO-8859-2 or -15; the declared encoding or the
Western reading wins then. Rejected: charset-normalizer alone (it reads "café à Paris" as cp775 and Russian headlines as
big5hkscs; it is made for longer texts).
"""

import codecs
import re
from collections.abc import Sequence
from dataclasses import dataclass

from charset_normalizer import from_bytes

from feeds.word_lists import read_rows

SAMPLE_CHARACTERS = 4000  # characters outside ASCII that are scored; enough for a stable mean
READS_AS_LANGUAGE = 0.3  # score from which a declared codec is accepted
_SAMPLE_BYTES = 200_000  # on which candidates are compared
_BONUS = 0.15  # for a declared codec, and for a codec of the declared language
_UNDECODABLE = -4.0
_FOREIGN = -1.0
_RARE = 0.35  # part of the script
_FREQUENT = 1.0
_NEUTRAL = 0.5  # punctuation used in such texts
_BAD_CASE = -1.0

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
    **dict.fromkeys(("pl", "cs", "sk", "hu", "hr", "sl"), ("cp1250", "iso8859_2")),
    "ro": ("cp1250", "iso8859_2", "iso8859_16"),
}
_FREQUENT_CHARACTERS = dict(read_rows("feeds.parsing", "frequent_characters.tsv"))


@dataclass(frozen=True, slots=True)
class Script:
    """The script that a codec is made for: `letters` matches one of its characters."""

    letters: re.Pattern[str]
    frequent: frozenset[str]
    is_cased: bool = False
    is_among_ascii: bool = False  # accented letters within words of ASCII letters
    is_cjk: bool = False


def _script(letters: str, frequent: str, **properties: bool) -> Script:
    return Script(re.compile(f"[{letters}]"), frozenset(frequent), **properties)


_SIMPLIFIED_HAN, _TRADITIONAL_HAN = _FREQUENT_CHARACTERS["simplified"], _FREQUENT_CHARACTERS["traditional"]
_JAPANESE_FREQUENT = _FREQUENT_CHARACTERS["kana"] + _FREQUENT_CHARACTERS["kanji"]
_CHINESE = _script("一-龥", _SIMPLIFIED_HAN + _TRADITIONAL_HAN + "，。、：“”《》", is_cjk=True)
_TRADITIONAL = _script("一-龥", _TRADITIONAL_HAN + "，。、：「」《》", is_cjk=True)
_JAPANESE = _script("぀-ヿ一-龥々", _JAPANESE_FREQUENT, is_cjk=True)
_KOREAN = _script("가-힣", _FREQUENT_CHARACTERS["hangul"], is_cjk=True)
_CYRILLIC = _script("Ѐ-ӿ", "оеаинтсрвлкмдпОЕАИНТСРВЛКМДП", is_cased=True)
_GREEK = _script("Ͱ-Ͽ", "αοιετσνηυρπκμλςάίόέΑΟΙΕΤΣΝΗ", is_cased=True)
_HEBREW = _script("א-ת", "יוהלארמתבשםנן")
_ARABIC = _script("ء-ۿ", "اليمنرتوبةعدسفكه")
_THAI = _script("ก-๛", "าน่อรกเงม้ยลวดทสตะปบคหแ")
_WESTERN = _script("À-ÖØ-öø-ÿŒœŸŠšŽž", "¿¡éèàáíóúñçãõâêôäöüßåæøÉÖÜÄÅØìòùîï", is_among_ascii=True)
_CENTRAL = _script("À-ÖØ-öø-žȘ-ț", "áéíóúůýčďěňřšťžąćęłńśźżăâîșțöőüűđŁŚŻČŠŽ", is_among_ascii=True)
_TURKISH = _script("À-ÖØ-öø-ş", "ıİşŞğĞüÜöÖçÇ", is_among_ascii=True)

SCRIPT_OF: dict[str, Script] = {  # in case of a tie, the first wins
    codec: script
    for codecs_of_script, script in (
        ("cp1252", _WESTERN),
        ("gb18030", _CHINESE),
        ("big5hkscs", _TRADITIONAL),
        ("cp932 euc_jp iso2022_jp", _JAPANESE),
        ("cp949", _KOREAN),
        ("cp1251 koi8_r koi8_u iso8859_5 cp866", _CYRILLIC),
        ("cp1253 iso8859_7", _GREEK),
        ("cp1255 iso8859_8", _HEBREW),
        ("cp1256 iso8859_6", _ARABIC),
        ("cp874", _THAI),
        ("cp1250 iso8859_2 iso8859_16", _CENTRAL),
        ("cp1254", _TURKISH),
    )
    for codec in codecs_of_script.split()
}
_CANDIDATES = tuple(codec for codec in SCRIPT_OF if codec not in ("iso2022_jp", "iso8859_16"))

_NON_ASCII = re.compile(r"[^\x00-\x7f]")
_PUNCTUATION = frozenset("«»“”‘’‚„…–—•·°§©®™€£¥№†‡‰¡¿ºª、。，．：；！？（）「」『』【】《》〈〉・ー～　\u00a0")
_WITHIN_WORDS = frozenset("’‘·–—…\u00a0")
_ASCII_LETTER = re.compile("[A-Za-z]")


def codecs_of_declared_language(body: bytes) -> tuple[str, ...]:
    """Return the legacy codecs of the language that the document declares (in ASCII in all of them), () for none."""
    match = _LANGUAGE.search(body[:20_000].decode("latin-1"))
    return _LANGUAGE_CODECS.get((match.group(1) or match.group(2)).lower(), ()) if match else ()


def detect(body: bytes, declared: Sequence[str], favoured: Sequence[str]) -> str:
    """Return the Python codec that gives the most plausible text.

    `declared` and `favoured` (by the declared language) are codecs that are preferred among near equals.
    """
    sample = body[:_SAMPLE_BYTES]
    scores = {}
    for codec in dict.fromkeys((*declared, *favoured, *_CANDIDATES)):
        if codec in SCRIPT_OF:
            bonus = _BONUS * (codec in declared) + _BONUS * (codec in favoured)
            scores[codec] = _sample_plausibility(sample, codec) + bonus
    best = max(scores, key=lambda codec: scores[codec])
    if scores[best] < READS_AS_LANGUAGE:
        best = _second_opinion(sample) or best
    return best


def _sample_plausibility(sample: bytes, codec: str) -> float:
    decoder = codecs.getincrementaldecoder(codec)("replace")
    return plausibility(decoder.decode(sample, False), codec)


def _second_opinion(sample: bytes) -> str:
    """Return charset-normalizer's guess, for scripts and codecs that are not in `SCRIPT_OF`; "" for none."""
    guess = from_bytes(sample[:20_000], steps=3).best()
    return guess.encoding if guess else ""


def plausibility(text: str, codec: str) -> float:
    """Return the mean weight of the characters outside ASCII, in [-4, 1]: above 0.3 for language, below 0 for none.

    `codec` is a Python codec name in `SCRIPT_OF`; others are scored as Western. ASCII text gives 1.
    """
    script = SCRIPT_OF.get(codec, _WESTERN)
    total, n = 0.0, 0
    for match in _NON_ASCII.finditer(text):
        position = match.start()
        before = text[position - 1] if position else ""
        after = text[position + 1 : position + 2]
        total += _weight(match.group(), before, after, script)
        n += 1
        if n == SAMPLE_CHARACTERS:
            break
    return total / n if n else 1.0


def _weight(character: str, before: str, after: str, script: Script) -> float:
    if character == "\ufffd":
        return _UNDECODABLE
    if script.letters.match(character):
        return _letter_weight(character, before, after, script)
    if character in _PUNCTUATION and not script.is_cjk:
        if character not in _WITHIN_WORDS and before.isalpha() and after.isalpha():
            return _FOREIGN
        return _FREQUENT if character in script.frequent else _NEUTRAL
    if character in script.frequent or character in _PUNCTUATION:
        return _FREQUENT if character in script.frequent else _NEUTRAL
    return _NEUTRAL if script.is_cjk and _is_guest(character) else _FOREIGN


def _letter_weight(character: str, before: str, after: str, script: Script) -> float:
    weight = _FREQUENT if character in script.frequent else _RARE
    if script.is_cjk:
        return _FOREIGN if _ASCII_LETTER.match(before) and _ASCII_LETTER.match(after) else weight
    if script.is_among_ascii:
        return _FOREIGN if _is_in_foreign_run(before, after) else weight
    if _ASCII_LETTER.match(before) or _ASCII_LETTER.match(after):
        return _FOREIGN
    if script.is_cased and character.isupper():
        return _BAD_CASE if before.islower() else weight / 2
    return weight


def _is_in_foreign_run(before: str, after: str) -> bool:
    """Whether both neighbours are outside ASCII and at least one is a letter, unlike accents in words."""
    return bool(before > "\x7f" and after > "\x7f" and (before.isalpha() or after.isalpha()))


def _is_guest(character: str) -> bool:
    """Whether it is a full-width form or CJK punctuation, which any East Asian text may use."""
    return "\u3000" <= character <= "\u303f" or "\uff01" <= character <= "\uff5e"
