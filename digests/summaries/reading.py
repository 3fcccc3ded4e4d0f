"""The sentences of an article that may stand in a summary, as they may be shown. Pure.

Taken away are what is no sentence of the article's own (`boilerplate`), the middle of quotations, the dateline before a
block and the credit behind it, and a title that runs into the first sentence.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from digests.summaries.blocks import blocks
from digests.summaries.boilerplate import MOST_CAPITALS, is_cut_off, is_prose, is_question
from digests.summaries.datelines import dateline_length, without_credit
from digests.summaries.languages import SPACELESS
from digests.summaries.quotations import within_quotation
from digests.summaries.sentences import Sentence, sentences_of
from feeds.normalizing.text import count_words, words

READ_SENTENCES = 60  # of a text, boilerplate included
SAME_TITLE = 0.75  # Jaccard of words from which on a sentence repeats the title
FIRST_BLOCKS = 3  # in which a place with a colon is where the article was written
_FEW_HAN = 4  # characters that a sentence of a Chinese or Japanese text has at least
_LEAST_TITLE = 4  # words of a title that may stand before the first sentence
_LEAST_LEFT = 20  # characters that have to follow it
_CUT_ENDS = ".…⋯[( ])"  # what a teaser breaks off with
_TOKEN = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence as it may be shown: the text's number `number`; `before` is the one before it, "" for the first."""

    text: str
    number: int
    before: str
    repeats_title: bool


def lines_of(title: str, text: str, language: str) -> list[Line]:
    """The sentences of a text that are no boilerplate, each without dateline and credit."""
    sentences = list(_first_sentences(title, text, language))
    shouted = _is_shouted(text)
    lower = 2 * sum(each.text[0].islower() for each in sentences) > len(sentences)  # the writer uses no capitals
    of_title = frozenset(words(title, language))
    quoted = within_quotation(sentences)
    found: list[Line] = []
    before = ""
    for number, (sentence, is_quoted) in enumerate(zip(sentences, quoted, strict=True)):
        line = without_credit(sentence.text)
        line = f"{line.rstrip(_CUT_ENDS)}…" if is_cut_off(line) else line
        is_begun = lower or not (line[0].islower() and line[1:2].islower())
        if not is_quoted and is_begun and _is_usable(line, language, shouted=shouted):
            found.append(Line(line, number, before, _repeats(line, of_title, language)))
        before = line
    return found


def _first_sentences(title: str, text: str, language: str) -> Iterator[Sentence]:
    n_left = READ_SENTENCES
    for n, block in enumerate(blocks(text)):
        skip = _title_length(title, block.raw) if n == 0 else 0
        skip += dateline_length(block.raw[skip:], is_first=n < FIRST_BLOCKS)
        for sentence in sentences_of(block, n, language, skip=skip)[:n_left]:
            n_left -= 1
            yield sentence
        if n_left <= 0:
            return


def _title_length(title: str, raw: str) -> int:
    """How many characters of a text's first block are its title, run together with the first sentence; 0 for none."""
    tokens = _TOKEN.findall(title)
    if len(tokens) < _LEAST_TITLE:
        return 0
    match = re.match(r"\W*" + r"\W+".join(map(re.escape, tokens)) + r"[^\w\s.!?…。！？\"“«„‘(]*\s+(?![a-zа-яß-ÿ])", raw)
    return match.end() if match and len(raw) - match.end() >= _LEAST_LEFT else 0


def _is_usable(line: str, language: str, *, shouted: bool) -> bool:
    if language in SPACELESS and count_words(line)[1] < _FEW_HAN:
        return False
    return is_prose(line, language, shouted=shouted) and not is_question(line)


def _is_shouted(text: str) -> bool:
    start = text[:2000]
    return sum(map(str.isupper, start)) > MOST_CAPITALS * sum(map(str.isalpha, start))


def _repeats(line: str, of_title: frozenset[str], language: str) -> bool:
    """Whether a sentence has the words of the title, or some of them and no others."""
    of_line = frozenset(words(line, language))
    shared = len(of_line & of_title)
    return shared > 0 and (shared >= SAME_TITLE * len(of_line | of_title) or shared == len(of_line))
