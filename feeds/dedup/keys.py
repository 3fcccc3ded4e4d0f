"""Hashes of words, and blocking keys: integers that two articles share if they are worth comparing. Pure.

The fuzzy layers never scan the window (SPEC §6). An index gives the articles that share a key with the new one, and
only those are compared. Each layer makes its own keys (`fingerprints`, titles, entities); here they become integers, so
that one table and index serve all.

Keys have 48 bits, which fit signed 64-bit columns and JSON numbers exactly. A collision costs one useless comparison: a
million articles with 40 keys each have 4 · 10^7 keys among 2^48 = 2.8 · 10^14 values, so about one article in 170,000
has a collision.
"""

from collections.abc import Iterable
from enum import IntEnum
from hashlib import blake2b

KEY_BITS = 48
_CACHED_WORDS, _LONGEST_CACHED = 2**15, 40  # the latter in characters: some 5 MB, at most 12 MB


class KeyKind(IntEnum):
    """The source of a key. The numbers are hashed into stored keys: add kinds, never renumber them."""

    TITLE = 1
    SIMHASH = 2
    MINHASH = 3
    SENTENCES = 4
    TERM = 5
    NAME = 6
    MEANING = 7


SHORT_LIVED = frozenset(
    (KeyKind.TITLE, KeyKind.TERM, KeyKind.NAME, KeyKind.MEANING)
)  # kinds that match within three days


def key(kind: KeyKind, payload: bytes | str) -> int:
    """The key in [0, 2^48) for a payload, the same in every process and different for each kind. Text is UTF-8.

    Keys of short-lived kinds are odd and others even, so that the index can delete them sooner.
    """
    return keys_of(kind, [payload.encode("utf-8", "replace") if isinstance(payload, str) else payload])[0]


def keys_of(kind: KeyKind, payloads: Iterable[bytes]) -> tuple[int, ...]:
    """The keys for several payloads, as `key`."""
    prefix, last_bit, size = bytes((kind,)), int(kind in SHORT_LIVED), KEY_BITS // 8
    digests = [blake2b(prefix + payload, digest_size=size).digest() for payload in payloads]
    return tuple([int.from_bytes(digest, "big") & ~1 | last_bit for digest in digests])


class _WordHashes(dict[str, bytes]):
    """The hashes of words. Only short ones are kept, so that no feed can fill the memory."""

    def __missing__(self, word: str) -> bytes:
        hashed = blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        if len(word) <= _LONGEST_CACHED:
            if len(self) >= _CACHED_WORDS:
                self.clear()
            self[word] = hashed
        return hashed


word_hash = _WordHashes().__getitem__  # of 8 bytes, the same in every process


def word_hashes(words: Iterable[str]) -> bytes:
    """The hashes of words, one after the other, 8 bytes each."""
    return b"".join(map(word_hash, words))
