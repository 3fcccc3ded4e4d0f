"""What a person cares about, as a value: what it is made of, and how relevant an article is by it.

Pure Python without numpy, for it explains scores in the web process; `profile_arrays` gives the same for many at once.

The space. An article is one vector of unit length, (√(1 - m) · a, √m · v): a holds its TF-IDF terms (title twice and
first 200 words) and v its meaning, both of unit length, m = `MEANING_SHARE`. The profile is a vector (√(1 - m) · t,
√m · d) of the same space: t the weights of terms, d the direction of meaning. Their cosine is

    cos = ((1 - m) t·a + m d·v) / √((1 - m) |t|² + m |d|²)

and where the article or the profile has no vector of meaning, the plain cosine of terms, t·a / |t|.

What is learned. An article that was opened, liked, … with gain g adds g · a to the weights of its `STRONGEST` terms,
and its meaning to one of two sums (`reader.learning.meaning`); everything fades by 10 % a week. So t and d are what
Rocchio's method gives. d is the difference of two averages; t is brought to the same scale by the amount learned, and
its negative weights are held against as many positive ones: people leave far more than they open.

Thin evidence. With e the sum of the absolute gains, certainty c = e / (e + `EVIDENCE_HALF`), and

    relevance = 50 (1 - c) + 100 c · cos, not below 0.

Nothing known gives 50, and much known gives 100 · cos (SPEC §9). The bound comes last: while little is known, what is
disliked stands below what nothing is known of; bounding the cosine itself was tried, and lost 0.07 of AUC at 5 labels.

Measured (`tests/reader/test_learning_profile.py` holds the floor): simulated readers who like two of eight categories,
AUC of unseen English articles after 5, 20, 50, 100 labels: 0.76, 0.86, 0.92, 0.95; with terms alone 0.69, 0.80, 0.88,
0.92. Dropped: one sum of meaning for both sides (0.72 at 100 labels); taking the average of all texts off the vectors
before (no different with two sums); fewer terms of an article (20: 0.90 with terms alone).
"""

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from reader.learning.features import index_of, term_counts
from reader.learning.gains import decay
from reader.learning.linear import COUNT_WORTH, Idf
from reader.learning.meaning import SMOOTHING, Meaning, Numbers, dot, unit_from

NEUTRAL = 50.0  # relevance without a profile; SPEC §8
MEANING_SHARE = 0.3  # of the space; 0.1 to 0.4 differ little: less suits long texts, more suits bare titles
STRONGEST = 60  # terms that are learned of an article; measured
EVIDENCE_HALF = 10.0  # gain at which relevance is half learned: 10 openings, or 3 likes
STATED_MOST = 5.0  # evidence that stated interests give at most: a third of certainty

Values = Iterable[tuple[int, float]]


@dataclass(frozen=True, slots=True)
class Term:
    """A term as kept: `weight` is of `engaged_at`. `is_stated`: named, perhaps as a phrase."""

    term: str
    weight: float
    engaged_at: datetime
    is_stated: bool = False
    is_pinned: bool = False
    is_muted: bool = False

    def weight_at(self, now: datetime) -> float:
        """What it weighs at `now`: faded, unless it is pinned."""
        return self.weight if self.is_pinned else self.weight * decay(self.engaged_at, now)

    @property
    def numbers(self) -> tuple[int, ...]:
        """The hashed words of it: one of what was learned, as many as there are of what was stated."""
        found = term_counts(self.term, "") if self.is_stated else ()
        return tuple(dict.fromkeys(map(index_of, found))) or (index_of(self.term),)


@dataclass(frozen=True, slots=True)
class Pull:
    """What a term counts in the space, on each of its words."""

    term: str
    weight: float
    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """What a person cares about at one moment.

    `numbers` are the weights by the number of a hashed term, `vector` the direction of meaning, () where there is none;
    `evidence` the sum of absolute gains. `pulls` say which terms the numbers came from.
    """

    numbers: Mapping[int, float]
    vector: Numbers = ()
    evidence: float = 0.0
    pulls: Collection[Pull] = ()

    @property
    def certainty(self) -> float:
        """How far relevance is the profile's own, in [0, 1); 0 where it says nothing."""
        if not any(self.numbers.values()) and not any(self.vector):
            return 0.0
        return self.evidence / (self.evidence + EVIDENCE_HALF)


NOBODY = Profile({})


class Part(StrEnum):
    """What a contribution is: of a term, of the meaning as a whole, what stands for what is not known yet, or what was
    added to stay at 0."""

    TERM = "term"
    MEANING = "meaning"
    NEUTRAL = "neutral"
    FLOOR = "floor"


@dataclass(frozen=True, slots=True)
class Contribution:
    """What a part brings to a relevance, in its points; below 0 it takes away."""

    part: Part
    share: float
    term: str = ""


def profile_from(terms: Iterable[Term], meaning: Meaning, *, evidence: float, now: datetime) -> Profile:
    """The profile at `now`. `meaning` and `evidence`, what was learned, are those of `now` already.

    Muted terms count for nothing. Stated ones are evidence too, up to `STATED_MOST`.
    """
    scale = 1 / (meaning.liked + SMOOTHING)
    pulls = []
    stated = 0.0
    for each in terms:
        weight = 0.0 if each.is_muted else each.weight_at(now)
        if not weight:
            continue
        if each.is_stated or each.is_pinned:
            stated += abs(weight)
        if weight < 0 and not each.is_pinned:
            weight *= meaning.balance
        numbers = each.numbers
        pulls.append(Pull(each.term, scale * weight / math.sqrt(len(numbers)), numbers))
    by_number: dict[int, float] = {}
    for pull in pulls:
        for number in pull.numbers:
            by_number[number] = by_number.get(number, 0.0) + pull.weight
    return Profile(by_number, meaning.direction, max(0.0, evidence) + min(stated, STATED_MOST), pulls)


def strongest(counts: Mapping[str, int], idf: Idf, *, most: int = STRONGEST) -> dict[str, float]:
    """The terms of an article that are learned, and their values: TF-IDF, all terms of the article of unit length.

    `counts` as of `features.term_counts`. Terms that the background calls commonplace (0) are left out.
    """
    top = len(COUNT_WORTH) - 1
    values = {term: COUNT_WORTH[min(n, top)] * idf(index_of(term)) for term, n in counts.items()}
    length = math.sqrt(math.fsum(value * value for value in values.values())) or 1.0
    best = sorted(values.items(), key=lambda pair: (-pair[1], pair[0]))[:most]
    return {term: value / length for term, value in best if value > 0}


def relevance(profile: Profile, values: Values, vector: bytes = b"") -> float:
    """How relevant an article is, 0 to 100, 50 without a profile.

    `values` are its terms as of `linear.term_values`, `vector` its meaning as stored (512 signed bytes, b"" for none).
    """
    return max(0.0, math.fsum(each.share for each in _shares(profile, dict(values), vector)))


def contributions(profile: Profile, values: Values, vector: bytes = b"") -> list[Contribution]:
    """What made that relevance: parts that add up to it, what stands for the unknown first, then the largest first."""
    shares = _shares(profile, dict(values), vector)
    total = math.fsum(each.share for each in shares)
    if total < 0:
        shares.append(Contribution(Part.FLOOR, -total))
    return sorted(shares, key=lambda each: (each.part is not Part.NEUTRAL, -abs(each.share)))


def _shares(profile: Profile, values: Mapping[int, float], vector: bytes) -> list[Contribution]:
    certainty = profile.certainty
    shares = [Contribution(Part.NEUTRAL, NEUTRAL * (1 - certainty))]
    unit = unit_from(vector) if profile.vector else ()
    for_terms, for_meaning = (1 - MEANING_SHARE, MEANING_SHARE) if unit else (1.0, 0.0)
    squares = for_terms * math.fsum(weight * weight for weight in profile.numbers.values())
    if unit:
        squares += for_meaning * dot(profile.vector, profile.vector)
    if not certainty or not squares:
        return shares
    unit_of_share = 100 * certainty / math.sqrt(squares)
    if unit:
        shares.append(Contribution(Part.MEANING, unit_of_share * for_meaning * dot(profile.vector, unit)))
    for term, met in _met(profile, values):
        shares.append(Contribution(Part.TERM, unit_of_share * for_terms * met, term))
    return shares


def _met(profile: Profile, values: Mapping[int, float]) -> Iterable[tuple[str, float]]:
    """Each term of the profile that the article has, and weight times value; numbers without a term as one, ""."""
    for pull in profile.pulls:
        met = [values[number] for number in pull.numbers if number in values]
        if met:
            yield pull.term, pull.weight * math.fsum(met)
    if not profile.pulls:
        yield "", math.fsum(weight * values.get(number, 0.0) for number, weight in profile.numbers.items())
