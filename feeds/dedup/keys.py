"""Blocking keys: short numbers that two articles share when a comparison of the two is worth its cost. Pure.

A fuzzy layer never scans the window (SPEC §6). It asks an index which articles have a key in common with the new one,
and compares with those alone. What makes a key is the business of the layer (`fingerprints`, titles, entities); here a
key of any layer becomes one integer, so that one table with one index serves all.

A key has 48 bits. It need not be unique, for all that a collision costs is one comparison that finds nothing. A
million articles with 40 keys each are 4 · 10^7 keys among 2^48 = 2.8 · 10^14 values; an article that looks up its own
40 meets a wrong one with probability 40 · 4 · 10^7 / 2.8 · 10^14, once in 170,000 articles. And 48 bits fit every
signed 64-bit column and every JSON number exactly, which 64 bits do not.
"""

from enum import IntEnum
from hashlib import blake2b

KEY_BITS = 48


class KeyKind(IntEnum):
    """What a key is made of. The numbers are stored and hashed into the keys: add kinds, never renumber them."""

    TITLE = 1
    SIMHASH = 2
    MINHASH = 3
    SENTENCES = 4
    TERM = 5
    NAME = 6


SHORT_LIVED = frozenset((KeyKind.TITLE, KeyKind.TERM, KeyKind.NAME))  # kinds that match within three days


def key(kind: KeyKind, payload: bytes | str) -> int:
    """The key in [0, 2^48) for a payload, the same in every process; kinds do not share keys. Text counts as UTF-8.

    Keys of short-lived kinds are odd, the others even, so that the index can forget them sooner.
    """
    if isinstance(payload, str):
        payload = payload.encode("utf-8", "replace")
    digest = int.from_bytes(blake2b(bytes((kind,)) + payload, digest_size=KEY_BITS // 8).digest(), "big")
    return digest | 1 if kind in SHORT_LIVED else digest & ~1
