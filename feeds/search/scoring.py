"""How well a text fits what was looked for, from its words. Pure.

Theory. The rarity of words, which BM25 weighs by, says little here: what is scored matches the query already. What
tells texts apart is where a word stands and how often for their length. A word of the title counts most, more so in a
short one; in the text, each further time counts less and long texts must say it more often (BM25's saturation). Words
that stand in a row as they were asked count once more. Other forms of a word count a little less than the word itself,
so that who looks for "university" meets "universe" last.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from feeds.search.match import Phrase

TITLE, AUTHOR, BODY = 2.0, 1.0, 1.0
OTHER_FORM = 0.6
SATURATION = 1.2  # of how often; BM25's k1
SHARE_OF_LENGTH = 0.5  # BM25's b
USUAL_LENGTH = 2000  # characters of the words of a text
USUAL_TITLE = 60  # characters


@dataclass(frozen=True, slots=True)
class _Needle:
    """Words as they stand among others with spaces around, where, and what finding them is worth."""

    words: str
    field: str
    worth: float


class Scorer:
    """Phrases made ready, to be looked for in any number of texts."""

    def __init__(self, phrases: Sequence[Phrase]) -> None:
        self._phrases = [list(_needles(each)) for each in phrases]
        plain = [each for each in phrases if not each.field and not each.is_prefix]
        if len(plain) > 1:
            self._phrases.append([_Needle(f" {' '.join(word for each in plain for word in each.words)} ", "", 1.0)])

    def score(self, title: str, author: str, body: str) -> float:
        """The fit of a text, given as its indexed words with spaces between; 0.0 where nothing is found."""
        title, author, body = f" {title} ", f" {author} ", f" {body} "
        usual = SATURATION * (1 - SHARE_OF_LENGTH + SHARE_OF_LENGTH * len(body) / USUAL_LENGTH)
        total = 0.0
        for needles in self._phrases:
            in_title = max(
                (each.worth for each in needles if each.field != "author" and each.words in title), default=0
            )
            in_author = max(
                (each.worth for each in needles if each.field != "title" and each.words in author), default=0
            )
            often = sum(each.worth * body.count(each.words) for each in needles if not each.field)
            total += TITLE * in_title * (0.7 + 0.3 * USUAL_TITLE / (USUAL_TITLE + len(title)))
            total += AUTHOR * in_author + BODY * often / (often + usual)
        return total


def _needles(phrase: Phrase) -> Iterator[_Needle]:
    end = "" if phrase.is_prefix else " "
    yield _Needle(f" {' '.join(phrase.words)}{end}", phrase.field, 1.0)
    for other in phrase.others:
        yield _Needle(f" {other} ", phrase.field, OTHER_FORM)
