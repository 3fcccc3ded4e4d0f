"""Where the forms of a name stand in a topic, and how they are written there. Pure."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from digests.labels.casing import LONGEST_ABBREVIATION
from digests.labels.units import Unit, words_of
from feeds.dedup.name_tables import NOT_NAMES, TITLES
from feeds.dedup.title_words import SPACELESS
from reader.learning.stop_words import stop_words

SENTENCE_WEIGHT = 3  # of a form inside a text or a headline that tells case, against one in a headline that does not
LONGEST_NAME = 60  # characters
NEARLY_ALWAYS = 0.7  # share of the places of a name, from which on what follows belongs to it
LEAST_FOLLOWING = 2  # places
MOST_FOLLOWING = 2  # words

_SPACELESS = re.compile(f"[{SPACELESS}]")
_NEXT = re.compile(r"(?:['’]s)? ([^\W\d_][\w-]*)(?!\w)")


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
        longer = _quieter(best) + self._what_follows(form)
        return longer if len(longer) <= LONGEST_NAME else ""

    def _places(self, form: str) -> Iterator[tuple[str, Unit, int]]:
        """Each place of the form: as it is written there, the unit, and where it ends."""
        pattern = _pattern(form)
        for unit in self.by_form.get(form, ()):
            yield from ((match[0], unit, match.end()) for match in pattern.finditer(unit.text))

    def _what_follows(self, form: str) -> str:
        """The words in capitals, at most two, that follow the form nearly everywhere, with the space before them."""
        following: list[str] = []
        places = [(unit, end) for _, unit, end in self._places(form) if unit.tells_case]
        for _ in range(MOST_FOLLOWING):
            matches = [(unit, _NEXT.match(unit.text, end)) for unit, end in places]
            counts = Counter(match[0] for unit, match in matches if match and _may_follow(match[1]))
            text, n = max(counts.items(), key=lambda item: item[1], default=("", 0))
            if n < max(LEAST_FOLLOWING, NEARLY_ALWAYS * len(places)):
                break
            following.append(text)
            places = [(unit, match.end()) for unit, match in matches if match and match[0] == text]
        return "".join(following)

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
        return re.compile(rf"\b{re.escape(words[0].upper())}\b")
    joined = r"[^\w]{1,3}".join(re.escape(word).replace("'", "['’]").replace(r"\-", "[-‐‑]") for word in words)
    return re.compile(rf"(?<!\w){joined}(?!\w)", re.IGNORECASE)


def _may_follow(word: str) -> bool:
    """Whether a word may be the rest of a name: in capitals, and no office or agency."""
    low = word.lower()
    return word[0].isupper() and low not in NOT_NAMES and low not in TITLES and low not in stop_words("en")


def _weight(written: str, unit: Unit) -> int:
    return SENTENCE_WEIGHT if unit.tells_case and not _is_shouted(written) else 1


def _is_shouted(written: str) -> bool:
    return written.isupper() and any(len(word) > LONGEST_ABBREVIATION for word in written.split())


def _quieter(written: str) -> str:
    """The name with its first letters alone in capitals where it was shouted."""
    if not _is_shouted(written):
        return written
    return " ".join(word[:1] + word[1:].lower() for word in written.split())
