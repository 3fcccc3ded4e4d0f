"""The names in articles and their overlap: layer 5 of deduplication. Pure.

Theory. Two reports of one event may share no sentence, but they name the same people, organizations and places. The
overlap coefficient |A ∩ B| / min(|A|, |B|) fits better than Jaccard, because a brief report has only a few of the names
in a long one. Short texts may share only one country, so a minimum number of shared names is required.

Before comparing, the names of both articles together are mapped to keys:

1. a known place or organization has one spelling ("US", "America", "Americans", "США");
2. Cyrillic words lose their case endings ("Путина", "Путиным"); initials and "Jr" are removed;
3. a single word that ends exactly one full name of a person or organization becomes that name ("Trump" → "Donald
   Trump", "Saints" → "New Orleans Saints"), or else one that begins exactly one full name of a person ("Greta"), unless
   it is a known place: Sudan is not South Sudan. With both Donald and Melania Trump present, "Trump" becomes neither.

Kinds of names are ignored in comparisons, because recognizers get kinds wrong much more often than names. Known false
positives: similar events (two quakes in one province on one day). Known false negatives: inflected names in languages
not written in Cyrillic; abbreviations missing from the tables. Sources: SPEC §6 layer 5; strategy.md step 3.
"""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, Self

from feeds.dedup.entity_tables import (
    AGENCIES,
    COUNTRIES,
    KNOWN_ORGANIZATIONS,
    LEGAL_FORMS,
    LEGAL_FORMS_BEFORE,
    NOT_NAMES,
    SUFFIXES,
    TITLES,
)

MAX_WORDS = 6  # of a name; longer ones are misrecognized headlines
CACHED_ARTICLES = 2**12  # with cached words, since each is compared with many: at most 8 MB

Kind = Literal["people", "organizations", "places"]

_INITIALISMS = frozenset("eu un us uk uae nato imf ecb who fbi cia bbc ibm nba nfl fifa uefa opec wto nasa esa".split())  # noqa: SIM905
_SPELLING = str.maketrans("’‘ʼ`–—‑", "''''---")
_INITIALS = re.compile(r"\b(\w)\.\s?(?=\w\b(?!'))")  # "u. s." as "us."
_DOT = re.compile(r"\.(?=\s|$)")
_POSSESSIVE = re.compile(r"\s?'s$|(?<=s)'$")
_AROUND = " .,;:!?\"'()[]{}<>«»„“”-·*…&/|_"
_AFTER = LEGAL_FORMS | {""}  # a lone "&"
_BEFORE = TITLES | LEGAL_FORMS_BEFORE | {"the"}
_ARABIC_ARTICLE = re.compile(r"^[ae]l-(?=\w{3})")
_FEMININE = re.compile("(?<=[а-яё]{2})и(?:я|и|ю|ей|ею)$")  # "России" as "Россия", or Germany would be Герман
_CASE_ENDINGS = re.compile(
    "(?<=[а-яёіїєґ]{3})(?:[ое]го|[ая]ми|[ыи]х|[ыиое]м|[аяуюеиыоьйіїє]){1,9}+$"  # several: "сестрою", "бабьего"
)


@dataclass(frozen=True, slots=True)
class Names:
    """The names in an article, normalized, each under one kind."""

    people: frozenset[str] = frozenset()
    organizations: frozenset[str] = frozenset()
    places: frozenset[str] = frozenset()

    @property
    def all(self) -> frozenset[str]:
        return self.people | self.organizations | self.places

    @property
    def n(self) -> int:
        """The number of names."""
        return len(self.people) + len(self.organizations) + len(self.places)

    def as_json(self) -> dict[str, list[str]]:
        """Sorted lists under the names of the kinds."""
        return {
            "people": sorted(self.people),
            "organizations": sorted(self.organizations),
            "places": sorted(self.places),
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Iterable[str]]) -> Self:
        """The inverse of `as_json`; missing kinds are empty."""
        return cls(*(frozenset(stored.get(kind, ())) for kind in ("people", "organizations", "places")))


@dataclass(frozen=True, slots=True)
class Overlap:
    """The `share` of common names in [0, 1], 1 = all names of the article with fewer; and the names, sorted."""

    share: float
    shared: tuple[str, ...]


def overlap(ours: Names, theirs: Names) -> Overlap:
    """The overlap coefficient of the names of all kinds; 0 if either article has none. Symmetric."""
    if _words(ours).isdisjoint(_words(theirs)):  # most pairs; keys are slow
        return Overlap(0.0, ())
    keys = keys_of(ours, theirs)
    our_keys, their_keys = ({keys[name] for name in names.all} for names in (ours, theirs))
    shared = our_keys & their_keys
    if not shared:
        return Overlap(0.0, ())
    return Overlap(len(shared) / min(len(our_keys), len(their_keys)), tuple(sorted(_best_spellings(keys, shared))))


def displayed(name: str) -> str:
    """A normalized name for display: "bergen" as "Bergen", "eu" as "EU"."""
    return " ".join(word.upper() if word in _INITIALISMS else word[:1].upper() + word[1:] for word in name.split())


def name_keys(names: Names) -> tuple[str, ...]:
    """Sorted strings by which articles with a common name are found: surnames of people, else the name.

    Two articles that share a name share a key, except if it is a person in one and an organization in the other, or a
    first name alone.
    """
    surnames = {surname(name) for name in names.people}
    others = {_KNOWN.get(plain, plain) for plain in map(bare, names.organizations | names.places)}
    return tuple(sorted(surnames | others))


def names_from(mentions: Iterable[tuple[Kind, str]]) -> Names:
    """The names from a recognizer's mentions in one article, as written there, with repetitions.

    Non-names are dropped. Of several forms of a name the fullest is kept, with the kind it was recognized as most often
    (on ties: people, places, organizations).
    """
    spelled = ((normalized(mention), kind) for kind, mention in mentions)
    counts = Counter((name, kind) for name, kind in spelled if is_name(name))
    mentioned: dict[Kind, set[str]] = {kind: set() for kind in _KINDS}
    for name, kind in counts:
        mentioned[kind].add(name)
    keys = keys_of(_names(mentioned))
    votes: defaultdict[str, Counter[Kind]] = defaultdict(Counter)
    for (name, kind), count in counts.items():
        if keys[name] == bare(name):  # "Lee" is recognized as any kind, "Ann Lee" rarely
            votes[keys[name]][kind] += count
    by_kind: dict[Kind, set[str]] = {kind: set() for kind in _KINDS}
    for key in set(keys.values()):
        by_kind[_kind_of(key, votes[key])] |= _best_spellings(keys, {key})
    return _names(by_kind)


def normalized(name: str) -> str:
    """A name in lower case without "the", titles, legal forms, possessive and dots of abbreviations; with accents."""
    name = unicodedata.normalize("NFKC", name).translate(_SPELLING).lower()
    name = _DOT.sub("", _INITIALS.sub(r"\1", " ".join(name.split())))
    words = _POSSESSIVE.sub("", name.strip(' .,;:!?"“”«»')).strip(_AROUND).split()
    while len(words) > 1 and words[0] in _BEFORE:
        del words[0]
    while len(words) > 1 and words[-1].strip(_AROUND) in _AFTER:
        words.pop()
    return " ".join(words).strip(_AROUND)


def is_name(name: str) -> bool:
    """Whether a normalized string may be a name: not only days, months, numbers or common words; at most six words."""
    words = name.split()
    if len(name) < 2 or len(words) > MAX_WORDS or name in AGENCIES:
        return False
    return not all(word in NOT_NAMES or word in TITLES or not any(map(str.isalpha, word)) for word in words)


def surname(name: str) -> str:
    """The surname in a normalized person's name, as used in keys: the last word except "Jr"."""
    plain = bare(name)
    return _KNOWN.get(plain) or plain.split()[-1]


def known_as(name: str) -> str:
    """The canonical spelling of a normalized name if it is in the tables, else ""."""
    return _KNOWN.get(bare(name), "")


@lru_cache(maxsize=2**14)
def bare(name: str) -> str:
    """A normalized name without initials, "Jr", "al-" before the surname and Cyrillic case endings."""
    words = [_without_case(word) for word in name.split()]
    if len(words) > 1:
        words = [word for word in words if len(word) > 1 and word not in SUFFIXES] or words
    words[-1] = _ARABIC_ARTICLE.sub("", words[-1])
    return " ".join(words)


def _without_case(word: str) -> str:
    feminine, n_replaced = _FEMININE.subn("ия", word)
    return feminine if n_replaced else _CASE_ENDINGS.sub("", word)


_KINDS: tuple[Kind, ...] = ("people", "places", "organizations")
_KNOWN = {bare(spelling): known for spelling, known in (COUNTRIES | KNOWN_ORGANIZATIONS).items()}
_COUNTRY_NAMES = frozenset(COUNTRIES.values())
_ORGANIZATION_NAMES = frozenset(KNOWN_ORGANIZATIONS.values())


def _names(by_kind: Mapping[Kind, Iterable[str]]) -> Names:
    return Names(
        people=frozenset(by_kind["people"]),
        organizations=frozenset(by_kind["organizations"]),
        places=frozenset(by_kind["places"]),
    )


def keys_of(*several: Names) -> dict[str, str]:
    """The key of each name in some articles; equal keys mean the same name."""
    plain = {name: bare(name) for names in several for name in names.all}
    places = {plain[name] for names in several for name in names.places}
    people = {plain[name] for names in several for name in names.people}
    organizations = {plain[name] for names in several for name in names.organizations}
    by_last = _grouped(people | organizations, -1)
    by_first = _grouped(people, 0)
    keys = {}
    for name, key in plain.items():
        fuller = by_last.get(key) or by_first.get(key, [])
        is_short_form = len(fuller) == 1 and key not in places and key not in _KNOWN
        keys[name] = fuller[0] if is_short_form else _KNOWN.get(key, key)
    return keys


@lru_cache(maxsize=CACHED_ARTICLES)
def _words(names: Names) -> frozenset[str]:
    """All words in possible keys of the names; articles without a common word have no common name."""
    plain = {bare(name) for name in names.all}
    return frozenset(word for key in plain for name in (key, _KNOWN.get(key, key)) for word in name.split())


def _grouped(full: Iterable[str], at: int) -> dict[str, list[str]]:
    """Names of several words by their first or last word."""
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for name in full:
        if " " in name and name not in _KNOWN:
            groups[name.split()[at]].append(name)
    return groups


def _kind_of(key: str, votes: Counter[Kind]) -> Kind:
    if key in _COUNTRY_NAMES:
        return "places"
    if key in _ORGANIZATION_NAMES:
        return "organizations"
    return max(_KINDS, key=lambda kind: votes[kind])


def _best_spellings(keys: Mapping[str, str], wanted: set[str]) -> set[str]:
    """The best spelling for each wanted key: the table's, else the shortest of the fullest."""
    spellings: dict[str, list[str]] = {key: [] for key in wanted}
    for name, key in keys.items():
        if key in wanted:
            spellings[key].append(name)
    return {
        key if key in _KNOWN else min(names, key=lambda name: (-bare(name).count(" "), len(name), name))
        for key, names in spellings.items()
    }
