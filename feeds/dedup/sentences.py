"""The first long sentences of a text, folded so that copies of one sentence are equal. Pure.

Theory. Reprints keep the lead: editors cut from the end, and their additions (a photo credit, a note on the source, a
subheading) are mostly short. So the first three sentences of more than ten words identify a reprint that was cut to a
fifth, where measures of the whole text find little in common (best-practices.md, deduplication).

A sentence ends at `.`, `!`, `?` (with closing quotes and brackets) before white space, at the marks of other scripts
anywhere, and at the end of a line. It doesn't end after an abbreviation or initial (`Mr.`, `U.S.`, `e.g.`, `J.`), in a
number (`3.5`), or before a word in lower case. Correct grammar doesn't matter as long as copies are split alike: a
sentence that ends with "p.m." is joined with the next one in every copy.

Thai, Lao and similar scripts don't mark the end of sentences; there each line counts as one.
"""

import re
import unicodedata
from collections.abc import Iterator
from itertools import islice

from feeds.normalizing.text import words

N_SENTENCES = 3  # best-practices.md, deduplication; SPEC §6
MORE_THAN_WORDS = 10  # likewise
READ_CHARACTERS = 20_000  # a text without a long sentence up to here is a list or a table

_CLOSING = "\"'”’»)\\]"
_MARKS, _WIDE_MARKS, _LINE_ENDS = ".!?؟۔।", "。！？｡", "\\n\\r\\u2028\\u2029"
# From the start of a run of marks and without backtracking: a text may consist of marks only. Begins with one set of
# characters, for which the text is searched many times as fast as for alternatives.
_END = re.compile(
    rf"[{_MARKS}{_WIDE_MARKS}{_LINE_ENDS}](?:"
    rf"(?<=[{_MARKS}])(?<![{_MARKS}]{{2}})[{_MARKS}]*+[{_CLOSING}]*+(?=\s|$)|"
    rf"(?<=[{_WIDE_MARKS}])[{_WIDE_MARKS}]*|(?<=[{_LINE_ENDS}])[{_LINE_ENDS}]*)"
)
_OPENING = "\"'“‘«„([¿¡"
_LONGEST_ABBREVIATION = 24  # characters, with opening quotes
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
    """The first `n` sentences of more than 10 words, as words joined by spaces; () if there are none.

    Words are those of `feeds.normalizing.text.words`: lower case, no punctuation, character pairs in scripts without
    spaces. Only the first 20,000 characters are read.
    """
    folded_words = (words(folded(sentence), language) for sentence in _sentences(text[:READ_CHARACTERS]))
    return tuple(islice((" ".join(sentence) for sentence in folded_words if len(sentence) > MORE_THAN_WORDS), n))


def folded(text: str) -> str:
    """The text without typography: full-width and composed characters (NFKC), straight apostrophes."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text).replace("’", "'")


def _sentences(text: str) -> Iterator[str]:
    begin = 0
    for end in _END.finditer(text):
        if _is_end(text, begin, end):
            yield text[begin : end.end()]
            begin = end.end()
    yield text[begin:]


def _is_end(text: str, begin: int, end: re.Match[str]) -> bool:
    """Whether the mark ends the sentence that starts at `begin`."""
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
    """Whether a lower-case word without its last dot is a known abbreviation, an initial, or has dots inside."""
    if token in _ABBREVIATION_SET:
        return True
    if len(token) > 1 and "." not in token and "-" not in token:  # most words
        return False
    pieces = token.replace("-", "").split(".")
    return all(piece.isalpha() for piece in pieces) and max(map(len, pieces)) <= (2 if len(pieces) > 1 else 1)
