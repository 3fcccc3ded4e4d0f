"""Whether a sentence leans on the one before it, and how it reads without that. Pure.

A sentence that begins with a pronoun or a connective, or that was "said by him", says less than it seems to when it is
taken out of its place. It may stand in a summary behind the sentence before it. Without that one it may stand only when
one of these makes it whole:

- "He", "She" as the subject become the name of the one person whom the sentence before names; "It", "The company" that
  of the one organization. Nobody else may be meant: no second name, no capitalized word that is not known, no "his
  wife", and not who is named in the sentence itself. In German, French and Spanish, where things are he and she too,
  the verb has to be one of saying.
- "But the …", "However, …" lose the connective, where a whole sentence with a subject of its own stays.

What is meant by "This" and "They" is never guessed.
"""

import re
from collections.abc import Mapping
from functools import cache

from digests.summaries.reference_words import (
    CLAUSE_AND_PRONOUN,
    DROPPED,
    FIRST_PERSON,
    GROUP_AS_SUBJECT,
    LEANING,
    PEOPLE_WORDS,
    PERSON_AS_SUBJECT,
    SAID_BY_PRONOUN,
)
from digests.summaries.tables import any_of, rows
from feeds.dedup.name_tables import DAYS_AND_MONTHS, FUNCTION_WORDS
from feeds.dedup.names import known_as, normalized

Names = Mapping[str, tuple[str, ...]]

_OPENING = "\"'“‘«„「『（(¿¡—–- "
_CAPITAL = "[A-ZÀ-ÖØ-ÞĆČĐŁŃŚŠŹŻŽİА-ЯЁІЇЄ]"
_CAPITALIZED = re.compile(
    rf"{_CAPITAL}[\w’'-]*(?:\.(?=\s[A-Z]))?(?:\s(?:(?:de|la|le|van|von|der|den|bin|ibn|al|el|da|dos|di|du)\s){{0,2}}"
    rf"{_CAPITAL}[\w’'-]*(?:\.(?=\s[A-Z]))?)*"
)
_POSSESSIVE = re.compile(r"['’]s?\Z")
_WORD = re.compile(r"[^\W\d_][\w-]*")
_QUOTATION_MARKS = (("“", "”"), ('"', '"'), ("«", "»"), ("„", "“"), ("„", "”"), ("»", "«"), ("「", "」"), ("『", "』"))
_COMPARED = re.compile(r"\bthe (?:rest|others?|same|latter|former)\b|\b(?:do|does|did) so\b|\b(?:too|either)\.")
_NOUNS_HAVE_CAPITALS = frozenset(("de", "lb"))


def leans(text: str, language: str) -> bool:
    """Whether a sentence needs the one before it to be understood."""
    begin = text.lstrip(_OPENING)
    leaning, said, clause = _leaning_patterns(language)
    if leaning.match(begin) or _is_quotation(text):
        return True
    if (found := said.search(text)) and not _names_somebody(text[: found.start()]):
        return True
    before_pronoun = clause.match(begin)
    return before_pronoun is not None and not _names_somebody(before_pronoun[0])


def _is_quotation(text: str) -> bool:
    """Whether a sentence is one quotation from end to end, and does not say whose."""
    return any(
        text.startswith(opening) and text.find(closing, 1) == len(text) - 1
        for opening, closing in _QUOTATION_MARKS
        if text.endswith(closing)
    )


def is_in_first_person(text: str, language: str) -> bool:
    """Whether a sentence begins with who says it: "I", "We", "My"."""
    first = _WORD.match(text.lstrip(_OPENING))
    return first is not None and first[0].lower() in _words(FIRST_PERSON.get(language, ""))


def alone(text: str, before: str, names: Names, language: str) -> str | None:
    """How a sentence that leans reads without the one before it; None when it cannot do without."""
    for changed in (_with_name(text, before, names, language), _without_connective(text, language)):
        if changed is not None and not leans(changed, language) and not _COMPARED.search(changed):
            return changed
    return None


def _with_name(text: str, before: str, names: Names, language: str) -> str | None:
    for kind, table in (("people", PERSON_AS_SUBJECT), ("organizations", GROUP_AS_SUBJECT)):
        subject = _pattern(table.get(language, "")).match(text)
        if subject and (name := _only_one(kind, text[subject.end() :], before, names, language)):
            return name + text[subject.end() :]
    return None


def _only_one(kind: str, rest: str, before: str, names: Names, language: str) -> str | None:
    """The one of a kind that the sentence before names, as it stands there; None when it might be another."""
    if kind == "people" and not _words(PEOPLE_WORDS.get(language, "")).isdisjoint(_WORD.findall(before.lower())):
        return None
    others = [name for other, several in names.items() if other != kind for name in several]
    meant: dict[str, str] = {}
    for match in _CAPITALIZED.finditer(before):
        name = normalized(match[0])
        full = [each for each in names.get(kind, ()) if _is_form_of(name, each)]
        if len(full) == 1:
            meant.setdefault(full[0], _surface(match[0], name))
        elif full or not _is_somebody_else(match, name, others, language):
            if full:
                return None
        else:
            return None
    if len(meant) != 1:
        return None
    [(full_name, surface)] = meant.items()
    return None if surface.split()[-1] in rest or full_name in rest.lower() else surface


def _is_form_of(name: str, full: str) -> bool:
    """Whether a normalized name is another in full, or a first or last part of it."""
    return name == full or full.endswith(f" {name}") or full.startswith(f"{name} ")


def _surface(run: str, name: str) -> str:
    """The words of a run that are the name, titles before it, legal forms and a possessive after it left out."""
    words, n = _POSSESSIVE.sub("", run).split(), len(name.split())
    places = range(len(words) - n, -1, -1)
    begin = next((at for at in places if normalized(" ".join(words[at : at + n])) == name), len(words) - n)
    return " ".join(words[begin : begin + n])


def _is_somebody_else(match: re.Match[str], name: str, others: list[str], language: str) -> bool:
    """Whether capitalized words may name somebody nobody told us about."""
    if not name or known_as(name) or any(_is_form_of(name, other) for other in others):
        return False
    known = [word for word in name.split() if word not in FUNCTION_WORDS and word not in DAYS_AND_MONTHS]
    if not known:
        return False
    is_single = len(name.split()) == 1
    return not (is_single and (match.start() == 0 or language in _NOUNS_HAVE_CAPITALS))


def _without_connective(text: str, language: str) -> str | None:
    match = _pattern(DROPPED.get(language, "")).match(text)
    if match is None:
        return None
    rest = text[match.end() :]
    return rest[:1].upper() + rest[1:]


def _names_somebody(text: str) -> bool:
    """Whether a capitalized word stands in a text, its first word and days and months aside."""
    text = text.lstrip(_OPENING)
    runs = (match for match in _CAPITALIZED.finditer(text) if match.start() > 0 or " " in match[0])
    words = (word for run in runs for word in run[0].lower().split())
    return any(word not in DAYS_AND_MONTHS and word not in FUNCTION_WORDS for word in words)


@cache
def _leaning_patterns(language: str) -> tuple[re.Pattern[str], ...]:
    return tuple(
        _pattern(table.get(language, ""), re.IGNORECASE) for table in (LEANING, SAID_BY_PRONOUN, CLAUSE_AND_PRONOUN)
    )


@cache
def _pattern(table: str, flags: int = 0) -> re.Pattern[str]:
    return re.compile(any_of(rows(table)), flags)


@cache
def _words(row: str) -> frozenset[str]:
    return frozenset(row.split())
