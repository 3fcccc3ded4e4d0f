"""In which case a word stands in a label: as inside the sentences of the texts. Pure.

Theory. A capital inside a sentence marks a name, an abbreviation, a German noun; a capital at the beginning of one, in
a headline In Title Case or IN CAPITALS, marks nothing. So what stands inside sentences decides, by frequency. A word
that never does is in lower case, unless it belongs to a name that was recognized, is written like none but a name is
("iPhone"), is short and in capitals, or is German, where what a headline begins with is a noun more often than not.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet

from digests.labels.units import Unit

LONGEST_ABBREVIATION = 5  # letters; longer words in capitals are shouting


class Casing:
    """How words are written in a topic; `names` are words, in lower case, of names there. What the topic does not
    show the other topics of the digest may: its `window`.
    """

    def __init__(self, units: Sequence[Unit], names: AbstractSet[str], language: str) -> None:
        self.language = language
        self.window: Casing | None = None
        self._names = names
        self._inside: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._elsewhere: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for unit in units:
            for word in () if unit.text.isupper() else unit.words:
                if is_shouted(word.text):
                    continue
                forms = self._inside if unit.tells_case and not word.begins else self._elsewhere
                forms[word.low][word.text] += 1

    @classmethod
    def joined(cls, several: Iterable["Casing"], language: str) -> "Casing":
        """What topics in one language show together."""
        whole = cls((), frozenset(), language)
        for each in several:
            whole._names |= each._names
            for low, forms in each._inside.items():
                whole._inside[low].update(forms)
        return whole

    def cased(self, low: str) -> str:
        """A word in lower case as it is written."""
        if inside := self._inside_forms(low):
            return _commonest(inside)
        is_name = low in self._names or (self.window is not None and low in self.window._names)
        elsewhere = self._elsewhere.get(low)
        if not elsewhere:
            return low[:1].upper() + low[1:] if is_name else low
        form = _commonest(elsewhere)
        is_marked = any(part[1:] != part[1:].lower() for part in form.split("-"))
        return form if is_marked or is_name or self.language == "de" else low

    def is_common(self, low: str) -> bool:
        """Whether the word stands inside sentences in lower case more often than not, so that it names nothing."""
        inside = self._inside_forms(low)
        return 2 * inside[low] > inside.total()

    def _inside_forms(self, low: str) -> Counter[str]:
        forms = self._inside.get(low)
        if not forms and self.window is not None:
            forms = self.window._inside.get(low)
        return forms or Counter()


def is_shouted(word: str) -> bool:
    """Whether a word is in capitals and longer than abbreviations are."""
    return len(word) > LONGEST_ABBREVIATION and word.isupper() and word.isalpha()


def _commonest(forms: Counter[str]) -> str:
    """The form seen most often; of equals the first seen."""
    return max(forms, key=lambda form: forms[form])
