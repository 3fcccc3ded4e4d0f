"""How well a text matches a search, from its words, for SQLite. Pure.

Theory. The rarity of words, which BM25 weighs by, says little here: every text to be scored matches already. What
differs is where a word is, and how often for the length of the text. A word in the title counts most, more in a short
one; in the text, each repetition counts less, and a long text needs more of them (BM25's saturation). Words next to
each other in the order of the query count once more. Other forms of a word count a little less than the word itself,
so that a search for "university" ranks "universe" last.
"""

from collections.abc import Iterator, Sequence

from feeds.search.query_tree import Phrase

TITLE, AUTHOR, BODY = 2.0, 1.0, 1.0
OTHER_FORM = 0.6
SATURATION = 1.2  # BM25's k1
SHARE_OF_LENGTH = 0.5  # BM25's b
USUAL_LENGTH = 2000  # characters of the words of a text
USUAL_TITLE = 60  # characters

Needle = tuple[str, str, float]  # words with spaces around, the field or "" for any, and what a match is worth


class Scorer:
    """Scores any number of texts for these phrases."""

    def __init__(self, phrases: Sequence[Phrase]) -> None:
        self._phrases = [list(_needles(phrase)) for phrase in phrases]
        plain = [phrase for phrase in phrases if not phrase.field and not phrase.is_prefix]
        if len(plain) > 1:
            self._phrases.append([(f" {' '.join(word for phrase in plain for word in phrase.words)} ", "", 1.0)])

    def score(self, title: str, author: str, body: str) -> float:
        """The score of a text, given as its indexed words separated by spaces; 0.0 without a match."""
        title, author, body = f" {title} ", f" {author} ", f" {body} "
        usual = SATURATION * (1 - SHARE_OF_LENGTH + SHARE_OF_LENGTH * len(body) / USUAL_LENGTH)
        total = 0.0
        for needles in self._phrases:
            in_title = max((worth for text, field, worth in needles if field != "author" and text in title), default=0)
            in_author = max((worth for text, field, worth in needles if field != "title" and text in author), default=0)
            often = sum(worth * body.count(text) for text, field, worth in needles if not field)
            total += TITLE * in_title * (0.7 + 0.3 * USUAL_TITLE / (USUAL_TITLE + len(title)))
            total += AUTHOR * in_author + BODY * often / (often + usual)
        return total


def _needles(phrase: Phrase) -> Iterator[Needle]:
    yield f" {' '.join(phrase.words)}{'' if phrase.is_prefix else ' '}", phrase.field, 1.0
    for other in phrase.others:
        yield f" {other} ", phrase.field, OTHER_FORM
