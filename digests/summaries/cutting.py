"""A sentence that is too long, cut where it hurts least. Pure."""

import re

from digests.summaries.boilerplate import is_balanced
from digests.summaries.counting import count
from digests.summaries.languages import SPACELESS

LEAST_SHARE = 0.6  # of the words allowed, that a clause has to have; else the cut is between words

_CLAUSE = re.compile(r"(?<=[,;:])\s|\s(?=[—–(-]\s?)|(?<=[，；：、])")
_GAP = re.compile(r"\s+")
_AFTER = " ,;:，；：、—–-("


def cut(text: str, language: str, *, most: int) -> str:
    """The beginning of a text with at most so many words, and "…": at the end of a clause, else between words.

    Quotations and brackets are left whole where any such beginning has them whole. The text itself if it is short.
    """
    if count(text, language) <= most:
        return text
    clauses = _beginnings(text, [match.start() for match in _CLAUSE.finditer(text)], language, most)
    long_enough = [each for each in clauses if count(each, language) >= LEAST_SHARE * most]
    for found in (long_enough, _beginnings(text, _word_ends(text, language), language, most)):
        whole = [each for each in found if is_balanced(each)]
        if whole:
            return f"{whole[-1]}…"
    found = _beginnings(text, _word_ends(text, language), language, most)
    return f"{found[-1]}…" if found else ""


def _beginnings(text: str, places: list[int], language: str, most: int) -> list[str]:
    """What stands before the places, as long as it is no longer than allowed."""
    found = []
    for place in places:
        beginning = text[:place].rstrip(_AFTER)
        if not beginning:
            continue
        if count(beginning, language) > most:
            break
        found.append(beginning)
    return found


def _word_ends(text: str, language: str) -> list[int]:
    if language in SPACELESS:
        return [at for at in range(1, len(text)) if not (text[at - 1].isascii() and text[at].isascii())]
    return [match.start() for match in _GAP.finditer(text)]
