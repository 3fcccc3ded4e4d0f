"""Finds the person, organization or place a topic is about: the name in most of its members. Pure.

1. Forms of one name are joined (`feeds.dedup.entities`): spellings from a table ("US", "America"), and short forms with
   the only full name in the topic that they belong to. Places of a surname count even if it wasn't recognized there.
2. At least half of the members contain it, and at least two if there are two; with one member it is in the title.
3. A member with the name in its title counts twice. A name among the topic's heaviest terms counts more, a country
   less, because most news has one. The source and peoples are excluded.
4. It is shown in the fullest form that a third of its members use; a single word with the rest of a name that it nearly
   always belongs to ("Fannie" as "Fannie Mae").
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from digests.labels.spaceless import SPACELESS
from digests.labels.tokens import CONTENT, NAME, Line, Reading, words_of
from digests.topics.tokens import stems
from feeds.dedup.entities import Names, bare, is_name, keys_of, known_as
from feeds.dedup.entity_tables import COUNTRIES, KNOWN_ORGANIZATIONS, NOT_NAMES, SUFFIXES, TITLES
from reader.interests.learning.stop_words import stop_words

COUNTRY_FACTOR = 0.6
HEAVY_FACTOR = 1.4
HEAVIEST_TERMS = 12  # of a topic; a name with one of them counts more
FULLEST_SHARE = 1 / 3
LINE_WEIGHT = 0.01  # of a line with the name, to separate equals
NEARLY_ALWAYS = 0.7  # share of a word's places from which the rest of the name belongs to it

_SPELLINGS: defaultdict[str, set[str]] = defaultdict(set)
for _spelling, _known in (COUNTRIES | KNOWN_ORGANIZATIONS).items():
    _SPELLINGS[_known].add(_spelling)
_OF_PEOPLES = ("ese", "ish", "ch", "iss")  # British, Chinese, Dutch, Swiss
_NOT_IN_NAMES = NOT_NAMES | TITLES | COUNTRIES.keys()


@dataclass(frozen=True, slots=True)
class Entity:
    """A name as shown, and all its forms in lower case."""

    text: str
    forms: frozenset[str]


class _Place(NamedTuple):
    """A place of a form, as written there, and with the rest of the name."""

    line: Line
    text: str
    whole: str


@dataclass(slots=True)
class _Candidate:
    """Forms of one name, and the members in which one was recognized, by kind."""

    forms: set[str] = field(default_factory=set)
    kinds: Counter[str] = field(default_factory=Counter)
    members: set[int] = field(default_factory=set)


def entities_of(reading: Reading) -> list[Entity]:
    """The names that can be shown before the terms, best first."""
    heaviest = {stem for stem, _ in reading.terms[:HEAVIEST_TERMS]}
    n_members = len(reading.members)
    candidates = _candidates(reading)
    ranked: list[tuple[float, Entity]] = []
    for key, candidate in candidates.items():
        forms = candidate.forms | _SPELLINGS.get(key, set()) | _surnames(key, candidates)
        places = {form: found for form in forms if (found := list(_places(form, reading.lines)))}
        every = [place for found in places.values() for place in found]
        is_country = key in COUNTRIES.values()
        named = _members(every) | (set() if is_country else candidate.members)
        in_titles = _members(place for place in every if place.line.is_title)
        if len(named) < max(min(2, n_members), n_members / 2) or (n_members == 1 and not in_titles):
            continue
        shown = _shown(places, max(min(2, n_members), len(named) * FULLEST_SHARE), is_known=key in _SPELLINGS)
        if not shown or reading.sources.bar(shown, in_titles):
            continue
        entity = Entity(shown, frozenset({*forms, shown.lower()}))
        own = {stem.stem for form in entity.forms for stem in stems(form, reading.language)}
        score = len(named) + len(in_titles) + LINE_WEIGHT * len(every)
        score *= COUNTRY_FACTOR if is_country else 1
        score *= 1 if heaviest.isdisjoint(own) else HEAVY_FACTOR
        ranked.append((score - reading.lines[0].text.find(shown) / 100_000, entity))  # of equals the first one
    return [entity for _, entity in sorted(ranked, key=lambda entry: (-entry[0], entry[1].text))]


def _candidates(reading: Reading) -> dict[str, _Candidate]:
    """The names in the topic by the key that their forms share."""
    named = [
        Names.from_json({kind: filter(is_name, names) for kind, names in member.names.items()})
        for member in reading.members
    ]
    keys = keys_of(*named)
    candidates: defaultdict[str, _Candidate] = defaultdict(_Candidate)
    for at, names in enumerate(named):
        for kind, several in names.as_json().items():
            for name in several:
                candidate = candidates[keys[name]]
                candidate.forms.add(name)
                candidate.kinds[kind] += 1
                candidate.members.add(at)
    return candidates


def _surnames(key: str, candidates: dict[str, _Candidate]) -> set[str]:
    """The last words of a person's full names, if no other name has them."""
    candidate = candidates[key]
    if 2 * candidate.kinds["people"] <= candidate.kinds.total():
        return set()
    others = {word for other in candidates if other != key for word in other.split()}
    words = ([word for word in form.split() if word not in SUFFIXES] for form in candidate.forms)
    return {name[-1] for name in words if len(name) > 1 and len(name[-1]) > 2 and bare(name[-1]) not in others}


def _members(places: Iterator[_Place] | Sequence[_Place]) -> set[int]:
    return {place.line.member for place in places}


def _places(form: str, lines: Sequence[Line]) -> Iterator[_Place]:
    """The first place of a form in each line, where it is a name."""
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
            if any(token.kind in CONTENT for token in matched) and not line.text[start:end].islower():
                yield _Place(line, line.text[start:end], _whole(line, start, end))


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


def _shown(places: dict[str, list[_Place]], n_needed: float, *, is_known: bool) -> str:
    """The fullest form that enough members use, "" if there is none; a known one as in most titles."""
    forms = [form for form in places if len(_members(places[form])) >= n_needed]
    if is_known:
        forms = [form for form in forms if not _is_people(form)]
        best = max(forms, key=lambda form: (sum(place.line.is_title for place in places[form]), form), default="")
    else:
        best = max(forms or places, key=lambda form: (form.count(" "), len(places[form]), form), default="")
    if not best:
        return ""
    whole, n_whole = Counter(place.whole for place in places[best]).most_common(1)[0]
    is_part = " " not in best and n_whole >= max(2, NEARLY_ALWAYS * len(places[best]))
    return whole if whole and is_part else Counter(place.text for place in places[best]).most_common(1)[0][0]


def _is_people(form: str) -> bool:
    """Whether a spelling of a country is its people or language: it has a plural, or ends like one."""
    spellings = _SPELLINGS.get(known_as(form), set()) - {known_as(form)}
    is_plural = form.endswith("s") and form[:-1] in spellings
    return form in spellings and (f"{form}s" in spellings or is_plural or form.endswith(_OF_PEOPLES))
