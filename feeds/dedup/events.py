"""Layer 5: whether two articles report the same event. Pure.

Theory. Independent reports of one event share neither title nor phrases, but who, where, what and the day. Four pieces
of evidence, each in [0, 1]:

- *terms*: the cosine of TF-IDF vectors of title (twice) and lead, where rare shared terms weigh most (`idf`);
- *names*: the overlap of people, organizations and places (`entities`). The rule of SPEC §6, overlap ≥ 80 % within 24
  hours, counts, but alone it is neither precise nor complete: reports on one team name the same people every day, and
  one report names the minister, another the ministry;
- *numbers*: in the headline and the first sentences;
- *meaning*: the cosine of multilingual sentence vectors, if installed (`embeddings`). It is the only evidence across
  languages, where no terms are shared.

A fixed sum gives the *closeness*, reduced if no names are shared, and raised for short texts, which share fewer words.
Closeness alone decides little: reports on two similar events (a team fires two coaches, a second earthquake in the same
sea) are as close as two on one event. Only several reports on each side show the difference, so `clustering` decides
for all matches together.

Only across publishers: similar articles of one publisher are far more often a series, a list or the next quarter's
earnings than one event. They share a story only through another publisher's articles (`clustering`).

Headlines from one template ("… second quarter profit …", "… third quarter profit …") are very close but report two
events, so contradictions of layer 3 count here too.

Weights and thresholds were chosen on labelled sets of several origins, for precision first. Source: strategy.md step 3,
layer 5.
"""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from feeds.dedup.comparable import Match, is_one_publisher
from feeds.dedup.entities import Names, displayed, is_one_event, name_keys, overlap
from feeds.dedup.idf import tf_idf, weight
from feeds.dedup.keys import KeyKind, key
from feeds.dedup.titles import Title, contradiction, jaccard, title_of
from feeds.dedup.vectors import Vector
from feeds.normalizing.text import words

LONGEST_APART = timedelta(hours=24)  # between two reports of one event: SPEC §6
MIN_CLOSENESS = 0.15  # of a match
READ_CHARACTERS = 600  # of the text, after the title
NUMBERED_CHARACTERS = 200  # of the text, in which numbers count

TERMS_SHARE, MEANING_SHARE = 0.55, 0.27  # of closeness, if both are known
TERMS_ALONE = 0.85  # without vectors
MEANING_ALONE = 0.62  # across languages
UNRELATED_MEANING = 0.30  # cosine of unrelated headlines
FEW_WORDS, MANY_WORDS = 10, 80  # distinct words of a headline alone, and with several sentences
SPACELESS = frozenset(("zh", "ja", "th", "lo", "km", "my"))  # languages whose terms are pairs of characters
PAIRS_A_WORD = 2
HEADLINE_SCALE = 0.55  # closeness of two headlines relative to that of two texts
NO_SHARED_NAMES = 0.65  # factor for two articles with names but none in common
ONE_TEMPLATE = 0.5  # share of common words from which contradicting headlines report two events
MIN_SHOWN = 0.10  # value from which a piece of evidence is shown
MIN_NAMES = 2  # in each article, from which sharing none counts
BY_NAMES = 0.04  # added if the names alone meet the rule of SPEC §6

N_TERM_KEYS = 16  # heaviest terms of an article that become keys
N_NAME_KEYS = 10
MIN_SHARED_KEYS = 2
MIN_MEANING = 0.55  # cosine from which articles with fewer shared keys are compared

_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")


@dataclass(frozen=True, slots=True, eq=False)
class EventProfile:
    """What layer 5 compares of an article.

    `terms`: a unit vector; `n_words`: the number of distinct words in it; `salient`: the names and numbers that tell
    its event from similar ones; `vector`: None if unknown. `language`: ISO 639-1, "" unknown. `publisher`: as returned
    by `publisher_of`.
    """

    published_at: datetime
    language: str
    title: Title
    terms: Mapping[str, float]
    n_words: float
    names: Names
    salient: frozenset[str]
    vector: Vector | None
    publisher: str = ""


def event_profile_of(
    *,
    title: str,
    text: str,
    language: str,
    names: Names,
    vector: Vector | None,
    published_at: datetime,
    publisher: str = "",
) -> EventProfile:
    """The profile of an article; only the beginning of `text` is read."""
    in_title = words(title, language)
    counts = Counter(in_title + in_title + words(text[:READ_CHARACTERS], language))
    weights = tf_idf(counts, weight)
    return EventProfile(
        published_at,
        language,
        title_of(title, language=language),
        weights,
        len(weights) / (PAIRS_A_WORD if language in SPACELESS else 1),
        names,
        salient_of(title=title, text=text, names=names),
        vector,
        publisher,
    )


def salient_of(*, title: str, text: str, names: Names) -> frozenset[str]:
    """The names in an article, and the numbers in its title and the beginning of its text."""
    numbers = {number.rstrip(".,:") for number in _NUMBER.findall(f"{title} {text[:NUMBERED_CHARACTERS]}")}
    return frozenset(name_keys(names)) | numbers


def event_keys(profile: EventProfile) -> set[int]:
    """The keys of an article; candidates for the same event share two of them."""
    heaviest = sorted(profile.terms, key=lambda term: (-profile.terms[term], term))[:N_TERM_KEYS]
    names = sorted(name_keys(profile.names), key=lambda name: (-weight(name), name))[:N_NAME_KEYS]
    return {key(KeyKind.TERM, term) for term in heaviest} | {key(KeyKind.NAME, name) for name in names}


def match_events(ours: EventProfile, theirs: EventProfile) -> Match | None:
    """The match of two articles, None if they aren't close enough or have one publisher. Symmetric."""
    if is_one_publisher(ours.publisher, theirs.publisher):
        return None
    if abs(ours.published_at - theirs.published_at) > LONGEST_APART or _is_of_one_template(ours, theirs):
        return None
    terms, meaning = _cosine(ours.terms, theirs.terms), _meaning(ours, theirs)
    is_translation = bool(ours.language and theirs.language) and ours.language != theirs.language
    if is_translation:
        closeness = MEANING_ALONE * (meaning or 0.0)
    else:
        closeness = _sum(terms, meaning) / _scale(min(ours.n_words, theirs.n_words))
    if closeness + BY_NAMES < MIN_CLOSENESS:  # names are slowest to compare and add no more
        return None
    common = overlap(ours.names, theirs.names)
    no_shared_names = not common.shared and min(ours.names.n, theirs.names.n) >= MIN_NAMES
    if no_shared_names and not is_translation:
        closeness *= NO_SHARED_NAMES
    if is_one_event(common):
        closeness += BY_NAMES
    if closeness < MIN_CLOSENESS:
        return None
    return Match(
        "same_event", "entities", common.share, min(1.0, closeness), _evidence(terms, meaning, common.shared), False
    )


def _is_of_one_template(ours: EventProfile, theirs: EventProfile) -> bool:
    """Whether two headlines differ only in a detail such as a version, quarter or opponent.

    Synonyms aren't contradictions here, so each side must have a number or name that the other lacks.
    """
    if jaccard(ours.title.tokens, theirs.title.tokens) < ONE_TEMPLATE or not contradiction(ours.title, theirs.title):
        return False
    return _differ(ours.title.numbers, theirs.title.numbers) or _differ(_in_headline(ours), _in_headline(theirs))


def _in_headline(profile: EventProfile) -> frozenset[str]:
    return frozenset(name for name in name_keys(profile.names) if name in profile.title.normalized)


def _differ(ours: frozenset[str], theirs: frozenset[str]) -> bool:
    return bool(ours - theirs and theirs - ours)


def _sum(terms: float, meaning: float | None) -> float:
    return TERMS_ALONE * terms if meaning is None else TERMS_SHARE * terms + MEANING_SHARE * meaning


def _scale(n_words: float) -> float:
    share = (n_words - FEW_WORDS) / (MANY_WORDS - FEW_WORDS)
    return HEADLINE_SCALE + (1 - HEADLINE_SCALE) * min(1.0, max(0.0, share))


def _cosine(ours: Mapping[str, float], theirs: Mapping[str, float]) -> float:
    common = ours.keys() & theirs.keys()
    return sum(ours[term] * theirs[term] for term in sorted(common))


def _meaning(ours: EventProfile, theirs: EventProfile) -> float | None:
    if ours.vector is None or theirs.vector is None:
        return None
    cosine = float(ours.vector @ theirs.vector)
    return min(1.0, max(0.0, (cosine - UNRELATED_MEANING) / (1 - UNRELATED_MEANING)))


def _evidence(terms: float, meaning: float | None, shared: tuple[str, ...]) -> str:
    parts = [f"both name {', '.join(map(displayed, shared[:4]))}"] if shared else []
    if terms >= MIN_SHOWN:
        parts.append(f"terms {100 * terms:.0f}% alike")
    if meaning is not None and meaning >= MIN_SHOWN:
        parts.append(f"headlines mean much the same ({100 * meaning:.0f}%)")
    return "; ".join(parts)[:300]
