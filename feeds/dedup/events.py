"""Layer 5: whether two articles tell of the same event. Pure.

Theory. Reports of one event by different hands share neither title nor phrases; they share who, where and what, and the
day. Four pieces of evidence, each a number in [0, 1]:

- *terms*: the cosine of TF-IDF vectors of title (twice) and lead, where a rare term shared says much (`background`);
- *names*: the overlap of people, organizations and places (`names`). The rule of SPEC §6, overlap ≥ 80 % within 24
  hours, counts, but alone it is neither precise nor complete: two reports on one team name the same people every day,
  and one names the minister where the other names the ministry;
- *numbers*: those in the headline and the first sentences;
- *meaning*: the cosine of dense multilingual vectors, where their package is installed (`meaning`). Across languages,
  where no term is shared, it stands alone.

They make one *closeness* by a fixed sum, scaled down for texts that name nobody in common, and up for short ones: the
fewer words there are, the fewer are shared. A closeness by itself decides little: reports on two look-alike events (one
team fires two coaches, an earthquake in the same sea a day later) are as close as two reports on one. What tells those
apart shows only with several reports on each side, so whether ties join is decided for all together (`grouping`).

Headlines of one template ("… second quarter profit …", "… third quarter profit …") are as close as can be and yet two
events, so what contradicts for layer 3 does here.

Weights and thresholds were chosen on labelled sets of several origins (README, "How well it tells stories apart") so
that precision comes first; what each part brings stands there too. Source of the rule: strategy.md step 3, layer 5.
"""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np

from feeds.dedup.background import weight
from feeds.dedup.keys import KeyKind, key
from feeds.dedup.names import Names, displayed, is_one_event, name_keys, overlap
from feeds.dedup.subject import Tie
from feeds.dedup.titles import Title, contradiction, jaccard, title_of
from feeds.dedup.vectors import Vector
from feeds.normalizing.text import words

LONGEST_APART = timedelta(hours=24)  # between two reports of one event: SPEC §6
LEAST_CLOSENESS = 0.15  # of a tie; whether it joins is for `grouping`
READ_CHARACTERS = 600  # of the text, behind the title
NUMBERED_CHARACTERS = 200  # of the text, whose numbers count

TERMS_SHARE, MEANING_SHARE = 0.55, 0.27  # of closeness, where both are known
TERMS_ALONE = 0.85  # where the meaning is not known
MEANING_ALONE = 0.62  # across languages
UNRELATED_MEANING = 0.30  # cosine that unrelated headlines reach
FEW_WORDS, MANY_WORDS = 10, 80  # different ones: of a headline; of a headline with several sentences
SPACELESS = frozenset(("zh", "ja", "th", "lo", "km", "my"))  # languages whose terms are pairs of characters
PAIRS_A_WORD = 2
HEADLINE_SCALE = 0.55  # what is close for a headline, as a share of what is close for a text
NOBODY_IN_COMMON = 0.65  # factor for two articles that name somebody each, but none in common
ONE_TEMPLATE = 0.5  # share of common words from which headlines that contradict each other are of two events
SPOKEN_OF = 0.10  # share from which a piece of evidence is named
LEAST_NAMES = 2  # from which naming nobody in common counts
BY_NAMES = 0.04  # added when the names alone fulfil the rule of SPEC §6

N_TERM_KEYS = 16  # heaviest terms of an article that are keys; candidates share two keys
N_NAME_KEYS = 10
LEAST_SHARED_KEYS = 2
LEAST_MEANING = 0.55  # cosine from which articles are compared that share fewer

_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")


@dataclass(frozen=True, slots=True, eq=False)
class Account:
    """What one article tells.

    `terms` is a unit vector, `n_words` how many different words it stands for; `salient` the names and numbers that
    tell its event from one like it; `vector` None where the meaning is not known. `language`: ISO 639-1, "" unknown.
    """

    published_at: datetime
    language: str
    title: Title
    terms: Mapping[str, float]
    n_words: float
    names: Names
    salient: frozenset[str]
    vector: Vector | None


def account_of(
    *, title: str, text: str, language: str, names: Names, vector: Vector | None, published_at: datetime
) -> Account:
    """The account that an article gives; `text` may be as long as it likes, only its beginning is read."""
    in_title = words(title, language)
    counts = Counter(in_title + in_title + words(text[:READ_CHARACTERS], language))
    weights = {term: (1 + float(np.log(n))) * weight(term) for term, n in counts.items()}
    length = float(np.sqrt(sum(value * value for value in weights.values()))) or 1.0
    return Account(
        published_at,
        language,
        title_of(title, language=language),
        {term: value / length for term, value in weights.items()},
        len(weights) / (PAIRS_A_WORD if language in SPACELESS else 1),
        names,
        salient_of(title=title, text=text, names=names),
        vector,
    )


def salient_of(*, title: str, text: str, names: Names) -> frozenset[str]:
    """The names in an article, and the numbers in its title and the beginning of its text."""
    numbers = {number.rstrip(".,:") for number in _NUMBER.findall(f"{title} {text[:NUMBERED_CHARACTERS]}")}
    return frozenset(name_keys(names)) | numbers


def event_keys(account: Account) -> set[int]:
    """Keys under which an article is looked for that may tell of the same event; candidates share two of them."""
    heaviest = sorted(account.terms, key=lambda term: (-account.terms[term], term))[:N_TERM_KEYS]
    names = sorted(name_keys(account.names), key=lambda name: (-weight(name), name))[:N_NAME_KEYS]
    return {key(KeyKind.TERM, term) for term in heaviest} | {key(KeyKind.NAME, name) for name in names}


def event_tie(ours: Account, theirs: Account) -> Tie | None:
    """How close two accounts are, None when they are too far apart to be one event's. Symmetric."""
    if abs(ours.published_at - theirs.published_at) > LONGEST_APART or _is_of_one_template(ours, theirs):
        return None
    terms, meaning = _cosine(ours.terms, theirs.terms), _meaning(ours, theirs)
    is_translation = _is_translation(ours, theirs)
    if is_translation:
        closeness = MEANING_ALONE * (meaning or 0.0)
    else:
        closeness = _sum(terms, meaning) / _scale(min(ours.n_words, theirs.n_words))
    if closeness + BY_NAMES < LEAST_CLOSENESS:  # names, which take longest to compare, add no more
        return None
    common = overlap(ours.names, theirs.names)
    nobody_in_common = not common.shared and min(ours.names.n, theirs.names.n) >= LEAST_NAMES
    if nobody_in_common and not is_translation:
        closeness *= NOBODY_IN_COMMON
    if is_one_event(common):
        closeness += BY_NAMES
    if closeness < LEAST_CLOSENESS:
        return None
    return Tie(
        "same_event", "entities", common.share, min(1.0, closeness), _words(terms, meaning, common.shared), False
    )


def _is_of_one_template(ours: Account, theirs: Account) -> bool:
    """Whether two headlines say different things in the same words: another version, quarter, opponent.

    Other words for one thing are no contradiction here, so each side must have a number or a name of its own.
    """
    if jaccard(ours.title.tokens, theirs.title.tokens) < ONE_TEMPLATE or not contradiction(ours.title, theirs.title):
        return False
    return _differ(ours.title.numbers, theirs.title.numbers) or _differ(_in_headline(ours), _in_headline(theirs))


def _in_headline(account: Account) -> frozenset[str]:
    return frozenset(name for name in name_keys(account.names) if name in account.title.normalized)


def _differ(ours: frozenset[str], theirs: frozenset[str]) -> bool:
    return bool(ours - theirs and theirs - ours)


def _sum(terms: float, meaning: float | None) -> float:
    return TERMS_ALONE * terms if meaning is None else TERMS_SHARE * terms + MEANING_SHARE * meaning


def _is_translation(ours: Account, theirs: Account) -> bool:
    return bool(ours.language and theirs.language) and ours.language != theirs.language


def _scale(n_words: float) -> float:
    share = (n_words - FEW_WORDS) / (MANY_WORDS - FEW_WORDS)
    return HEADLINE_SCALE + (1 - HEADLINE_SCALE) * min(1.0, max(0.0, share))


def _cosine(ours: Mapping[str, float], theirs: Mapping[str, float]) -> float:
    common = ours.keys() & theirs.keys()
    return sum(ours[term] * theirs[term] for term in sorted(common))


def _meaning(ours: Account, theirs: Account) -> float | None:
    if ours.vector is None or theirs.vector is None:
        return None
    cosine = float(ours.vector @ theirs.vector)
    return min(1.0, max(0.0, (cosine - UNRELATED_MEANING) / (1 - UNRELATED_MEANING)))


def _words(terms: float, meaning: float | None, shared: tuple[str, ...]) -> str:
    """The evidence for people: what weighs, as far as there is some."""
    parts = [f"both name {', '.join(map(displayed, shared[:4]))}"] if shared else []
    if terms >= SPOKEN_OF:
        parts.append(f"terms {100 * terms:.0f} % alike")
    if meaning is not None and meaning >= SPOKEN_OF:
        parts.append(f"headlines mean much the same ({100 * meaning:.0f} %)")
    return "; ".join(parts)[:300]
