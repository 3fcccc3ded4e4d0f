"""The embeddings of what a user opened and skipped, summed up. Pure Python, for the web process.

Two sums are kept, one of what was opened, liked or starred, one of what was skipped or disliked, because users skip far
more than they open: in a single sum the skipped would dominate. The difference of the two averages is the direction of
the user's interests; what all texts have in common cancels out.

Stored in little-endian: the id of the engagement after which learning began (8 bytes; earlier ones were not learned, or
were reset, so undoing them has no effect), the two amounts, and, if anything with an embedding was learned, the two
sums of 512 numbers, 4 bytes each.
"""

import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import mul

from reader.interests.learning.engagement_weights import Feedback

DIMENSIONS = 512
SMOOTHING = 1.0  # added to the amount in the denominator, so that a single opening counts only half
_HEAD = struct.Struct("<qff")

Numbers = Sequence[float]


@dataclass(frozen=True, slots=True)
class EmbeddingProfile:
    """The amounts and the sums of both sides. The sums are () if nothing with an embedding was learned."""

    liked: float = 0.0
    disliked: float = 0.0
    liked_sum: Numbers = ()
    disliked_sum: Numbers = ()
    learned_after: int = 0

    def faded(self, share: float) -> "EmbeddingProfile":
        """With everything decayed to `share`."""
        return replace(
            self,
            liked=share * self.liked,
            disliked=share * self.disliked,
            liked_sum=[share * value for value in self.liked_sum],
            disliked_sum=[share * value for value in self.disliked_sum],
        )

    def learning_after(self, engagement_id: int) -> "EmbeddingProfile":
        """The same, ignoring engagements up to this one."""
        return replace(self, learned_after=engagement_id)

    def updated(self, lesson: Feedback, vector: bytes) -> "EmbeddingProfile":
        """With the feedback on one more article; `vector` as stored, b"" for none."""
        unit = unit_from(vector)
        return replace(
            self,
            liked=max(0.0, self.liked + lesson.liked),
            disliked=max(0.0, self.disliked + lesson.disliked),
            liked_sum=_plus(self.liked_sum, lesson.liked, unit),
            disliked_sum=_plus(self.disliked_sum, lesson.disliked, unit),
        )

    @property
    def direction(self) -> Numbers:
        """From disliked to liked: the difference of the averages; () without embeddings."""
        if not self.liked_sum and not self.disliked_sum:
            return ()
        seek, leave = 1 / (self.liked + SMOOTHING), 1 / (self.disliked + SMOOTHING)
        pairs = zip(self.liked_sum or _NONE, self.disliked_sum or _NONE, strict=True)
        return [seek * one - leave * other for one, other in pairs]

    @property
    def balance(self) -> float:
        """The factor for negative weights, in (0, 1]: below 1 if more was skipped than opened."""
        return min(1.0, (self.liked + SMOOTHING) / (self.disliked + SMOOTHING))

    def stored(self) -> bytes:
        head = _HEAD.pack(self.learned_after, self.liked, self.disliked)
        if not self.liked_sum and not self.disliked_sum:
            return head
        return head + _floats(self.liked_sum or _NONE) + _floats(self.disliked_sum or _NONE)


_NONE: Numbers = (0.0,) * DIMENSIONS


def parse_profile(stored: bytes) -> EmbeddingProfile:
    """The inverse of `stored`; an empty profile for b"" and data of another length."""
    if len(stored) < _HEAD.size:
        return EmbeddingProfile()
    learned_after, liked, disliked = _HEAD.unpack_from(stored)
    numbers = struct.unpack(f"<{(len(stored) - _HEAD.size) // 4}f", stored[_HEAD.size :])
    if len(numbers) != 2 * DIMENSIONS:
        numbers = ()
    return EmbeddingProfile(liked, disliked, numbers[:DIMENSIONS], numbers[DIMENSIONS:], learned_after)


def unit_from(vector: bytes) -> Numbers:
    """The unit vector of 512 stored signed bytes; () for anything else, and for all zeros."""
    if len(vector) != DIMENSIONS:
        return ()
    values = memoryview(vector).cast("b")
    length = math.sqrt(sum(value * value for value in values))
    return [value / length for value in values] if length else ()


def dot(one: Numbers, other: Numbers) -> float:
    return math.fsum(map(mul, one, other))


def _plus(total: Numbers, amount: float, unit: Numbers) -> Numbers:
    if not amount or not unit:
        return total
    return [each + amount * value for each, value in zip(total or _NONE, unit, strict=True)]


def _floats(numbers: Numbers) -> bytes:
    return struct.pack(f"<{len(numbers)}f", *numbers)
