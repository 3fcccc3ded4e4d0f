"""Layer 4 of deduplication: fingerprints of texts, and whether two texts match. Pure.

Theory. Copies of an article are rarely equal: an editor changes a word, cuts the end, adds a note. Two texts match by
any of three measures, each of which finds what the others miss:

*SimHash* (Charikar 2002; Manku, Jain and Das Sarma 2007). Every occurrence of a word votes on each of 64 bits with the
bits of its hash; the majority gives the fingerprint's bit. The expected share of differing bits is the angle between
the word-count vectors, divided by π. So at most 3 differing bits mean almost the same words, in any order. Of 4 blocks
of 16 bits, 3 differing bits leave at least one unchanged, so blocks as keys miss nothing.

*MinHash* (Broder 1997). The similarity of two texts is the Jaccard similarity of their sets of 3-word phrases. Under a
random permutation of all phrases, the two sets have the same smallest element with exactly that probability. 128
permutations give a signature, and 16 bands of 8 become keys: two texts with similarity J agree in a band with
probability J^8, in at least one with 1 − (1 − J^8)^16: 6 % at 0.5, 61 % at 0.7, 95 % at 0.8, 99 % at 0.85. The keys
only find candidates; the similarity itself is computed exactly.

*Sentences*: two of the first three long sentences are equal, see `sentences`. Keys are pairs of sentences, so that
texts that share two share a key, and a publisher's boilerplate sentence makes no candidates by itself.

Known false positives: texts from a template (weather, prices, scores, release notes: "Rust 1.84" and "Rust 1.83") that
differ in a few words of many; a boilerplate description on every entry of a feed; texts in which one word outweighs all
others. Known false negatives: translations, rewritten reports, and short texts with one sentence changed. Only 2,000
words are compared, so longer texts that agree up to there match.

In scripts without spaces, words are overlapping pairs of characters and phrases are four characters. Hashes are BLAKE2b
and permutations have a fixed seed, so fingerprints are the same in every process and stored keys stay valid. Sources:
strategy.md step 3, best-practices.md on deduplication, SPEC §6.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt
from simhash import Simhash

from feeds.dedup.keys import KeyKind, keys_of, word_hash, word_hashes
from feeds.dedup.sentences import first_sentences, folded
from feeds.normalizing.text import words

MIN_WORDS = 20  # SPEC §6: shorter texts have no fingerprint
MAX_DISTANCE = 3  # bits of 64: Manku et al. 2007; strategy.md step 3
MIN_JACCARD = 0.7  # best-practices.md, deduplication
MIN_SENTENCES = 2  # likewise
N_HASHES = 128  # likewise, as the two below
BANDS = 16
ROWS = 8
COMPARED_WORDS = 2_000  # of longer texts the beginning; limits time (1 ms) and memory (16 kB)
COMPARED_CHARACTERS = 20 * COMPARED_WORDS

_BITS = 64
_BLOCKS = 4  # of 16 bits: one more than bits that may differ
_FACTORS = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F))  # odd, else arbitrary
_ROWS_AT_ONCE = 512  # hashes permuted together: 256 kB

Hashes = npt.NDArray[np.uint64]
Signature = npt.NDArray[np.uint32]


def _permutations() -> tuple[Signature, Signature]:
    """Factors, odd so that hashes stay distinct, and summands. Another seed would invalidate stored keys."""
    random = np.random.RandomState(1)
    factors = random.randint(0, 2**31, N_HASHES, dtype=np.uint32) * np.uint32(2) + np.uint32(1)
    return factors, random.randint(0, 2**32, N_HASHES, dtype=np.uint32)


_PERMUTING = _permutations()
_MIXING = ((16, 0x85EBCA6B), (13, 0xC2B2AE35))  # MurmurHash3, fmix32


@dataclass(frozen=True, slots=True, eq=False)
class Fingerprint:
    """The values by which a text is compared.

    `simhash`: 64 bits, unsigned. `shingles`: the hashes of its 3-word phrases, sorted, each once, read-only.
    `sentences`: 64-bit hashes of its first 3 sentences of more than 10 words; fewer if there are fewer.
    """

    simhash: int
    shingles: Hashes
    sentences: frozenset[int]


@dataclass(frozen=True, slots=True)
class ContentMatch:
    """Why two texts match: `measure` is "simhash" (`value` in bits), "sentences" (how many) or "minhash" (Jaccard).

    `words`: the same as text.
    """

    measure: str
    value: float
    words: str


def fingerprint_of(text: str, *, language: str = "") -> Fingerprint | None:
    """The fingerprint of a plain text, None under 20 words. `language`: ISO 639-1, "" unknown."""
    text = text[:COMPARED_CHARACTERS]
    compared = words(folded(text), language)[:COMPARED_WORDS]
    if len(compared) < MIN_WORDS:
        return None
    hashes = word_hashes(compared)
    sentences = first_sentences(text, language=language)
    return Fingerprint(
        simhash=_majority(hashes),
        shingles=_shingles_of(hashes),
        sentences=frozenset(int.from_bytes(word_hash(sentence), "big") for sentence in sentences),
    )


def simhash_of(words: Sequence[str]) -> int:
    """The SimHash of words with their counts, in [0, 2^64); 0 for none. Tied votes give 0."""
    return _majority(word_hashes(words))


def hamming(ours: int, theirs: int) -> int:
    """The number of bits in which two SimHashes differ, in [0, 64]."""
    return int(Simhash(ours, f=_BITS).distance(Simhash(theirs, f=_BITS)))


def minhash_of(shingles: Hashes) -> Signature:
    """The smallest hash of the set under each of 128 permutations; all bits set for the empty set.

    Same algorithm as `datasketch` ("affine32"), which with scipy would take 60 MB in every worker: the lower 32 bits,
    mixed by the finalizer of MurmurHash3, then a · h + b modulo 2^32.
    """
    mixed = shingles.astype(np.uint32)
    for shift, factor in _MIXING:
        mixed ^= mixed >> np.uint32(shift)
        mixed *= np.uint32(factor)
    mixed ^= mixed >> np.uint32(16)
    signature = np.full(N_HASHES, 2**32 - 1, dtype=np.uint32)
    for start in range(0, mixed.size, _ROWS_AT_ONCE):
        permuted = mixed[start : start + _ROWS_AT_ONCE, None] * _PERMUTING[0]
        permuted += _PERMUTING[1]
        np.minimum(signature, permuted.min(axis=0), out=signature)
    return signature


def simhash_keys(simhash: int) -> tuple[int, ...]:
    """Four keys; two SimHashes that differ in at most 3 bits share one."""
    return keys_of(KeyKind.SIMHASH, _numbered(simhash.to_bytes(_BITS // 8, "big"), _BLOCKS))


def band_keys(signature: Signature) -> tuple[int, ...]:
    """Sixteen keys; two sets with Jaccard similarity J share one with probability 1 − (1 − J^8)^16."""
    return keys_of(KeyKind.MINHASH, _numbered(signature.astype("<u4").tobytes(), BANDS))


def sentence_keys(sentences: frozenset[int]) -> tuple[int, ...]:
    """A key for each pair of sentences: three, one or none. Sets that share two sentences share a key."""
    hashes = [sentence.to_bytes(8, "big") for sentence in sorted(sentences)]
    return keys_of(KeyKind.SENTENCES, [one + other for one, other in combinations(hashes, 2)])


def content_keys(fingerprint: Fingerprint) -> dict[KeyKind, tuple[int, ...]]:
    """All keys of a fingerprint, 20 to 23."""
    return {
        KeyKind.SIMHASH: simhash_keys(fingerprint.simhash),
        KeyKind.MINHASH: band_keys(minhash_of(fingerprint.shingles)),
        KeyKind.SENTENCES: sentence_keys(fingerprint.sentences),
    }


def shingle_jaccard(ours: Fingerprint, theirs: Fingerprint) -> float:
    """The Jaccard similarity of the 3-word phrases of two texts, in [0, 1]; exact."""
    n_shared = np.intersect1d(ours.shingles, theirs.shingles, assume_unique=True).size
    return n_shared / (ours.shingles.size + theirs.shingles.size - n_shared)


def shared_share(ours: Fingerprint, theirs: Fingerprint) -> float:
    """The share of the shorter text's 3-word phrases that the longer one has, too, in [0, 1]; exact."""
    n_shared = np.intersect1d(ours.shingles, theirs.shingles, assume_unique=True).size
    return n_shared / min(ours.shingles.size, theirs.shingles.size)


def content_match(ours: Fingerprint, theirs: Fingerprint) -> ContentMatch | None:
    """The first measure by which two texts match, cheapest first; None if they don't. Symmetric."""
    distance = hamming(ours.simhash, theirs.simhash)
    if distance <= MAX_DISTANCE:
        return ContentMatch("simhash", distance, f"SimHash distance {distance}")
    n_shared = len(ours.sentences & theirs.sentences)
    if n_shared >= MIN_SENTENCES:
        return ContentMatch("sentences", n_shared, f"{n_shared} of the first 3 sentences the same")
    fewer, more = sorted((ours.shingles.size, theirs.shingles.size))
    if fewer < MIN_JACCARD * more:  # the Jaccard similarity can't reach it
        return None
    jaccard = shingle_jaccard(ours, theirs)
    if jaccard < MIN_JACCARD:
        return None
    return ContentMatch("minhash", jaccard, f"3-word phrases {100 * jaccard:.0f}% the same")


def _numbered(whole: bytes, n: int) -> list[bytes]:
    """The bytes in `n` equal parts, each after its number."""
    width = len(whole) // n
    return [bytes((part,)) + whole[part * width : (part + 1) * width] for part in range(n)]


def _majority(hashes: bytes) -> int:
    """The bits that more than half of the hashes have: the SimHash of the package, which votes word by word."""
    bits = np.unpackbits(np.frombuffer(hashes, dtype=np.uint8)).reshape(-1, _BITS)
    votes = bits.sum(axis=0, dtype=np.uint16)  # of at most 2,000 words
    return int.from_bytes(np.packbits(2 * votes > len(bits)).tobytes(), "big")


def _shingles_of(hashes: bytes) -> Hashes:
    """The sorted, distinct hashes of all 3-word phrases: a polynomial in the words' hashes, mod 2^64."""
    ours = np.frombuffer(hashes, dtype=">u8").astype(np.uint64)
    first, second = _FACTORS
    shingles = ours[:-2] * first + ours[1:-1] * second + ours[2:]
    shingles.sort()
    shingles = shingles[np.concatenate(([True], shingles[1:] != shingles[:-1]))]  # `np.unique` takes twice as long
    shingles.flags.writeable = False
    return shingles
