"""Layer 5: whether two articles report the same event. Pure.

Theory. Independent reports of one event share neither title nor phrases, but who, where, what and the day. The
*closeness* of two articles is the probability that they report one event, from a logistic regression over
(`Evidence`):

- *terms*: the cosine of TF-IDF vectors of title (twice) and lead, where rare terms weigh most (`idf`);
- *rare terms*: the weight of the three rarest shared terms, so that one unusual word counts in a long text, too;
- *translated*: the cosine of terms if one is in Chinese and translated word by word (`translation`), the other in
  English;
- *meaning*: the cosine of multilingual sentence vectors, if installed (`embeddings`). Across languages, where few terms
  are shared, it has a weight of its own;
- *names*: the overlap of people, organizations and places (`entities`);
- *news*: whether both read like reports on events of a day rather than like essays, manuals or questions (`meaning`);
- *contradictions*: whether the headlines have numbers but share none, whether they begin with different subjects
  ("Company: earnings …") or, in scripts without spaces, with words that the other article lacks, and whether only one
  of them lists several items (`headline_templates`);
- how far apart they were published, how short the shorter one is (short texts share fewer words), whether they are in
  two languages, and whether both are in one language without spaces.

`event_weights.tsv` has the weights, and other sets for articles without vectors and for pairs of languages without a
dictionary. They were learned from two days of
English and two of Chinese and English news, mixed with the items of ordinary blogs
(`rssmanager.evaluation.train_events`). Tried and dropped, because they were no better on other days: gradient boosting,
headlines compared apart from the text, words instead of pairs of characters for Chinese, a weight for each dimension of
the vectors, separate weights for Chinese.

Closeness alone doesn't decide: reports on two similar events (a team fires two coaches, a second earthquake in the same
sea) are as close as two on one event. Only several reports on each side show the difference, so `clustering` decides
for all matches together.

Only across publishers: similar articles of one publisher are far more often a series, a list or the next quarter's
earnings than one event. They share a story only through another publisher's articles (`clustering`).

Headlines from one template ("… second quarter profit …", "… third quarter profit …") are very close but report two
events, so contradictions of layer 3 count here too, and so do other subjects (`headline_templates`). The headline of a
column ("Weekly update") names no event. Source: strategy.md step 3, layer 5.
"""

import heapq
import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import NamedTuple

from feeds.dedup.comparable import Match, is_one_publisher
from feeds.dedup.entities import Names, displayed, name_keys, overlap
from feeds.dedup.headline_templates import alike_after_beginnings, head_of, is_roundup, missing_share
from feeds.dedup.idf import tf_idf, weight
from feeds.dedup.keys import KeyKind, key
from feeds.dedup.meaning import CELLS_OF_ONE, nearest_cells, news_share
from feeds.dedup.titles import Title, contradiction, is_generic, jaccard, title_of
from feeds.dedup.translation import english_terms
from feeds.dedup.vectors import Vector
from feeds.normalizing.han import simplified
from feeds.normalizing.text import words

LONGEST_APART = timedelta(hours=24)  # between two reports of one event: SPEC §6
MIN_CLOSENESS = 0.05  # of a match
READ_CHARACTERS = 600  # of the text, after the title
NUMBERED_CHARACTERS = 200  # of the text, in which numbers count

UNRELATED_MEANING = 0.30  # cosine of unrelated headlines
FEW_WORDS, MANY_WORDS = 10, 80  # distinct words of a headline alone, and with several sentences
TRANSLATED = {"zh", "en"}  # the languages of the dictionary
SPACELESS = frozenset(("zh", "ja", "th", "lo", "km", "my"))  # languages whose terms are pairs of characters
PAIRS_A_WORD = 2
N_RARE = 3  # shared terms
ONE_TEMPLATE = 0.5  # share of common words from which contradicting headlines report two events
ONE_TEMPLATE_WITH_SPACES = 0.75  # the same of headlines that begin differently: subjects have more synonyms there
OTHER_HEADS = 0.99  # missing share of both heads, 1 before rounding
MIN_SHOWN = 0.10  # value from which a piece of evidence is shown

N_TERM_KEYS = 16  # heaviest terms of an article that become keys, twice as many where terms are pairs of characters
N_NAME_KEYS = 10
MIN_SHARED_KEYS = 2
MIN_MEANING = 0.5  # cosine from which articles with fewer shared keys are compared
MIN_MEANING_ACROSS_LANGUAGES = 0.4  # the same in two languages, where few keys are shared

KNOWN = ((True, True), (True, False), (False, True), (False, False))  # meaning, translation: a column of weights each
WEIGHTS_FILE = Path(__file__).with_name("event_weights.tsv")

_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_SUBJECT = re.compile("[^:\uff1a\uff0c,|]{2,24}(?=[:\uff1a])")


@dataclass(frozen=True, slots=True, eq=False)
class EventProfile:
    """What layer 5 compares of an article.

    `terms`: a unit vector; `n_words`: the number of distinct words; `salient`: the names and numbers that tell
    its event from similar ones; `vector`: None if unknown. `language`: ISO 639-1, "" unknown. `publisher`: as returned
    by `publisher_of`. `subject`: the beginning of a headline before a colon, in lower case. `head`: its first terms.
    `is_roundup`: whether it lists several items. `news`: how much it reads like a report on an event, in [0, 1].
    `in_english`: the terms of a Chinese article in English, also a unit vector.
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
    subject: str = ""
    head: tuple[str, ...] = ()
    is_roundup: bool = False
    news: float = 0.0
    in_english: Mapping[str, float] = field(default_factory=dict)


class Evidence(NamedTuple):
    """What two articles have in common; numbers in [0, 1], up to 3 for `rare_terms`.

    `short`: 1 for a headline alone, 0 from some 80 words. `meaning` and `news` are 0 without vectors.
    """

    terms: float
    rare_terms: float
    meaning: float
    names: float
    days_apart: float
    two_languages: float
    short: float
    both_spaceless: float
    meaning_across_languages: float
    news: float
    other_numbers: float
    other_subjects: float
    translated: float
    one_roundup: float
    other_heads: float


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
    title, text = simplified(title, language), simplified(text[:READ_CHARACTERS], language)
    normalized = title_of(title, language=language)
    subject = _SUBJECT.match(normalized.cased)
    in_title = words(title, language)
    counts = Counter(in_title + in_title + words(text, language))
    weights = tf_idf(counts, weight)
    return EventProfile(
        published_at,
        language,
        normalized,
        weights,
        len(weights) / (PAIRS_A_WORD if language in SPACELESS else 1),
        names,
        salient_of(title=title, text=text, names=names),
        vector,
        publisher,
        subject.group().strip().lower() if subject else "",
        head_of(title, language),
        is_roundup(title),
        0.0 if vector is None else news_share(vector),
        english_terms(((title, 2.0), (text, 1.0))) if language == "zh" else {},
    )


def salient_of(*, title: str, text: str, names: Names) -> frozenset[str]:
    """The names in an article, and the numbers in its title and the beginning of its text."""
    numbers = {number.rstrip(".,:") for number in _NUMBER.findall(f"{title} {text[:NUMBERED_CHARACTERS]}")}
    return frozenset(name_keys(names)) | numbers


def event_keys(profile: EventProfile) -> set[int]:
    """The keys of an article; candidates for the same event share two of them."""
    n_terms = N_TERM_KEYS * (PAIRS_A_WORD if profile.language in SPACELESS else 1)
    heaviest = _heaviest(profile.terms, n_terms) + _heaviest(profile.in_english, N_TERM_KEYS)
    names = sorted(name_keys(profile.names), key=lambda name: (-weight(name), name))[:N_NAME_KEYS]
    return {key(KeyKind.TERM, term) for term in heaviest} | {key(KeyKind.NAME, name) for name in names}


def _heaviest(terms: Mapping[str, float], n: int) -> list[str]:
    return sorted(terms, key=lambda term: (-terms[term], term))[:n]


def meaning_keys(profile: EventProfile) -> set[int]:
    """The keys of an article's meaning; articles with similar vectors nearly always share one (`meaning`)."""
    if profile.vector is None:
        return set()
    return {key(KeyKind.MEANING, str(cell)) for cell in nearest_cells(profile.vector, CELLS_OF_ONE)}


def min_meaning(our_language: str, their_language: str) -> float:
    """The cosine from which two articles are compared without shared keys."""
    same = not our_language or not their_language or our_language == their_language
    return MIN_MEANING if same else MIN_MEANING_ACROSS_LANGUAGES


def match_events(ours: EventProfile, theirs: EventProfile) -> Match | None:
    """The match of two articles, None if they aren't close enough or have one publisher. Symmetric."""
    if is_one_publisher(ours.publisher, theirs.publisher):
        return None
    if abs(ours.published_at - theirs.published_at) > LONGEST_APART:
        return None
    known = ours.vector is not None and theirs.vector is not None, _can_translate(ours.language, theirs.language)
    evidence = _evidence(ours, theirs)
    if _closeness(evidence._replace(names=1.0), known) < MIN_CLOSENESS:
        return None  # names are slowest to compare and add no more
    if is_generic(ours.title) or is_generic(theirs.title) or _is_of_one_template(ours, theirs):
        return None
    common = overlap(ours.names, theirs.names)
    evidence = evidence._replace(names=common.share)
    closeness = _closeness(evidence, known)
    if closeness < MIN_CLOSENESS:
        return None
    return Match("same_event", "entities", common.share, closeness, _as_words(evidence, common.shared), False)


def _can_translate(ours: str, theirs: str) -> bool:
    """Whether two articles are in one language, or in two with a dictionary."""
    return ours == theirs or not ours or not theirs or {ours, theirs} == TRANSLATED


def evidence_of(ours: EventProfile, theirs: EventProfile) -> Evidence:
    """All evidence on two articles. Symmetric."""
    return _evidence(ours, theirs)._replace(names=overlap(ours.names, theirs.names).share)


def _evidence(ours: EventProfile, theirs: EventProfile) -> Evidence:
    """The evidence without that of names."""
    shared = ours.terms.keys() & theirs.terms.keys()
    rarest = heapq.nlargest(N_RARE, map(weight, shared))
    meaning = _meaning(ours, theirs)
    two_languages = float(bool(ours.language and theirs.language) and ours.language != theirs.language)
    share = (min(ours.n_words, theirs.n_words) - FEW_WORDS) / (MANY_WORDS - FEW_WORDS)
    return Evidence(
        terms=_cosine(ours.terms, theirs.terms),
        rare_terms=sum(rarest) / 10,
        meaning=meaning,
        names=0.0,
        days_apart=abs(ours.published_at - theirs.published_at) / timedelta(days=1),
        two_languages=two_languages,
        short=1.0 - min(1.0, max(0.0, share)),
        both_spaceless=float(_share_spaceless_language(ours, theirs)),
        meaning_across_languages=meaning * two_languages,
        news=min(ours.news, theirs.news),
        other_numbers=float(
            bool(ours.title.numbers and theirs.title.numbers) and ours.title.numbers.isdisjoint(theirs.title.numbers)
        ),
        other_subjects=float(_have_other_subjects(ours, theirs)),
        translated=_cosine(ours.in_english, theirs.terms) + _cosine(theirs.in_english, ours.terms)
        if two_languages
        else 0.0,
        one_roundup=float(ours.is_roundup != theirs.is_roundup),
        other_heads=_other_heads(ours, theirs) if _share_spaceless_language(ours, theirs) else 0.0,
    )


def _share_spaceless_language(ours: EventProfile, theirs: EventProfile) -> bool:
    return ours.language in SPACELESS and ours.language == theirs.language


def _other_heads(ours: EventProfile, theirs: EventProfile) -> float:
    """How much of the beginning of each headline is missing in the other article, the smaller of the two; in [0, 1]."""
    return min(missing_share(ours.head, theirs.terms, weight), missing_share(theirs.head, ours.terms, weight))


def _cosine(ours: Mapping[str, float], theirs: Mapping[str, float]) -> float:
    """The cosine of two unit vectors."""
    return sum(ours[term] * theirs[term] for term in sorted(ours.keys() & theirs.keys()))


def _have_other_subjects(ours: EventProfile, theirs: EventProfile) -> bool:
    """Whether both headlines name their subject before a colon, and neither is in the other headline."""
    if not ours.subject or not theirs.subject:
        return False
    return ours.subject not in theirs.title.cased.lower() and theirs.subject not in ours.title.cased.lower()


@cache
def _weights() -> Mapping[tuple[bool, bool], tuple[float, ...]]:
    """The intercept and a weight for each piece of evidence, by whether meaning and translation are known."""
    rows = [line.split("\t") for line in WEIGHTS_FILE.read_text(encoding="utf-8").splitlines()[1:]]
    if [row[0] for row in rows] != ["intercept", *Evidence._fields]:
        raise ValueError(f"{WEIGHTS_FILE.name} doesn't have the weights of {', '.join(Evidence._fields)}.")
    columns = zip(*([float(number) for number in row[1:]] for row in rows), strict=True)
    return dict(zip(KNOWN, columns, strict=True))


def _closeness(evidence: Evidence, known: tuple[bool, bool]) -> float:
    """The probability of one event, in [0, 1]. `known`: meaning and translation."""
    intercept, *weights = _weights()[known]
    score = intercept + sum(weight * value for weight, value in zip(weights, evidence, strict=True))
    return 1 / (1 + math.exp(-score)) if score > -500 else 0.0


def _is_of_one_template(ours: EventProfile, theirs: EventProfile) -> bool:
    """Whether two headlines differ only in their subject, or in a detail such as a version, quarter or opponent.

    Synonyms aren't contradictions here, so each side must have a number or name that the other lacks.
    """
    if ours.language == theirs.language and _have_one_template(ours, theirs):
        return True
    if jaccard(ours.title.tokens, theirs.title.tokens) < ONE_TEMPLATE or not contradiction(ours.title, theirs.title):
        return False
    return _differ(ours.title.numbers, theirs.title.numbers) or _differ(_in_headline(ours), _in_headline(theirs))


def _have_one_template(ours: EventProfile, theirs: EventProfile) -> bool:
    """Whether two headlines of one language say much the same about other subjects (`headline_templates`)."""
    alike = alike_after_beginnings(ours.title.normalized, theirs.title.normalized)
    if ours.language in SPACELESS:
        return alike >= ONE_TEMPLATE or _other_heads(ours, theirs) >= OTHER_HEADS
    first_is_missing = theirs.terms.keys().isdisjoint(ours.head[:1]) and ours.terms.keys().isdisjoint(theirs.head[:1])
    return alike >= ONE_TEMPLATE_WITH_SPACES and first_is_missing


def _in_headline(profile: EventProfile) -> frozenset[str]:
    return frozenset(name for name in name_keys(profile.names) if name in profile.title.normalized)


def _differ(ours: frozenset[str], theirs: frozenset[str]) -> bool:
    return bool(ours - theirs and theirs - ours)


def _meaning(ours: EventProfile, theirs: EventProfile) -> float:
    """How alike two headlines are in meaning, from 0 (unrelated, or unknown) to 1."""
    if ours.vector is None or theirs.vector is None:
        return 0.0
    return min(1.0, max(0.0, (float(ours.vector @ theirs.vector) - UNRELATED_MEANING) / (1 - UNRELATED_MEANING)))


def _as_words(evidence: Evidence, shared: tuple[str, ...]) -> str:
    parts = [f"both name {', '.join(map(displayed, shared[:4]))}"] if shared else []
    if evidence.terms >= MIN_SHOWN:
        parts.append(f"terms {100 * evidence.terms:.0f} % alike")
    if evidence.translated >= MIN_SHOWN:
        parts.append(f"translated terms {100 * evidence.translated:.0f} % alike")
    if evidence.meaning >= MIN_SHOWN:
        parts.append(f"headlines mean much the same ({100 * evidence.meaning:.0f} %)")
    return "; ".join(parts)[:300]
