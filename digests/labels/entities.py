"""Whom or what a topic is about: the name that most of its members name. Pure.

Rules, in order:

1. Forms of one name are one: spellings that a table knows, a surname and the one full name in the topic that ends in
   it. What nobody recognized in a member but what stands in its words counts as well: recognizers miss half of the
   names in headlines.
2. At least half of the members must name it, and two where there are two: an entity stands first in the label and
   speaks for all of them; what fewer name is a detail, and shown as a term if it weighs enough. In a topic of one
   member it must be in the title.
3. A member counts twice that names it in its title. A name among the heaviest terms of the topic counts for more than
   one that all news names; a country for less, for most news has one, and nearly any other name says more. What names
   a people counts for its country, but is never shown. An agency, a newspaper, the source are none; nor is a headline's
   half sentence that was taken for a name, as its stop words tell ("Fracking Has Been Halted").
4. It is shown in the fullest form that a third of those use who name it ("Charles Plosser", "Plosser"); what tables
   know under several spellings in the one that titles use most ("US"); and with the word in capitals that nearly always
   follows it ("Fannie" in "Fannie Mae").
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from digests.labels.mentions import Mentions
from digests.labels.reading import Names, Reading
from digests.labels.sources import is_media
from digests.labels.units import words_of
from digests.labels.word_kinds import may_be_name
from digests.labels.word_tables import COUNTRY_NAMES, NATIONALITIES, OF_PAGES, REPORTING, SPELLINGS, WEAK
from digests.topics.texts import stems
from feeds.dedup.name_tables import SUFFIXES
from feeds.dedup.names import bare, is_name, known_as

COUNTRY_FACTOR = 0.6
TELLING_FACTOR = 1.4
TELLING_TERMS = 12  # the heaviest of a topic, of which one is in a name that tells
FULLEST_SHARE = 1 / 3
FAR_MORE = 3  # times the members of any other full name, from which on a short form stands for one
UNIT_WEIGHT = 0.01  # of a title or a text that names it, to part equals
LONGEST_PARTICLE = 5  # letters of what names have in lower case: "della"
MOST_CANDIDATES = 20
_KNOWN_NAMES = 2**14


@dataclass(frozen=True, slots=True)
class Entity:
    """A name as it is shown, and all its forms in lower case, those that only name a people among them."""

    text: str
    forms: frozenset[str]

    def stems(self, language: str) -> frozenset[str]:
        """The stems of all its forms."""
        return frozenset().union(*(_stems(form, language) for form in self.forms))


@dataclass(slots=True)
class _Candidate:
    """Forms that name the same, with the members by place whose recognized names have one of them."""

    key: str
    forms: set[str] = field(default_factory=set)
    kinds: Counter[str] = field(default_factory=Counter)
    members: set[int] = field(default_factory=set)

    def take(self, other: "_Candidate") -> None:
        self.forms |= other.forms
        self.kinds += other.kinds
        self.members |= other.members

    @property
    def is_country(self) -> bool:
        return self.key in COUNTRY_NAMES

    @property
    def is_place(self) -> bool:
        return self.kinds["places"] > self.kinds.total() / 2

    @property
    def is_person(self) -> bool:
        return self.kinds["people"] > self.kinds.total() / 2

    @property
    def spellings(self) -> set[str]:
        """All that names it, those of tables and of its people among them."""
        return self.forms | SPELLINGS.get(self.key, frozenset())


def entities_of(reading: Reading) -> list[Entity]:
    """The entities that may stand before the terms, the best first."""
    telling = {stem for stem, _ in reading.terms[:TELLING_TERMS]}
    candidates = _candidates(reading.names)
    ranked: list[tuple[float, Entity]] = []
    for candidate in candidates:
        forms = candidate.spellings | _surnames(candidate, candidates)
        mentions = Mentions(forms, reading.units)
        named = mentions.members if candidate.is_country else mentions.members | candidate.members
        shown = _shown(candidate, mentions, len(named), reading) if _is_shared(mentions, len(named), reading) else ""
        if not shown or _is_none(shown, named, mentions, reading):
            continue
        if written := mentions.written(shown):
            tells = any(not telling.isdisjoint(_stems(form, reading.language)) for form in mentions.by_form)
            score = _score(mentions, named, is_country=candidate.is_country, tells=tells)
            entity = Entity(written, frozenset({*forms, written.lower()}))
            ranked.append((score - mentions.place(shown) / 100_000, entity))
    ranked.sort(key=lambda entry: entry[0], reverse=True)
    return [entity for _, entity in ranked]


def _is_shared(mentions: Mentions, n_named: int, reading: Reading) -> bool:
    """Whether enough members name it, and it stands in what is read of them."""
    if reading.n_read == 1:
        return bool(mentions.in_titles)
    return bool(mentions.members) and n_named >= max(2, reading.n_read / 2)


def _score(mentions: Mentions, named: set[int], *, is_country: bool, tells: bool) -> float:
    """How much a name is what the topic is about."""
    score = len(named) + len(mentions.in_titles) + UNIT_WEIGHT * mentions.n_units
    return score * (COUNTRY_FACTOR if is_country else 1) * (TELLING_FACTOR if tells else 1)


def _shown(candidate: _Candidate, mentions: Mentions, n_named: int, reading: Reading) -> str:
    """The form that is shown, "" for none."""
    forms = [form for form in mentions.by_form if form not in NATIONALITIES]
    forms = [form for form in forms if reading.n_read > 1 or mentions.titles_with(form)]
    if candidate.key in SPELLINGS:
        needed = n_named * FULLEST_SHARE
        forms = [form for form in forms if len(mentions.members_with(form)) >= needed]
        return max(forms, key=lambda form: (mentions.titles_with(form), len(mentions.by_form[form]), form), default="")
    forms = [
        form
        for form in forms
        if may_be_name(tuple(form.split()), reading.language) and not _is_clause(mentions.written(form))
    ]
    forms = [form for form in forms if any(unit.tells_case for unit in mentions.by_form[form])] or forms
    needed = 1 if reading.n_read == 1 else max(2, n_named * FULLEST_SHARE)
    common = [form for form in forms if len(mentions.members_with(form)) >= needed] or forms
    return max(common, key=lambda form: (form.count(" "), len(mentions.by_form[form]), form), default="")


def _is_clause(written: str) -> bool:
    """Whether a name is written with a longer word in lower case that names do not have inside: "China uncertainty"."""
    return any(word.islower() and len(word) > LONGEST_PARTICLE for word in written.split())


def _is_none(form: str, named: set[int], mentions: Mentions, reading: Reading) -> bool:
    """Whether a name is no entity: a common word, of a page, a newspaper that few titles name, the source."""
    words = words_of(form)
    if words and all(word in OF_PAGES or word in REPORTING or word in WEAK for word in words):
        return True
    if len(words) == 1 and reading.casing.is_common(words[0]):
        return True
    if is_media(words) and 2 * len(mentions.in_titles) < len(named):
        return True
    return reading.sources.bar(words or (form,), named, mentions.in_titles)


def _candidates(names: Sequence[Names]) -> list[_Candidate]:
    """The names in the topic, those of most members first; short forms with the full name they belong to."""
    found: dict[str, _Candidate] = {}
    for at, by_kind in enumerate(names):
        for kind, several in by_kind.items():
            for name in several:
                if key := _key(name):
                    candidate = found.setdefault(key, _Candidate(key))
                    candidate.forms.add(name)
                    candidate.kinds[kind] += 1
                    candidate.members.add(at)
    fuller: defaultdict[str, list[_Candidate]] = defaultdict(list)
    for key, candidate in found.items():
        if " " in key and key not in SPELLINGS and not candidate.is_place:
            fuller[key.split()[-1]].append(candidate)
            if candidate.is_person:
                fuller[key.split()[0]].append(candidate)
    for key in [key for key in found if key in fuller and key not in SPELLINGS]:
        if full := _only_one(fuller[key]):
            full.take(found.pop(key))
    return sorted(found.values(), key=lambda candidate: (-len(candidate.members), candidate.key))[:MOST_CANDIDATES]


def _only_one(full_names: Sequence[_Candidate]) -> _Candidate | None:
    """The one that a short form stands for: the only one, or one that many more members name than any other."""
    first, *others = sorted(full_names, key=lambda candidate: -len(candidate.members))
    if all(len(first.members) >= FAR_MORE * len(other.members) for other in others):
        return first
    return None


def _surnames(candidate: _Candidate, candidates: Iterable[_Candidate]) -> set[str]:
    """The last word of a person's full names, if it is no other person's."""
    if not candidate.is_person:
        return set()
    found = set()
    for form in candidate.forms:
        words = [word for word in form.split() if word not in SUFFIXES]
        others = (other.key.split() for other in candidates if other is not candidate)
        if len(words) > 1 and len(words[-1]) > 2 and not any(bare(words[-1]) in other for other in others):
            found.add(words[-1])
    return found


@lru_cache(maxsize=_KNOWN_NAMES)
def _key(name: str) -> str:
    """What forms of one name share, "" for what is no name."""
    return (known_as(name) or bare(name)) if is_name(name) else ""


@lru_cache(maxsize=_KNOWN_NAMES)
def _stems(form: str, language: str) -> frozenset[str]:
    return frozenset(found.stem for found in stems(form, language))
