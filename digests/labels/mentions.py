"""Where the forms of a name stand in a topic, and how they are written there. Pure."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from digests.labels.casing import is_shouted
from digests.labels.units import Unit, words_of
from digests.labels.word_tables import POSSESSIVE_NAMES
from feeds.dedup.name_tables import NOT_NAMES, TITLES
from feeds.dedup.title_words import SPACELESS
from reader.learning.stop_words import stop_words

SENTENCE_WEIGHT = 3  # of a form inside a text or a headline that tells case, against one in a headline that does not
LONGEST_NAME = 60  # characters
NEARLY_ALWAYS = 0.7  # share of the places of a name, from which on what follows belongs to it
LEAST_FOLLOWING = 2  # places
MOST_FOLLOWING = 2  # words

_SPACELESS = re.compile(f"[{SPACELESS}]")
_IN_WORD = f"[^\\W{SPACELESS}]"  # a letter of a script with spaces
_NEXT = re.compile(r"(?:['’]s)?(?: of(?: the)?)? ([^\W\d_][\w-]*)(?!\w)")
_POSSESSIVE = re.compile(r"['’]s(?!\w)")
_BEFORE = re.compile(r"(?<![\w'’])([^\W\d_][\w-]+)(?:['’]s)? (?:of (?:the )?)?$")


class Mentions:
    """The units that each form of a name, in lower case, stands in."""

    def __init__(self, forms: Iterable[str], units: Sequence[Unit]) -> None:
        self.by_form: dict[str, list[Unit]] = {}
        for form in forms:
            matches = _matcher(form)
            if matches and (found := [unit for unit in units if matches(unit)]):
                self.by_form[form] = found
        every = {id(unit): unit for found in self.by_form.values() for unit in found}
        self.n_units = len(every)
        self.members = {unit.member for unit in every.values()}
        self.in_titles = {unit.member for unit in every.values() if unit.is_title}

    def members_with(self, form: str) -> set[int]:
        return {unit.member for unit in self.by_form.get(form, ())}

    def titles_with(self, form: str) -> int:
        return sum(unit.is_title for unit in self.by_form.get(form, ()))

    def written(self, form: str) -> str:
        """The form as it is written most often, with what nearly always follows it.

        "" when that is in lower case: then it names nothing.
        """
        found: Counter[str] = Counter()
        for text, unit, _ in self._places(form):
            found[text] += _weight(text, unit)
        best = max(found, key=lambda text: found[text], default="")
        if best.islower():
            return ""
        longer = self._what_precedes(form) + _quieter(best) + (self._what_follows(form) or self._ending(form))
        return longer if len(longer) <= LONGEST_NAME else ""

    def _places(self, form: str, *, at_end: bool = True) -> Iterator[tuple[str, Unit, int]]:
        """Each place of the form: as it is written there, the unit, and where it ends, or begins."""
        pattern = _pattern(form)
        for unit in self.by_form.get(form, ()):
            for match in pattern.finditer(unit.text):
                yield match[0], unit, match.end() if at_end else match.start()

    def _what_follows(self, form: str) -> str:
        """The words in capitals, at most two, that follow the form nearly everywhere, with an "of" before them."""
        following = ""
        places = [(unit, end) for _, unit, end in self._places(form)]
        for _ in range(MOST_FOLLOWING):
            matches = [(unit, match) for unit, end in places if (match := _NEXT.match(unit.text, end))]
            text = _nearly_always([(unit, match[0]) for unit, match in matches if _may_follow(match[1])], len(places))
            if not text:
                break
            following += text
            places = [(unit, match.end()) for unit, match in matches if match[0].lower() == text.lower()]
        return following

    def _ending(self, form: str) -> str:
        """The possessive of a name that is one by itself, like McDonald's, where it is written with it."""
        if not POSSESSIVE_NAMES.intersection(words_of(form)[-1:]):
            return ""
        endings = [match[0] for _, unit, end in self._places(form) if (match := _POSSESSIVE.match(unit.text, end))]
        return endings[0] if endings else ""

    def _what_precedes(self, form: str) -> str:
        """The word in capitals that precedes the form nearly everywhere, with an "of" between, and the space."""
        places = [(unit, at) for _, unit, at in self._places(form, at_end=False)]
        matches = [(unit, match) for unit, at in places if (match := _BEFORE.search(unit.text, 0, at))]
        return _nearly_always([(unit, match[0]) for unit, match in matches if _may_follow(match[1])], len(places))

    def place(self, form: str) -> int:
        """Where the form begins in the first title that has it."""
        first = next((unit for unit in self.by_form.get(form, ()) if unit.is_title), None)
        match = _pattern(form).search(first.text) if first else None
        return match.start() if match else 0


def _matcher(form: str) -> Callable[[Unit], bool] | None:
    if _SPACELESS.search(form):
        return lambda unit: form in unit.key
    words = words_of(form)
    if not words:
        return None
    if len(words) == 1 and (words[0] in stop_words("en") or len(words[0]) == 1):
        capitals = words[0].upper()  # "US" is not "us"
        return lambda unit: capitals in unit.capitals
    key = f" {' '.join(words)} "
    return lambda unit: key in unit.key


def _pattern(form: str) -> re.Pattern[str]:
    if _SPACELESS.search(form):
        return re.compile(re.escape(form), re.IGNORECASE)
    words = words_of(form)
    if len(words) == 1 and words[0] in stop_words("en"):
        return re.compile(f"(?<!{_IN_WORD}){re.escape(words[0].upper())}(?!{_IN_WORD})")
    written = (re.escape(word).replace("'", "['’]").replace(r"\-", "[-‐‑]") for word in words)
    joined = r"[\s.,&+/'’‐‑–-]{1,3}".join(written)
    return re.compile(f"(?<!{_IN_WORD}){joined}(?!{_IN_WORD})", re.IGNORECASE)


def _nearly_always(found: Sequence[tuple[Unit, str]], n_places: int) -> str:
    """What was found at nearly all of so many places, one of which tells case, as it stands there; else ""."""
    counts = Counter(text.lower() for _, text in found)
    low, n = max(counts.items(), key=lambda item: item[1], default=("", 0))
    if n < max(LEAST_FOLLOWING, NEARLY_ALWAYS * n_places):
        return ""
    return next((text for unit, text in found if text.lower() == low and unit.tells_case), "")


def _may_follow(word: str) -> bool:
    """Whether a word may be the rest of a name: in capitals, and no office or agency."""
    low = word.lower()
    return word[0].isupper() and low not in NOT_NAMES and low not in TITLES and low not in stop_words("en")


def _weight(written: str, unit: Unit) -> int:
    return SENTENCE_WEIGHT if unit.tells_case and not _is_shouted(written) else 1


def _is_shouted(written: str) -> bool:
    return written.isupper() and any(map(is_shouted, written.split()))


def _quieter(written: str) -> str:
    """The name with its first letters alone in capitals where it was shouted."""
    if not _is_shouted(written):
        return written
    return " ".join(word[:1] + word[1:].lower() for word in written.split())
