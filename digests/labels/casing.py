"""In which case a word stands in a label: as inside the sentences of the texts. Pure.

Theory. A capital inside a sentence marks a name, an abbreviation, a German noun; a capital at the beginning of one, in
a headline In Title Case or IN CAPITALS, marks nothing. So what stands inside sentences decides, by frequency. A word
that never does is in lower case, unless it belongs to a name that was recognized, is written like none but a name is
("iPhone"), is short and in capitals, or is German, where what a headline begins with is a noun more often than not.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence

from digests.labels.units import Unit

LONGEST_ABBREVIATION = 5  # letters; longer words in capitals are shouting


class Casing:
    """How words are written; `names` are words, in lower case, of names in the topic."""

    def __init__(self, units: Sequence[Unit], names: Collection[str], language: str) -> None:
        self._inside: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._elsewhere: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._names = names
        self._has_nouns_in_capitals = language == "de"
        for unit in units:
            for word in unit.words:
                forms = self._inside if unit.tells_case and not word.begins else self._elsewhere
                if word.text != word.low and word.text.isupper() and len(word.text) > LONGEST_ABBREVIATION:
                    continue
                forms[word.low][word.text] += 1

    def cased(self, low: str) -> str:
        """A word in lower case as it is written."""
        inside = self._inside.get(low)
        if inside:
            return _commonest(inside)
        elsewhere = self._elsewhere.get(low)
        if not elsewhere:
            return low[:1].upper() + low[1:] if low in self._names else low
        form = _commonest(elsewhere)
        is_marked = not (form.istitle() or form.islower()) and len(form) > 1
        return form if is_marked or low in self._names or self._has_nouns_in_capitals else low

    def is_common(self, low: str) -> bool:
        """Whether the word stands inside sentences in lower case more often than not, so that it names nothing."""
        inside = self._inside.get(low, Counter[str]())
        return 2 * inside[low] > inside.total()


def _commonest(forms: Counter[str]) -> str:
    """The form seen most often; of equals the first seen."""
    return max(forms, key=lambda form: forms[form])
