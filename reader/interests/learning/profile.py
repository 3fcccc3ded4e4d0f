"""The interest profile as a value, and how relevant an article is to it.

Pure Python without numpy, since it explains scores in the web process; `profile_arrays` computes the same for many.

The space. An article is one vector of unit length, (√(1 - m) · a, √m · v): a holds its TF-IDF terms (title twice and
first 200 words) and v its embedding, both of unit length, m = `EMBEDDING_SHARE`. The profile is a vector (√(1 - m) · t,
√m · d) of the same space: t the weights of terms, d the direction of embeddings. Their cosine is

    cos = ((1 - m) t·a + m d·v) / √((1 - m) |t|² + m |d|²)

and without an embedding in the article or the profile, the plain cosine of terms, t·a / |t|. Cosines are small, 0.1 for
a good match, so relevance is their place among those of the user's other articles (`inference.Scale`).

Learning. An action with gain g on an article adds g · a to the weights of its `STRONGEST` terms, and its embedding to
one of two sums (`reader.interests.learning.embedding_profile`); everything decays by 10 % a week. This is Rocchio's
method. d is the difference of two averages; t is scaled to match by the amount learned, and negative weights are
balanced against as many positive ones, since users skip far more than they open.

Little evidence. With e the sum of absolute gains, certainty c = e / (e + `EVIDENCE_HALF`): with little, relevance stays
nearer to 50.

Tried and dropped: one sum of embeddings for both sides (AUC 0.72 instead of 0.95 at 100 labels); subtracting the
average embedding first (no difference with two sums); 20 terms per article (0.90 with terms alone).
"""

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from feeds.dedup.idf import tf_idf
from reader.interests.learning.embedding_profile import SMOOTHING, EmbeddingProfile, Numbers, dot, unit_from
from reader.interests.learning.engagement_weights import decay
from reader.interests.learning.features import MAX_COUNT, count_terms, hash_feature
from reader.interests.learning.inference import Idf

EMBEDDING_SHARE = 0.3  # of the space; 0.1 to 0.4 differ little: less suits long texts, more suits bare titles
STRONGEST = 60  # terms that are learned of an article; measured
EVIDENCE_HALF = 10.0  # gain at which relevance is half learned: 10 openings, or 3 likes
MAX_STATED = 5.0  # evidence that stated interests give at most: a third of certainty

Values = Iterable[tuple[int, float]]


@dataclass(frozen=True, slots=True)
class Term:
    """A stored term; `weight` is as of `engaged_at`. `is_stated`: named by the user, possibly as a phrase."""

    term: str
    weight: float
    engaged_at: datetime
    is_stated: bool = False
    is_pinned: bool = False
    is_muted: bool = False

    def weight_at(self, now: datetime) -> float:
        """The weight at `now`: decayed, unless pinned."""
        return self.weight if self.is_pinned else self.weight * decay(self.engaged_at, now)

    @property
    def hashes(self) -> tuple[int, ...]:
        """The hashes of its words: one for a learned term, several for a stated phrase."""
        words = count_terms(self.term, "") if self.is_stated else ()
        return tuple(dict.fromkeys(map(hash_feature, words))) or (hash_feature(self.term),)


@dataclass(frozen=True, slots=True)
class WeightedTerm:
    """The weight that a term has on each of its words."""

    term: str
    weight: float
    hashes: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """A user's interests at one time.

    `weights` by the hash of a term, `vector` the direction of embeddings, () if there is none; `evidence` the sum of
    absolute gains. `terms` are the terms that the weights come from.
    """

    weights: Mapping[int, float]
    vector: Numbers = ()
    evidence: float = 0.0
    terms: Collection[WeightedTerm] = ()

    @property
    def certainty(self) -> float:
        """How far relevance follows the profile, in [0, 1); 0 for an empty one."""
        if not any(self.weights.values()) and not any(self.vector):
            return 0.0
        return self.evidence / (self.evidence + EVIDENCE_HALF)


EMPTY_PROFILE = Profile({})


class Part(StrEnum):
    """What a contribution is from: a term or the embedding."""

    TERM = "term"
    EMBEDDING = "embedding"


@dataclass(frozen=True, slots=True)
class Contribution:
    """A part's contribution to a cosine; may be negative."""

    part: Part
    share: float
    term: str = ""


def profile_from(terms: Iterable[Term], embedding: EmbeddingProfile, *, evidence: float, now: datetime) -> Profile:
    """The profile at `now`. `embedding` and `evidence` must be decayed to `now`.

    Muted terms don't count. Stated ones add to the evidence, up to `MAX_STATED`.
    """
    scale = 1 / (embedding.liked + SMOOTHING)
    weighted = []
    stated = 0.0
    for term in terms:
        weight = 0.0 if term.is_muted else term.weight_at(now)
        if not weight:
            continue
        if term.is_stated or term.is_pinned:
            stated += abs(weight)
        if weight < 0 and not term.is_pinned:
            weight *= embedding.balance
        hashes = term.hashes
        weighted.append(WeightedTerm(term.term, scale * weight / math.sqrt(len(hashes)), hashes))
    by_hash: dict[int, float] = {}
    for item in weighted:
        for index in item.hashes:
            by_hash[index] = by_hash.get(index, 0.0) + item.weight
    return Profile(by_hash, embedding.direction, max(0.0, evidence) + min(stated, MAX_STATED), weighted)


def strongest_terms(counts: Mapping[str, int], idf: Idf, *, most: int = STRONGEST) -> dict[str, float]:
    """The terms of an article that are learned, with their values: TF-IDF, normalized to unit length over all terms.

    `counts` as from `features.count_terms`. Terms with an IDF of 0 are left out.
    """
    values = tf_idf({term: min(n, MAX_COUNT) for term, n in counts.items()}, lambda term: idf(hash_feature(term)))
    best = sorted(values.items(), key=lambda pair: (-pair[1], pair[0]))[:most]
    return {term: value for term, value in best if value > 0}


def cosine(profile: Profile, values: Values, vector: bytes = b"") -> float:
    """How much an article is like the profile, from -1 to 1.

    `values` are its terms as from `inference.term_values`, `vector` its stored embedding (512 signed bytes, b"" for
    none).
    """
    return math.fsum(part.share for part in contributions(profile, values, vector))


def contributions(profile: Profile, values: Values, vector: bytes = b"") -> list[Contribution]:
    """The parts that add up to the cosine, the largest first."""
    unit = unit_from(vector) if profile.vector else ()
    for_terms, for_embedding = (1 - EMBEDDING_SHARE, EMBEDDING_SHARE) if unit else (1.0, 0.0)
    squares = for_terms * math.fsum(weight * weight for weight in profile.weights.values())
    if unit:
        squares += for_embedding * dot(profile.vector, profile.vector)
    if not squares:
        return []
    length = math.sqrt(squares)
    shares = [
        Contribution(Part.TERM, for_terms * match / length, term) for term, match in _matches(profile, dict(values))
    ]
    if unit:
        shares.append(Contribution(Part.EMBEDDING, for_embedding * dot(profile.vector, unit) / length))
    return sorted(shares, key=lambda share: -abs(share.share))


def _matches(profile: Profile, values: Mapping[int, float]) -> Iterable[tuple[str, float]]:
    """The profile's terms in the article, with weight times value; all as one, "", if the terms aren't loaded."""
    for term in profile.terms:
        matching = [values[index] for index in term.hashes if index in values]
        if matching:
            yield term.term, term.weight * math.fsum(matching)
    if not profile.terms:
        yield "", math.fsum(weight * values.get(index, 0.0) for index, weight in profile.weights.items())
