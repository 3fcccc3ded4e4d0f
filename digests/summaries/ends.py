"""Where the sentences of a block end: the library's answer with our corrections. Pure.

The library (`sentencex`, Wikimedia's) knows abbreviations, quotes and brackets of many languages and is fast. Of our
table (`tests/digests/sentence_ends.py`, 121 rows in seven languages) it gets 88 right, `feeds.dedup.sentences` 60; of
23 rows that were written after these rules 11, 13, and this module 19 before they led to four rules more. The library
errs in these ways, each met by a rule here:

- it ends sentences after titles and abbreviations it does not know ("M. Roy", "approx. 5 kg"), after ordinals ("Der 1.
  FC"), in front of lower case ("Yahoo! said", "— крикнул он"), after the hour ("5 p.m. Monday"), after the number of
  an item, within quotations and titles of Chinese and Japanese ("「行きます。」と言った"), and behind a mark that opens
  a quotation which is never closed;
- it does not end them after "etc.", an ellipsis, a bracketed sentence, nor where an abbreviation or an initial happens
  to be last, which the next word can tell ("EE. UU. Luego", "в 2019 г. После").

What stays open is decided for the longer sentence, since half a sentence in a summary is worse than two.
"""

import re
from collections.abc import Iterator

import sentencex

from digests.summaries.end_words import (
    AFTER_HOURS,
    BEFORE_FIGURES,
    BEFORE_ORDINALS,
    FIRST_WORDS,
    LETTERED,
    MAY_BE_LAST,
    NEVER_LAST,
    PARTS_OF_NAMES,
)

CHUNK_CHARACTERS = 3000  # given to the library at once: with many quotation marks it takes quadratic time
QUOTE_CHARACTERS = 600  # within which a quotation has to end, or it is taken for one that was never closed

_SURROGATE = re.compile("[\ud800-\udfff]")  # half a character, which the library cannot take
_CLOSING = "\"'”’“»«)\\]」』）》〉"
_DOT_AND_CAPITAL = re.compile(rf"(?:\.|…)[{_CLOSING}]*\s+(?=[\"“«„‘(¿¡]?\s?[^\W\d_])")
_TOKEN = re.compile(r"(?:(?<=\s)|^|(?<=[(\[«“\"„]))((?:[^\W\d_]\.[\s-]?){1,3}[^\W\d_]|[^\W\d_][\w№-]*|№)\.\Z")
_WORD = re.compile(r"[\"“«„‘(¿¡]?\s?([^\W\d_]+)(?![\w.])")
_BRACKETED = re.compile(r"\([^()]*[.!?…][”\"»]?\)\s+(?=[\"“«„]?[^\W\d_])")
_OPENED_LAST = re.compile(r"\s[\"“«„‘(\[「『]+\s?\Z")
_ITEM_MARK = re.compile(r"\(?(?:\d{1,3}|[^\W\d_])[.)]")
_SMALL = re.compile(r"[–—-]?\s*([^\W\d_])(\w?)")
_JOINED_ON = re.compile(  # J.-C., P.-D.G., Mail.Ru, Node.js
    r"[-–]?[^\W\d_]\.|[-–]\w|(?:ru|com|net|org|io|de|fr|es|uk|eu|js|py|ai|tv|info|me|app|dev)\b", re.IGNORECASE
)
_NAME_SAYS = re.compile(  # “No!” Hill shouted
    r"(?:[A-Z][\w’'-]+ ){1,3}(?:said|says|asked|asks|shouted|told|wrote|added|replied|cried|joked|yelled)\b"
)
_DOUBLE_NAME = re.compile(r"\w\.-\w")
_HOUR = re.compile(r"\b[ap]\.?\s?m\.\Z", re.IGNORECASE)
_AFTER_HOUR = re.compile(rf"(?:{AFTER_HOURS})\b")
_INITIALS = re.compile(r"\w\.\w")
_DAY = re.compile(r"\b\d{1,2}\.\Z")
_MONTH = re.compile(r"(?:Jan|Feb|März|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez)[a-zä]*\b")
_ORDINAL = re.compile(rf"(?:^|\s)(?:{BEFORE_ORDINALS})\s\d{{1,2}}\.\Z", re.IGNORECASE)
_EMOJI = re.compile("\\s*[\u2600-\u27bf\U0001f000-\U0001faff\ufe0f\u200d]+\\s*")
_PARTICLE = re.compile(
    "と(?!ころ|にかく|ても|もに)|って|が(?!ん)|を|に(?!も)|は(?!い|じめ)|も(?!う|し|っと)|の(?!ち)|で(?!は|も|す)|など|から|"
    "や(?!が|は|っ)|へ|だ(?!が|から)|より|まで"
)
_SPEECH = re.compile(
    "[^，。！？；“「]{0,12}?(?:说|說|道|称|稱|表示|问|問|喊|叫|回答|指出|告诉|告訴|强调|強調|坦言|补充|補充|写|寫)"
)
_STRAIGHT_CLOSING = re.compile(r"(?<=\S)\"(?=[\s,.;:!?)—–-]|\Z)")
_STRAIGHT_OPENING = re.compile(r"(?:(?<=\s)|^)\"(?=\S)")
_SINGLE_OPENING = re.compile(r"(?:(?<=[\s(])|^)‘(?=\w)")
_SINGLE_CLOSING = re.compile(r"[,.!?…]’")  # any other may be an apostrophe
_PAIRS = (("“", "”"), ("«", "»"), ("「", "」"), ("『", "』"), ("《", "》"), ("（", "）"), ("(", ")"), ("【", "】"))
_GERMAN_PAIRS = (("„", "“”"), ("»", "«"), ("‚", "‘’"), ("(", ")"))


def ends(raw: str, language: str) -> list[int]:
    """The places in a block after which a new sentence begins, with the white space before it; the end is none."""
    found: list[int] = []
    begin = 0
    capitals = not raw.lstrip("\"'“«„‘( ")[:1].islower()  # or the writer uses none
    for cut in sorted({*_by_library(raw, language), *_missed(raw, language)}):
        cut = _moved(raw, cut)
        if begin < cut < len(raw) and _is_end(raw, begin, cut, language, capitals):
            found.append(cut)
            begin = cut
    return found


def _moved(raw: str, cut: int) -> int:
    """The boundary behind an emoji that belongs to the sentence before, before a mark that opens the one after."""
    if (emoji := _EMOJI.match(raw, cut)) and not _EMOJI.match(raw):
        return emoji.end()
    opened = _OPENED_LAST.search(raw, max(0, cut - 4), cut)
    return opened.start() + 1 if opened else cut


def _by_library(raw: str, language: str) -> Iterator[int]:
    """The library's boundaries; a long block is given piece by piece, each from the last sentence of that before."""
    begin, size = 0, CHUNK_CHARACTERS
    while begin < len(raw):
        chunk = _SURROGATE.sub("\ufffd", raw[begin : begin + size])
        pieces = [len(piece) for piece in sentencex.segment(language or "en", chunk)]
        if begin + len(chunk) < len(raw):
            pieces.pop()  # which may go on
        size = CHUNK_CHARACTERS if pieces else 2 * size
        for length in pieces:
            begin += length
            yield begin


def _missed(raw: str, language: str) -> Iterator[int]:
    """Places the library may have passed over."""
    for match in _DOT_AND_CAPITAL.finditer(raw):
        first = _WORD.match(raw, match.end())
        if first is None or first[1][0].islower():
            continue
        before = raw[max(0, match.start() - 40) : match.start() + 1]
        if (before.endswith(("…", "...")) and first[1] != "I") or _may_end(before, first[1], language):
            yield match.end()
    for bracketed in _BRACKETED.finditer(raw):
        if not raw[: bracketed.start()].strip() or raw[: bracketed.start()].rstrip()[-1] in '.!?…”"»':
            yield bracketed.end()


def _may_end(before: str, following: str, language: str) -> bool:
    """Whether a sentence may end with the abbreviation or initial that `before` ends with."""
    token = _token(before)
    if token in MAY_BE_LAST.get(language, MAY_BE_LAST[""]):
        return True
    is_initial = len(token) == 1
    if is_initial and (words := before.split()[-2:-1]) and words[0].lower() in LETTERED:
        return True
    if token in NEVER_LAST.get(language, NEVER_LAST[""]) or (is_initial and following in PARTS_OF_NAMES):
        return False
    return following in FIRST_WORDS.get(language, frozenset())


def _is_end(raw: str, begin: int, cut: int, language: str, capitals: bool) -> bool:
    """Whether the sentence that begins at `begin` does end at `cut`."""
    left, right = raw[begin:cut].rstrip(), raw[cut : cut + QUOTE_CHARACTERS]
    if not left or _ITEM_MARK.fullmatch(left):
        return False
    if _is_open(left, right, language) or _is_said_on(left, right):
        return False
    if left.rstrip(_CLOSING)[-1:] in (".", "!", "?", "…") and capitals and (small := _SMALL.match(right)):
        if small[1].islower():
            return small[2].isupper()  # iPhone
        if left[-1] in _CLOSING and left.rstrip(_CLOSING)[-1:] != "." and _NAME_SAYS.match(right):
            return False
    return left[-1] != "." or not _goes_on(left, right, language, raw[cut - 1].isspace())


def _goes_on(left: str, right: str, language: str, is_spaced: bool) -> bool:
    """Whether the dot that `left` ends with is one within a sentence."""
    token = _token(left[-40:])
    if token in NEVER_LAST.get(language, NEVER_LAST[""]) or _DOUBLE_NAME.fullmatch(token):
        return True
    if right.lstrip("(")[:1].isdigit() and token in BEFORE_FIGURES.get(language, BEFORE_FIGURES[""]):
        return True
    if not is_spaced and _JOINED_ON.match(right):
        return True
    if left[-2:-1].isspace():  # .NET
        return True
    if _HOUR.search(left[-6:]):
        return _AFTER_HOUR.match(right) is not None
    if language == "ru" and _INITIALS.fullmatch(token):  # А. Б. Иванов
        first = _WORD.match(right)
        return first is not None and first[1] not in FIRST_WORDS[language]
    return language == "de" and (_ORDINAL.search(left[-24:]) is not None or _is_date(left, right))


def _is_date(left: str, right: str) -> bool:
    return _DAY.search(left[-5:]) is not None and _MONTH.match(right) is not None


def _token(before: str) -> str:
    """The abbreviation that a text ends with, in lower case without its last dot and the spaces in it; "" for none."""
    match = _TOKEN.search(before)
    return re.sub(r"\s", "", match[1]).lower() if match else ""


def _is_open(left: str, right: str, language: str) -> bool:
    """Whether `left` ends within a quotation or bracket that is closed further on."""
    pairs = _GERMAN_PAIRS if language == "de" or "„" in left else _PAIRS
    for opening, closing in pairs:
        last = left.rfind(opening)
        if last < 0 or any(mark in left[last + 1 :] for mark in closing):
            continue
        closes = min((at for mark in closing if (at := right.find(mark)) >= 0), default=-1)
        opens_again = right.find(opening)
        if closes >= 0 and not 0 <= opens_again < closes:
            return True
    return _is_straight_open(left, right) or _is_single_open(left, right)


def _is_straight_open(left: str, right: str) -> bool:
    if left.count('"') % 2 == 0 or not (closes := _STRAIGHT_CLOSING.search(right)):
        return False
    opens_again = _STRAIGHT_OPENING.search(right)
    return opens_again is None or opens_again.start() > closes.start()


def _is_single_open(left: str, right: str) -> bool:
    opened = [match.end() for match in _SINGLE_OPENING.finditer(left)]
    if not opened or _SINGLE_CLOSING.search(left, opened[-1]) or not (closes := _SINGLE_CLOSING.search(right)):
        return False
    opens_again = _SINGLE_OPENING.search(right)
    return opens_again is None or opens_again.start() > closes.start()


def _is_said_on(left: str, right: str) -> bool:
    """Whether a Chinese or Japanese sentence goes on after a quotation or a title that holds an end mark."""
    if left[-1] in "》〉』" or (left[-1] == "」" and left[-2:-1] not in "。！？"):
        return bool(right) and (left[-1] != "」" or _PARTICLE.match(right) is not None)
    if left[-1] in "」”" and _PARTICLE.match(right):
        return True
    return left[0] in "“「" and left[-1] in "”」" and _SPEECH.match(right) is not None
