"""What a word may do in a label: be a term, carry a phrase, begin or end one. Pure.

A label is made of nouns, as far as a list of verbs and the endings of words tell them in English and Russian, and
capitals in German; in other languages short lists only keep the commonest words of headlines apart.
"""

import re
from functools import cache

from digests.labels.units import LONGEST_WORD
from digests.labels.verb_tables import NOUNS_AND_VERBS, TAKING_OBJECTS, VERBS, VERBS_BY_LANGUAGE
from digests.labels.word_tables import LOOSE, NATIONALITIES, OF_PAGES, REPORTING, WEAK, words_in
from feeds.dedup.name_tables import DAYS_AND_MONTHS
from reader.learning.stop_words import stop_words

VERB_FACTOR = 0.1  # of the weight of a term by itself
ADVERB_FACTOR = 0.05
PARTICIPLE_FACTOR = 0.7
MOST_PARTS = 3  # of a word with hyphens; what has more is code or an address

_PAST = re.compile(r"(?!.*(?:eed|hundred|naked|sacred|hatred|united|limited)$)[a-z]{3,}ed$")
_ADVERB = re.compile(r"[a-z]{3,}ly$")
_NOT_ADVERBS = words_in(
    """reply supply family assembly rally italy july bully butterfly anomaly early daily weekly monthly yearly quarterly
    elderly deadly friendly monopoly jelly belly holly molly kelly billy sally dolly tally emily homily"""
)
_ACTIVE = re.compile(r"[a-z]{3,}ing$")
_RUSSIAN_VERB = re.compile(
    r"(?:[аеияуы]л[аои]|(?:ил|вал|ел|ыл)|л(?:ся|ась|ось|ись)|[аеиыу]ть(?:ся)?|ются|утся|ется|ится|[аяеу]ет|[аяую]ют|[^аеиоуыэюя]ят)$"
)
# Small words that names begin or end with, and that they have inside.
_IN_NAMES = words_in("new us who our no one now la le les el los las de die der das")
_INSIDE_NAMES = words_in(
    "of the and for in on at to by with from & a de la le les du des del della di da do der den van von et und y e"
)
_NUMBER = re.compile(  # "25m", "11th", "163-day", "12.4-billion-euro", not "3d", "5g", "4k"
    r"[\d.,]+(?:(?!(?:d|g|k)$)[a-zа-я]{1,3}|(?:-[^\W\d_]+){1,2})?$"
)


@cache
def is_empty(low: str, language: str) -> bool:
    """Whether a word in lower case is in no label."""
    parts = low.split("-")
    if not 2 <= len(low) <= LONGEST_WORD or len(parts) > MOST_PARTS or not any(map(str.isalpha, low)):
        return True
    if low in stop_words(language) or low in REPORTING or low in LOOSE:
        return True
    return any(part in OF_PAGES for part in parts)


@cache
def is_weak(low: str) -> bool:
    """Whether it says something only together with another."""
    return low in WEAK or low in NATIONALITIES or _NUMBER.match(low) is not None


@cache
def is_date_or_number(low: str) -> bool:
    """Whether it is never a term by itself."""
    return low in DAYS_AND_MONTHS or _NUMBER.match(low) is not None


@cache
def is_adverb(low: str, language: str) -> bool:
    return language in ("", "en") and low not in _NOT_ADVERBS and _ADVERB.match(low) is not None


@cache
def is_headline_verb(low: str) -> bool:
    """Whether it is a third person or a past of English headlines, which recognizers take for parts of names."""
    return low.endswith(("s", "ed")) and (low in VERBS or low in NOUNS_AND_VERBS)


@cache
def may_be_predicate(low: str) -> bool:
    """Whether it may be a verb rather than a noun when a name stands before it."""
    return low in NOUNS_AND_VERBS and (low.endswith("s") or low in TAKING_OBJECTS)


@cache
def is_participle(low: str, language: str) -> bool:
    return language in ("", "en") and _ACTIVE.match(low) is not None


@cache
def weight_alone(low: str, language: str) -> float:
    """How much of its weight it has as a term by itself, in (0, 1]."""
    if language in ("", "en"):
        if is_adverb(low, language):
            return ADVERB_FACTOR
        if low in VERBS or _PAST.match(low):
            return VERB_FACTOR
        return PARTICIPLE_FACTOR if _ACTIVE.match(low) or low in NOUNS_AND_VERBS | TAKING_OBJECTS else 1
    return 1 if _is_no_verb(low, language) else VERB_FACTOR


@cache
def may_begin(low: str, language: str) -> bool:
    """Whether a phrase may begin with it."""
    if language in ("", "en") and (low in TAKING_OBJECTS or (low in NOUNS_AND_VERBS and low.endswith("s"))):
        return False
    return _is_no_verb(low, language)


@cache
def may_end(low: str, language: str) -> bool:
    """Whether a phrase may end with it."""
    if language in ("", "en") and _PAST.match(low):
        return False
    return _is_no_verb(low, language)


@cache
def may_join(low: str, language: str) -> bool:
    """Whether it may stand inside a phrase of three."""
    return not (language in ("", "en") and low in NOUNS_AND_VERBS) and _is_no_verb(low, language)


def _is_no_verb(low: str, language: str) -> bool:
    if language in ("", "en"):
        return low not in VERBS and not is_adverb(low, language)
    return low not in VERBS_BY_LANGUAGE.get(language, ()) and not (language == "ru" and _RUSSIAN_VERB.search(low))


@cache
def may_be_name(words: tuple[str, ...], language: str) -> bool:
    """Whether words in lower case may be a name, not a headline's half sentence that was taken for one."""
    small = (stop_words("en") | stop_words(language) | LOOSE) - _IN_NAMES
    if words[0] in small or words[-1] in small:
        return False
    return len(words) == 1 or not any(word in VERBS or (word in small and word not in _INSIDE_NAMES) for word in words)


@cache
def makes_sentence(first: str, second: str) -> bool:
    """Whether the second of two English words is a verb if the first is a name: "Iran marks"."""
    return first != first.lower() and second in NOUNS_AND_VERBS
