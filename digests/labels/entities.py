"""Finds the person, organization or place a topic is about: the name in most of its members. Pure.

1. Forms of one name are joined: spellings from a table ("US", "America"), and a surname with the only full name in the
   topic that ends in it. Names that weren't recognized in a member but occur in it count too.
2. At least half of the members contain it, and at least two if there are two; with one member it is in the title.
3. A member with the name in its title counts twice. A name among the topic's heaviest terms counts more, a country
   less, because most news has one. Newspapers, the source and peoples are excluded.
4. It is shown in the fullest form that a third of its members use; a single word with the rest of a name that it nearly
   always belongs to ("Fannie" as "Fannie Mae").
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from digests.labels.spaceless import SPACELESS
from digests.labels.tokens import CONTENT, NAME, Line, Reading, words_of
from digests.topics.tokens import stems
from feeds.dedup.entities import bare, is_name, known_as
from feeds.dedup.entity_tables import COUNTRIES, KNOWN_ORGANIZATIONS, NOT_NAMES, SUFFIXES, TITLES
from feeds.dedup.title_words import MEDIA_WORDS
from reader.interests.learning.stop_words import stop_words

COUNTRY_FACTOR = 0.6
HEAVY_FACTOR = 1.4
HEAVIEST_TERMS = 12  # of a topic; a name with one of them counts more
FULLEST_SHARE = 1 / 3
FAR_MORE = 3  # times the members of any other full name, for a short form to belong to one
LINE_WEIGHT = 0.01  # of a line with the name, to separate equals
NEARLY_ALWAYS = 0.7  # share of a word's places from which the rest of the name belongs to it
MAX_CANDIDATES = 20

_SPELLINGS: defaultdict[str, set[str]] = defaultdict(set)
for _spelling, _known in (COUNTRIES | KNOWN_ORGANIZATIONS).items():
    _SPELLINGS[_known].add(_spelling)
_PARTING = re.compile('[()\\[\\]<>"“”„«»|:;!?]')  # never within a name
_OF_PEOPLES = ("ese", "ish", "ch", "iss")  # British, Chinese, Dutch, Swiss
_NOT_IN_NAMES = NOT_NAMES | TITLES | COUNTRIES.keys()


@dataclass(frozen=True, slots=True)
class Entity:
    """A name as shown, and all its forms in lower case."""

    text: str
    forms: frozenset[str]


class _Place(NamedTuple):
    """A place of a form: as written there, "" if it isn't a name there, and with the rest of the name."""

    line: Line
    text: str
    whole: str


@dataclass(slots=True)
class _Candidate:
    """Forms of one name, the members with a recognized form, and the places of each form."""

    key: str
    forms: set[str] = field(default_factory=set)
    kinds: Counter[str] = field(default_factory=Counter)
    members: set[int] = field(default_factory=set)
    places: dict[str, list[_Place]] = field(default_factory=dict)

    def is_mostly(self, kind: str) -> bool:
        return self.kinds[kind] > self.kinds.total() / 2

    def members_with(self, form: str = "", *, in_title: bool = False) -> set[int]:
        places = self.places[form] if form else [place for form_places in self.places.values() for place in form_places]
        return {place.line.member for place in places if place.line.is_title or not in_title}


def entities_of(reading: Reading) -> list[Entity]:
    """The names that can be shown before the terms, best first."""
    heaviest = {stem for stem, _ in reading.terms[:HEAVIEST_TERMS]}
    candidates = _candidates(reading)
    ranked: list[tuple[float, Entity]] = []
    for candidate in candidates:
        forms = candidate.forms | _SPELLINGS.get(candidate.key, set()) | _surnames(candidate, candidates)
        candidate.places = {form: form_places for form in forms if (form_places := list(_places(form, reading.lines)))}
        is_country = candidate.key in COUNTRIES.values()
        named = candidate.members_with() | (set() if is_country else candidate.members)
        in_titles = candidate.members_with(in_title=True)
        shown = _shown(candidate, len(named), n_members=len(reading.members))
        if not shown or _is_media(shown, named, in_titles) or reading.sources.bar(shown, named, in_titles):
            continue
        entity = Entity(shown, frozenset({*forms, shown.lower()}))
        own = (stem.stem for form in entity.forms for stem in stems(form, reading.language))
        score = len(named) + len(in_titles) + LINE_WEIGHT * sum(map(len, candidate.places.values()))
        score *= COUNTRY_FACTOR if is_country else 1
        score *= 1 if heaviest.isdisjoint(own) else HEAVY_FACTOR
        ranked.append((score - reading.lines[0].text.find(shown) / 100_000, entity))  # of equals the first one
    return [entity for _, entity in sorted(ranked, key=lambda entry: entry[0], reverse=True)]


def _places(form: str, lines: Sequence[Line]) -> Iterator[_Place]:
    """The first place of a form in each line."""
    if SPACELESS.search(form):
        for line in lines:
            if (at := line.text.lower().find(form)) >= 0:
                yield _Place(line, line.text[at : at + len(form)], "")
        return
    wanted = words_of(form)
    if len(wanted) == 1 and (wanted[0] in stop_words("en") or len(wanted[0]) == 1):
        wanted = (wanted[0].upper(),)  # "US" isn't "us"
    key = f" {' '.join(wanted)} "
    for line in lines:
        if wanted and (at := line.key.find(key)) >= 0:
            n_before = line.key.count(" ", 0, at)
            matched = line.words[n_before : n_before + len(wanted)]
            start, end = matched[0].start, matched[-1].end
            is_name = any(token.kind in CONTENT for token in matched) and not _PARTING.search(line.text[start:end])
            is_name = is_name and not line.text[start:end].islower()
            yield _Place(line, line.text[start:end] if is_name else "", _whole(line, start, end) if is_name else "")


def _whole(line: Line, start: int, end: int) -> str:
    """The sequence of names, perhaps with "of", that a place is part of."""
    names = [(token.start, token.end) for token in line.words if token.kind == NAME and token.low not in _NOT_IN_NAMES]
    for first, last in names:
        if line.text[end:first] in (" ", " of ", " of the "):
            end = last
    for first, last in reversed(names):
        if line.text[last:start] in (" ", " of "):
            start = first
    return line.text[start:end]


def _shown(candidate: _Candidate, n_named: int, *, n_members: int) -> str:
    """The name as shown, "" if too few members have it."""
    if n_named < min(2, n_members) or n_named < n_members / 2:
        return ""
    if n_members == 1:
        forms = [form for form in candidate.places if candidate.members_with(form, in_title=True)]
    else:
        needed = max(2, n_named * FULLEST_SHARE)
        forms = [form for form in candidate.places if len(candidate.members_with(form)) >= needed]
        forms = forms or ([] if candidate.key in _SPELLINGS else list(candidate.places))
    if candidate.key in _SPELLINGS:
        forms = [form for form in forms if not _is_people(form)]
        forms.sort(
            key=lambda form: (len(candidate.members_with(form, in_title=True)), len(candidate.places[form]), form)
        )
    else:
        forms.sort(key=lambda form: (form.count(" "), len(candidate.places[form]), form))
    return next((written for form in reversed(forms) if (written := _written(form, candidate.places[form]))), "")


def _written(form: str, places: Sequence[_Place]) -> str:
    """The form as written most often, "" if it is mostly not a name."""
    text, _ = Counter(place.text for place in places).most_common(1)[0]
    whole, n_whole = Counter(place.whole for place in places).most_common(1)[0]
    is_part = " " not in form and whole and n_whole >= max(2, NEARLY_ALWAYS * len(places))
    return whole if text and is_part else text


def _is_media(shown: str, named: set[int], in_titles: set[int]) -> bool:
    """Whether it is a newspaper or agency that few titles contain."""
    return (words_of(shown) or ("",))[-1] in MEDIA_WORDS and 2 * len(in_titles) < len(named)


def _is_people(form: str) -> bool:
    """Whether a spelling of a country is its people or language: it has a plural, or ends like one."""
    spellings = _SPELLINGS.get(known_as(form), set()) - {known_as(form)}
    is_plural = form.endswith("s") and form[:-1] in spellings
    return form in spellings and (f"{form}s" in spellings or is_plural or form.endswith(_OF_PEOPLES))


def _candidates(reading: Reading) -> list[_Candidate]:
    """The names in the topic, those of most members first; short forms join their full names."""
    candidates: dict[str, _Candidate] = {}
    for at, by_kind in enumerate(reading.names):
        for kind, name in ((kind, name) for kind, names in by_kind.items() for name in names):
            if key := _identity(name):
                candidate = candidates.setdefault(key, _Candidate(key))
                candidate.forms.add(name)
                candidate.kinds[kind] += 1
                candidate.members.add(at)
    fuller: defaultdict[str, list[_Candidate]] = defaultdict(list)
    for key, candidate in candidates.items():
        if " " in key and key not in _SPELLINGS and not candidate.is_mostly("places"):
            for word in {key.split()[-1], key.split()[0 if candidate.is_mostly("people") else -1]} - _SPELLINGS.keys():
                fuller[word].append(candidate)
    for word, full_names in fuller.items():
        first, *others = sorted(full_names, key=lambda candidate: -len(candidate.members))
        if word in candidates and all(len(first.members) >= FAR_MORE * len(other.members) for other in others):
            short = candidates.pop(word)
            first.forms |= short.forms
            first.kinds += short.kinds
            first.members |= short.members
    return sorted(candidates.values(), key=lambda candidate: (-len(candidate.members), candidate.key))[:MAX_CANDIDATES]


def _surnames(candidate: _Candidate, candidates: Sequence[_Candidate]) -> set[str]:
    """The last words of a person's full names, if no other name has them."""
    if not candidate.is_mostly("people"):
        return set()
    others = {word for other in candidates if other is not candidate for word in other.key.split()}
    words = ([word for word in form.split() if word not in SUFFIXES] for form in candidate.forms)
    return {name[-1] for name in words if len(name) > 1 and len(name[-1]) > 2 and bare(name[-1]) not in others}


@lru_cache(maxsize=2**14)
def _identity(name: str) -> str:
    """A key that forms of one name share, "" if it isn't a name."""
    return (known_as(name) or bare(name)) if is_name(name) else ""
