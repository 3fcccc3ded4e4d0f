"""The first long sentences of a text, folded so that copies of one sentence are equal. Pure.

Theory. Whoever reprints a report keeps its lead: editors cut from the end, and what they add (a picture credit, a note
on the source, a subheading) is mostly short. So the first three sentences of more than ten words tell a reprint that
was cut to a fifth, where measures over the whole text see little in common (best-practices.md, deduplication).

A sentence ends at `.`, `!`, `?` (with closing quotes and brackets) before white space, at the marks of other scripts
anywhere, and at the end of a line. It does not end after an abbreviation or initial (`Mr.`, `U.S.`, `e.g.`, `J.`),
within a number (`3.5`), or where the next word is in lower case (so who writes no capitals has a sentence a line). The
aim is not grammar but that copies are split alike: that a sentence which does end with "p.m." is joined with the next
does no harm, for it is so in every copy.

Thai, Lao and the like mark no end of sentences; there a line is one.
"""

import re
import unicodedata
from collections.abc import Iterator
from itertools import islice

from feeds.normalizing.text import words

N_SENTENCES = 3  # best-practices.md, deduplication; SPEC §6
MORE_THAN_WORDS = 10  # likewise
READ_CHARACTERS = 20_000  # a text without one long sentence in so many characters is a list or a table

_CLOSING = "\"'”’»)\\]"
# Only from where a row of marks begins, and never back: a text may be nothing but marks.
_END = re.compile(rf"(?<![.!?؟۔।])[.!?؟۔।]++[{_CLOSING}]*+(?=\s|$)|[。！？｡]+|[\n\r\u2028\u2029]+")
_OPENING = "\"'“‘«„([¿¡"
_LONGEST_ABBREVIATION = 24  # characters looked back, with room for opening quotes
_ABBREVIATIONS = (
    "mr mrs ms mx dr prof rev hon st jr sr gov sen rep pres gen col maj capt cmdr lt sgt cpl pvt adm supt insp "
    "inc ltd co corp llc bros dept univ assn est approx ca vs v etc al cf viz resp ave blvd rd mt ft hwy "
    "jan feb mar apr jun jul aug sep sept oct nov dec "
    "bzw usw vgl nr evtl inkl ggf sog geb hrsg mme mlle mgr sra srta dra avda núm pág "
    "ул им гг руб тыс млн млрд"
)
_BEFORE_NUMBERS = "no nos art p pp fig figs vol sec ch para n° ст рис стр"
_ABBREVIATION_SET, _BEFORE_NUMBER_SET = frozenset(_ABBREVIATIONS.split()), frozenset(_BEFORE_NUMBERS.split())


def first_sentences(text: str, *, language: str = "", n: int = N_SENTENCES) -> tuple[str, ...]:
    """The first `n` sentences of more than 10 words, each as its words with single spaces; () when there is none.

    Words are those of `feeds.normalizing.text.words`: lower case, no punctuation, character pairs in scripts without
    spaces. Only the first 20,000 characters are read.
    """
    folded_words = (words(folded(sentence), language) for sentence in _sentences(text[:READ_CHARACTERS]))
    return tuple(islice((" ".join(found) for found in folded_words if len(found) > MORE_THAN_WORDS), n))


def folded(text: str) -> str:
    """The text with typography undone: full-width and composed characters (NFKC), curly apostrophes straight."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text).replace("’", "'")


def _sentences(text: str) -> Iterator[str]:
    begin = 0
    for end in _END.finditer(text):
        if _is_end(text, begin, end):
            yield text[begin : end.end()]
            begin = end.end()
    yield text[begin:]


def _is_end(text: str, begin: int, end: re.Match[str]) -> bool:
    """Whether the mark found ends the sentence that begins at `begin`."""
    if end[0][0] not in ".!?":
        return True
    following = text[end.end() : end.end() + 3].lstrip(" \t\u00a0")[:1]
    if following.islower():
        return False
    if end[0].count(".") != 1:
        return True
    before = text[max(begin, end.start() - _LONGEST_ABBREVIATION) : end.start()].split()
    token = before[-1].lstrip(_OPENING).lower() if before else ""
    return not (_is_abbreviation(token) or (token in _BEFORE_NUMBER_SET and following.isdigit()))


def _is_abbreviation(token: str) -> bool:
    """Whether a word in lower case without its last dot is a known abbreviation, an initial, or has dots within."""
    if token in _ABBREVIATION_SET:
        return True
    pieces = token.replace("-", "").split(".")
    return all(piece.isalpha() for piece in pieces) and max(map(len, pieces)) <= (2 if len(pieces) > 1 else 1)
