"""What a person opened and what they skipped, summed up in the space of meaning. Pure Python, for the web process.

Two sums are kept, one of what was opened, liked or starred, one of what was skipped or disliked, because people skip
far more than they open: in one sum the many would outweigh the few. The difference of the two averages points from what
a person leaves to what they seek, and what all texts have in common falls out of it.

Stored in little-endian: the id of the engagement after which learning began (8 bytes; earlier ones were not learned, or
were reset, and undoing them takes nothing back), the two amounts, and where anything with a vector was learned, the two
sums of 512 numbers, all of 4 bytes.
"""

import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import mul

from reader.learning.gains import Lesson

DIMENSIONS = 512
SMOOTHING = 1.0  # added to an amount before it divides; one opening counts half, so that one is not taken for all
_HEAD = struct.Struct("<qff")

Numbers = Sequence[float]


@dataclass(frozen=True, slots=True)
class Meaning:
    """The amounts and the sums of both sides. The sums are () where nothing with a vector was learned."""

    liked: float = 0.0
    disliked: float = 0.0
    liked_sum: Numbers = ()
    disliked_sum: Numbers = ()
    learned_after: int = 0

    def faded(self, share: float) -> "Meaning":
        """As it is when only `share` of everything is left."""
        return replace(
            self,
            liked=share * self.liked,
            disliked=share * self.disliked,
            liked_sum=[share * each for each in self.liked_sum],
            disliked_sum=[share * each for each in self.disliked_sum],
        )

    def learning_after(self, engagement_id: int) -> "Meaning":
        """The same, with learning begun anew behind that engagement."""
        return replace(self, learned_after=engagement_id)

    def taught(self, lesson: Lesson, vector: bytes) -> "Meaning":
        """With one more article (or, of a negative lesson, one less); `vector` as stored, b"" where it has none."""
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
        """From what is left to what is sought: the difference of the averages; () where there are no vectors."""
        if not self.liked_sum and not self.disliked_sum:
            return ()
        seek, leave = 1 / (self.liked + SMOOTHING), 1 / (self.disliked + SMOOTHING)
        pairs = zip(self.liked_sum or _NONE, self.disliked_sum or _NONE, strict=True)
        return [seek * one - leave * other for one, other in pairs]

    @property
    def balance(self) -> float:
        """What a negative weight counts, in (0, 1]: less where more was skipped than opened."""
        return min(1.0, (self.liked + SMOOTHING) / (self.disliked + SMOOTHING))

    def stored(self) -> bytes:
        head = _HEAD.pack(self.learned_after, self.liked, self.disliked)
        if not self.liked_sum and not self.disliked_sum:
            return head
        return head + _floats(self.liked_sum or _NONE) + _floats(self.disliked_sum or _NONE)


_NONE: Numbers = (0.0,) * DIMENSIONS


def meaning_from(stored: bytes) -> Meaning:
    """What `stored` gave; nothing learned for b"" and for what is of another length."""
    if len(stored) < _HEAD.size:
        return Meaning()
    learned_after, liked, disliked = _HEAD.unpack_from(stored)
    numbers = struct.unpack(f"<{(len(stored) - _HEAD.size) // 4}f", stored[_HEAD.size :])
    if len(numbers) != 2 * DIMENSIONS:
        numbers = ()
    return Meaning(liked, disliked, numbers[:DIMENSIONS], numbers[DIMENSIONS:], learned_after)


def unit_from(vector: bytes) -> Numbers:
    """The unit vector that is stored as 512 signed bytes; () for anything else, and for nothing but zeros."""
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
