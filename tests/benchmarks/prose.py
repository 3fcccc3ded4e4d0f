"""Generated articles: titles and bodies for the benchmarks, reproducible from a seed. Pure.

What comparing costs depends on how often words occur, so that is what is like the real thing here. Words come in the
order of the project's own table of common words, then 30,000 invented ones, with frequencies by Zipf's law; a tenth of
all words are none that the table has. Headlines have fewer of the commonest. News has subjects: four headlines in ten
have a name from the 400 of their week, the first of which stands in 2 headlines of 100, and their text begins with it.
Bodies are put together from a fixed pool of phrases, which is fast, and two of them share no more than a phrase.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from rssmanager.env import PROJECT

N_RARE = 30_000  # words that are not in the table
N_PHRASES = 40_000
N_NAMES_A_WEEK = 400
NAMED = 0.4  # share of titles with a name of the week
TITLE_WORDS = (6, 14)
_HEAD, _TITLE_HEAD, _NAME_HEAD = 3, 20, 5  # added to ranks: the commonest are rarer than Zipf's plain law says
_TABLE = PROJECT / "feeds" / "dedup" / "background.tsv"
_ONSETS = (
    "b",
    "br",
    "ch",
    "d",
    "dr",
    "f",
    "g",
    "gl",
    "h",
    "k",
    "kr",
    "l",
    "m",
    "n",
    "p",
    "r",
    "s",
    "st",
    "t",
    "tr",
    "v",
)
_VOWELS = ("a", "e", "i", "o", "u", "ai", "ea", "ou")
_CODAS = ("", "", "", "l", "n", "r", "s", "th", "nd", "ck")


@dataclass(frozen=True, slots=True)
class Story:
    """What an article says, and the name it is about, "" for none."""

    title: str
    sentences: tuple[str, ...]
    name: str

    @property
    def text(self) -> str:
        return " ".join(self.sentences)


class Prose:
    """A source of articles, each another; `seed` decides which."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._words = _vocabulary()
        self._weights = _zipf(len(self._words), _HEAD)
        self._title_weights = _zipf(len(self._words), _TITLE_HEAD)
        self._name_weights = _zipf(N_NAMES_A_WEEK, _NAME_HEAD)
        self._names: dict[int, list[str]] = {}
        self._phrases = [" ".join(self.words(self._random.randint(6, 10))) for _ in range(N_PHRASES)]

    def words(self, n: int) -> list[str]:
        """Words as texts have them."""
        return self._random.choices(self._words, cum_weights=self._weights, k=n)

    def story(self, *, week: int, n_words: int) -> Story:
        """An article of a week; its body has about `n_words`, ten fewer or more."""
        name = ""
        if self._random.random() < NAMED:
            name = self._random.choices(self._names_of(week), cum_weights=self._name_weights)[0]
        return Story(self._title(name), self._sentences(name, n_words), name)

    def _title(self, name: str) -> str:
        found = self._random.choices(
            self._words, cum_weights=self._title_weights, k=self._random.randint(*TITLE_WORDS) - len(name.split())
        )
        if name:
            found.insert(self._random.randrange(3), name)
        found[0] = found[0][0].upper() + found[0][1:]
        return " ".join(found)

    def _sentences(self, name: str, n_words: int) -> tuple[str, ...]:
        phrases = self._random.sample(self._phrases, max(2, n_words // 8))
        if name:
            phrases[0] = f"{name} {phrases[0]}"
        pairs = zip(phrases[::2], phrases[1::2], strict=False)
        return tuple(f"{first[0].upper()}{first[1:]} {second}." for first, second in pairs)

    def _names_of(self, week: int) -> Sequence[str]:
        if week not in self._names:
            source = random.Random(week)
            self._names[week] = [f"{_invented(source)} {_invented(source)}".title() for _ in range(N_NAMES_A_WEEK)]
        return self._names[week]


def _vocabulary() -> list[str]:
    """The table's words from common to rare, then invented ones."""
    counted = [line.rpartition("\t") for line in _TABLE.read_text(encoding="utf-8").splitlines()[1:]]
    known = sorted((-int(n), word) for word, _, n in counted if word.isascii() and word.isalpha())
    source = random.Random(0)
    rare = {_invented(source) + _invented(source): None for _ in range(N_RARE)}
    return [word for _, word in known] + list(rare)


def _invented(source: random.Random) -> str:
    syllables = (
        source.choice(_ONSETS) + source.choice(_VOWELS) + source.choice(_CODAS) for _ in range(source.randint(1, 2))
    )
    return "".join(syllables)


def _zipf(n: int, head: int) -> list[float]:
    return list(accumulate(1 / (rank + head) for rank in range(n)))
