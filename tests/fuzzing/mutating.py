"""Damage to samples: by characters and by pieces, in text and in bytes alike."""

from collections.abc import Sequence
from random import Random

MAX_SIZE = 6_000  # characters or bytes of a case, so that a second is many cases
MAX_CHANGES = 6

STRANGE = (
    "\0", "\x01", "\x0b", "\x0c", "\x1b", "\x1f", "\x7f", "\x80", "\x85", "\x9f", "\xa0", "\xad", "ß", "İ", "ı", "ſ",
    "\u0300", "\u0301", "\u034f", "\u200b", "\u200c", "\u200d", "\u200e", "\u2028", "\u2029", "\u202e", "\u2060",
    "\u2066", "\ufb01", "\ufdfa", "\ufe0f", "\ufeff", "\ufffd", "\ufffe", "\uffff", "\ud800", "\udfff", "１", "Ａ",
    "．", "。", "／", "①", "²", "٣", "Ⅷ", "ﷺ", "漢", "か", "한", "ไ", "ا", "ש", "🏳️‍🌈", "👩‍💻", "\U000e0001",
    "\U0010ffff",
)  # fmt: skip
_LENGTHS = (1, 1, 1, 2, 3, 5, 8, 20, 60)


def text(random: Random, samples: Sequence[str], pieces: Sequence[str]) -> str:
    """A sample, damaged; `pieces` are what the format's parsers look for."""
    changed = random.choice(samples)
    for _ in range(random.randint(0, MAX_CHANGES)):
        changed = _changed_text(random, changed, samples, pieces)[:MAX_SIZE]
    return changed


def data(random: Random, samples: Sequence[bytes], pieces: Sequence[bytes]) -> bytes:
    """The same in bytes."""
    changed = random.choice(samples)
    for _ in range(random.randint(0, MAX_CHANGES)):
        changed = _changed_data(random, changed, samples, pieces)[:MAX_SIZE]
    return changed


def sentence(random: Random, pieces: Sequence[str], *, most: int = 12) -> str:
    """Pieces in any order, with something strange among them now and then."""
    chosen = random.choices(pieces, k=random.randint(1, most))
    if random.random() < 0.2:
        chosen.insert(random.randint(0, len(chosen)), random.choice(STRANGE))
    return "".join(chosen)


def _span(random: Random, length: int) -> tuple[int, int]:
    start = random.randint(0, length)
    return start, min(length, start + random.choice(_LENGTHS))


def _changed_text(random: Random, before: str, samples: Sequence[str], pieces: Sequence[str]) -> str:
    start, end = _span(random, len(before))
    what = random.randrange(9)
    if what == 0:
        inside = ""
    elif what == 1:
        inside = before[start:end] * random.choice((2, 3, 10, 100))
    elif what == 2:
        inside = random.choice(STRANGE)
    elif what == 3:
        inside = chr(random.choice((random.randrange(128), random.randrange(0x110000))))
    elif what == 4:
        other = random.choice(samples)
        at, until = _span(random, len(other))
        inside = before[start:end] + other[at : until + 40]
    elif what == 5:
        return before[:start]
    elif what == 6:
        return before[start:] + before[:start]
    elif what == 7:
        inside = random.choice(pieces) * random.choice((1, 1, 2, 50))
    else:
        inside = random.choice(pieces) + before[start:end]
    return before[:start] + inside + before[end:]


def _changed_data(random: Random, before: bytes, samples: Sequence[bytes], pieces: Sequence[bytes]) -> bytes:
    start, end = _span(random, len(before))
    what = random.randrange(8)
    if what == 0:
        inside = b""
    elif what == 1:
        inside = before[start:end] * random.choice((2, 3, 10, 100))
    elif what == 2:
        inside = random.randbytes(random.choice(_LENGTHS))
    elif what == 3:
        inside = bytes(byte ^ (1 << random.randrange(8)) for byte in before[start:end])
    elif what == 4:
        other = random.choice(samples)
        at, until = _span(random, len(other))
        inside = before[start:end] + other[at : until + 40]
    elif what == 5:
        return before[:start]
    elif what == 6:
        inside = random.choice(STRANGE).encode("utf-8", "surrogatepass")
    else:
        inside = random.choice(pieces) * random.choice((1, 1, 2, 50))
    return before[:start] + inside + before[end:]
