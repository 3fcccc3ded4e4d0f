"""Content fingerprints: golden values, what matches, and that the keys find everything they promise to.

The properties are checked by brute force over generated texts, English-like and Chinese, from fixed seeds.
"""

import itertools
import random
from collections import Counter
from hashlib import blake2b

import numpy as np
import pytest
from datasketch import MinHash
from hypothesis import given
from hypothesis import strategies as st
from simhash import Simhash

from feeds.dedup.fingerprints import (
    BANDS,
    COMPARED_WORDS,
    MAX_DISTANCE,
    MIN_JACCARD,
    N_HASHES,
    ROWS,
    ContentMatch,
    Fingerprint,
    Hashes,
    band_keys,
    content_keys,
    content_match,
    fingerprint_of,
    hamming,
    minhash_of,
    sentence_keys,
    shingle_jaccard,
    simhash_keys,
    simhash_of,
)
from feeds.dedup.keys import KeyKind
from feeds.normalizing.text import words

CRANES = (
    "The port authority will take down both harbour cranes before the end of March. "
    "A museum in the old customs house has asked for the hook and the cabin. "
    "Workers who drove the cranes for thirty years came to watch on Tuesday morning. "
    "Nobody could say what will become of the quay, which the city sold to a brewery."
)
CRANES_IN_CHINESE = (
    "港务局宣布将在三月底之前拆除两座旧起重机。老海关大楼里的博物馆希望得到吊钩和驾驶室。工人们星期二早上前来观看。"
)
LIBRARY = (
    "The new library opened its doors to a queue that reached around the block. "
    "Children were first to see the reading room under the glass roof, which cost two million. "
    "An exhibition about the river and its mills is open until the end of the summer. "
    "The old building on the market square becomes a school of music in autumn."
)


def required_fingerprint(text: str, *, language: str = "") -> Fingerprint:
    """The fingerprint of a text that has one."""
    fingerprint = fingerprint_of(text, language=language)
    assert fingerprint is not None
    return fingerprint


def make_fingerprint(*, simhash: int = 0, shingles: range = range(100), sentences: tuple[int, ...] = ()) -> Fingerprint:
    return Fingerprint(simhash, np.arange(shingles.start, shingles.stop, dtype=np.uint64), frozenset(sentences))


def near_copies(rng: random.Random, vocabulary: list[str], joiner: str, end: str) -> list[str]:
    """Forty families of twelve texts of 30 to 200 words: an original and copies with 0 to 11 words exchanged."""
    weights = [1 / (rank + 10) for rank in range(len(vocabulary))]
    texts = []
    for _ in range(40):
        original = rng.choices(vocabulary, weights, k=rng.randint(30, 200))
        for n_changes in range(12):
            copy = list(original)
            for position in rng.sample(range(len(copy)), n_changes):
                copy[position] = rng.choice(vocabulary)
            texts.append("".join(word + (end if n % 15 == 14 else joiner) for n, word in enumerate(copy)))
    return texts


def all_texts() -> list[str]:
    rng = random.Random(20260330)
    latin = sorted({"".join(rng.choices("abcdeilmnorstu", k=rng.randint(2, 9))) for _ in range(3_000)})
    rng.shuffle(latin)
    han = [chr(0x4E00 + 7 * n) for n in range(1_500)]
    return near_copies(rng, latin, " ", ". Then ") + near_copies(rng, han, "", "。")


@pytest.fixture(scope="module")
def fingerprints() -> list[Fingerprint]:
    return [required_fingerprint(text) for text in all_texts()]


# Golden values: stored keys and fingerprints of other versions must stay comparable.


@pytest.mark.parametrize(
    ("text", "simhash", "n_shingles", "first_shingle", "least_sentence"),
    [
        pytest.param(CRANES, 0x1ED88B6C90B23A3E, 57, 0x044E455D7179629F, 0x404BA3195777B8DA, id="English"),
        pytest.param(CRANES_IN_CHINESE, 0x72D6B3CB44BFD21B, 47, 0x024764ADD84EC146, 0x28AF66BF5AE50A04, id="Chinese"),
    ],
)
def test_fingerprints_never_change(
    text: str, simhash: int, n_shingles: int, first_shingle: int, least_sentence: int
) -> None:
    fingerprint = required_fingerprint(text)
    assert fingerprint.simhash == simhash
    assert fingerprint.shingles.size == n_shingles
    assert int(fingerprint.shingles[0]) == first_shingle
    assert min(fingerprint.sentences) == least_sentence


def test_signatures_never_change() -> None:
    signature = minhash_of(required_fingerprint(CRANES).shingles)
    assert (signature.size, signature.dtype) == (N_HASHES, np.uint32)
    assert signature[:4].tolist() == [264_654_463, 60_694_042, 66_126_076, 11_916_082]


def test_content_keys_never_change() -> None:
    keys = content_keys(required_fingerprint(CRANES))
    assert {kind: len(values) for kind, values in keys.items()} == {
        KeyKind.SIMHASH: 4,
        KeyKind.MINHASH: 16,
        KeyKind.SENTENCES: 3,
    }
    assert [values[0] for values in keys.values()] == [81_253_284_737_710, 67_624_422_510_314, 140_341_316_405_570]


# What has a fingerprint, and what makes a difference.


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param(" \n\t", id="white space"),
        pytest.param("🏗️🎉🦆 " * 50, id="emoji alone"),
        pytest.param("!?. — … " * 50, id="marks alone"),
        pytest.param(" ".join(CRANES.split()[:19]), id="19 words"),
        pytest.param("港务局宣布将在三月底之前拆除两座旧起重机", id="Chinese, 19 pairs"),
    ],
)
def test_texts_under_20_words_have_no_fingerprint(text: str) -> None:
    assert fingerprint_of(text) is None


@pytest.mark.parametrize(
    ("text", "n_shingles", "n_sentences"),
    [
        pytest.param(" ".join(CRANES.split()[:20]), 18, 1, id="20 words"),
        pytest.param("港务局宣布将在三月底之前拆除两座旧起重机吗", 18, 1, id="Chinese, 20 pairs"),
        pytest.param("word " * 20, 1, 1, id="one word repeated"),
        pytest.param("Word. " * 500, 1, 0, id="one word a sentence"),
        pytest.param("港" * 30, 1, 1, id="one character repeated"),
        pytest.param("การท่าเรือจะรื้อเครนเก่าทั้งสองตัวก่อนสิ้นเดือนมีนาคม", 50, 1, id="Thai"),
        pytest.param("港湾事務所は二基のクレーンを三月末までに撤去すると火曜日に発表した。", 30, 1, id="Japanese"),
        pytest.param("The crane 起重机 goes 🏗️ " * 5 + "and 港务局 says so.", 10, 1, id="mixed"),
    ],
)
def test_texts_of_20_words_have_a_fingerprint(text: str, n_shingles: int, n_sentences: int) -> None:
    fingerprint = required_fingerprint(text)
    assert 0 <= fingerprint.simhash < 2**64
    assert (fingerprint.shingles.size, len(fingerprint.sentences)) == (n_shingles, n_sentences)
    assert (np.diff(fingerprint.shingles) > 0).all()


def test_han_characters_of_korean_are_words() -> None:
    text = "港務局 起重機 " * 12
    assert (required_fingerprint(text).shingles.size, required_fingerprint(text, language="ko").shingles.size) == (4, 2)


def test_shingles_are_read_only() -> None:
    with pytest.raises(ValueError, match="read-only"):
        required_fingerprint(CRANES).shingles[0] = 0


def test_words_after_the_first_2000_make_no_difference() -> None:
    text = " ".join(f"w{n}" for n in range(COMPARED_WORDS))
    assert content_match(required_fingerprint(text), required_fingerprint(f"{text} {LIBRARY}")) == ContentMatch(
        "simhash", 0, "SimHash distance 0"
    )
    assert required_fingerprint(f"{text} {LIBRARY}").shingles.size == COMPARED_WORDS - 2


def test_a_megabyte_without_spaces_is_not_cached() -> None:
    assert fingerprint_of("x" * 1_000_000) is None


@pytest.mark.parametrize(
    "copy",
    [
        pytest.param(CRANES.upper(), id="capitals"),
        pytest.param(CRANES.replace(". ", "!\n"), id="marks and lines"),
        pytest.param("🏗️ " + CRANES.replace(" ", " \u00a0 "), id="emoji and spaces"),
        pytest.param("".join(chr(ord(c) + 0xFEE0) if c.isalnum() else c for c in CRANES), id="full width"),
    ],
)
def test_typography_makes_no_difference(copy: str) -> None:
    ours, theirs = required_fingerprint(CRANES), required_fingerprint(copy)
    assert (ours.simhash, ours.sentences) == (theirs.simhash, theirs.sentences)
    assert ours.shingles.tolist() == theirs.shingles.tolist()


# SimHash.


@pytest.mark.parametrize(
    ("ours", "theirs", "distance"),
    [
        pytest.param(0, 0, 0, id="same"),
        pytest.param(0, 1, 1, id="lowest bit"),
        pytest.param(2**63, 0, 1, id="highest bit"),
        pytest.param(0b1011, 0b0110, 3, id="three bits"),
        pytest.param(0, 2**64 - 1, 64, id="all bits"),
    ],
)
def test_hamming_counts_differing_bits(ours: int, theirs: int, distance: int) -> None:
    assert hamming(ours, theirs) == hamming(theirs, ours) == distance


def test_simhash_of_nothing_is_zero() -> None:
    assert simhash_of([]) == 0


def test_simhash_counts_words_and_ignores_their_order() -> None:
    found = words(CRANES)
    assert simhash_of(found) == simhash_of(found[::-1])
    assert simhash_of(found) != simhash_of(sorted(set(found)))
    assert simhash_of(["crane"] * 60 + ["port"] * 2) == simhash_of(["crane"])


@given(
    st.lists(st.sampled_from(["crane", "port", "hook", "起重", "quay"]), min_size=1, max_size=30), st.integers(1, 12)
)
def test_simhash_is_the_majority_of_the_words_hashes(found: list[str], times: int) -> None:
    found = found * times
    votes = [0] * 64
    for word in found:
        hashed = int.from_bytes(blake2b(word.encode(), digest_size=8).digest(), "big")
        for bit in range(64):
            votes[bit] += (hashed >> bit) & 1
    assert simhash_of(found) == sum(1 << bit for bit in range(64) if 2 * votes[bit] > len(found))


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=50), min_size=1, max_size=30))
def test_simhash_is_that_of_the_package(found: list[str]) -> None:
    def hashed(word: bytes) -> bytes:
        return blake2b(word, digest_size=8).digest()

    repeated = [word for n, word in enumerate(found) for _ in range(1 + n % 5)]
    assert simhash_of(repeated) == Simhash(Counter(repeated), hashfunc=hashed).value


@pytest.mark.parametrize("n", [50, 51, 255, 256, 257, 1_999])
def test_simhash_counts_a_word_however_often_it_occurs(n: int) -> None:
    assert simhash_of(["crane"] * n + ["port"] * (n - 1)) == simhash_of(["crane"])
    assert simhash_of(["crane"] * (n - 1) + ["port"] * n) == simhash_of(["port"])


def test_every_change_of_up_to_three_bits_leaves_a_simhash_key() -> None:
    simhash = required_fingerprint(CRANES).simhash
    ours = set(simhash_keys(simhash))
    flips = itertools.chain.from_iterable(itertools.combinations(range(64), n) for n in range(MAX_DISTANCE + 1))
    changed = [simhash ^ sum(1 << bit for bit in bits) for bits in flips]
    assert len(changed) == 1 + 64 + 2_016 + 41_664
    assert all(ours & set(simhash_keys(theirs)) for theirs in changed)


def test_the_same_block_at_another_place_is_another_key() -> None:
    assert len(set(simhash_keys(0x1234_1234_1234_1234))) == 4


def test_texts_within_three_bits_share_a_simhash_key(fingerprints: list[Fingerprint]) -> None:
    simhashes = np.array([fingerprint.simhash for fingerprint in fingerprints], dtype=np.uint64)
    distances = np.bitwise_count(simhashes[:, None] ^ simhashes[None, :])
    keys = [set(simhash_keys(fingerprint.simhash)) for fingerprint in fingerprints]
    near = [(ours, theirs) for ours, theirs in np.argwhere(distances <= MAX_DISTANCE).tolist() if ours < theirs]
    assert len(near) > 500
    assert all(keys[ours] & keys[theirs] for ours, theirs in near)
    assert all(hamming(int(simhashes[ours]), int(simhashes[theirs])) <= MAX_DISTANCE for ours, theirs in near)


# MinHash.


@pytest.mark.parametrize("n", [0, 1, 40, 511, 512, 2_000])
def test_signatures_are_those_of_datasketch(n: int) -> None:
    shingles = np.unique(np.random.default_rng(n).integers(0, 2**64, n, dtype=np.uint64))
    sketch = MinHash(num_perm=128, seed=1, scheme="affine32", hashfunc=int)
    sketch.update_batch(shingles.astype(np.uint32).tolist())
    assert minhash_of(shingles).tolist() == sketch.hashvalues.tolist()


def pair_of_sets(rng: np.random.Generator, n_shared: int, n_own: int) -> tuple[Hashes, Hashes]:
    drawn = rng.integers(0, 2**64, n_shared + 2 * n_own, dtype=np.uint64)
    return drawn[: n_shared + n_own], np.concatenate((drawn[:n_shared], drawn[n_shared + n_own :]))


@pytest.mark.parametrize(
    ("n_shared", "n_own", "jaccard", "found"),
    [
        pytest.param(50, 25, 0.50, 0.061, id="0.5"),
        pytest.param(70, 15, 0.70, 0.613, id="0.7"),
        pytest.param(80, 10, 0.80, 0.947, id="0.8"),
        pytest.param(170, 15, 0.85, 0.994, id="0.85"),
        pytest.param(90, 5, 0.90, 1.000, id="0.9"),
    ],
)
def test_bands_find_the_predicted_share(n_shared: int, n_own: int, jaccard: float, found: float) -> None:
    """The share of 1,500 pairs is within three standard errors (and the rounding) of 1 − (1 − J^8)^16."""
    assert n_shared / (n_shared + 2 * n_own) == jaccard
    theory = 1 - (1 - jaccard**ROWS) ** BANDS
    assert theory == pytest.approx(found, abs=0.0005)
    rng = np.random.default_rng(7)
    n_pairs, n_found, n_equal = 1_500, 0, 0
    for _ in range(n_pairs):
        ours, theirs = (minhash_of(shingles) for shingles in pair_of_sets(rng, n_shared, n_own))
        n_found += not set(band_keys(ours)).isdisjoint(band_keys(theirs))
        n_equal += int(np.count_nonzero(ours == theirs))
    tolerance = 3 * (theory * (1 - theory) / n_pairs) ** 0.5 + 0.001
    assert n_found / n_pairs == pytest.approx(theory, abs=tolerance)
    assert n_equal / (n_pairs * N_HASHES) == pytest.approx(jaccard, abs=0.005)


def test_similar_texts_share_a_band(fingerprints: list[Fingerprint]) -> None:
    """Of the pairs with Jaccard ≥ 0.85, brute force against keys, at least 99 % share a band."""
    keys = [set(band_keys(minhash_of(fingerprint.shingles))) for fingerprint in fingerprints]
    families = (range(start, start + 12) for start in range(0, len(fingerprints), 12))
    pairs = [pair for family in families for pair in itertools.combinations(family, 2)]
    alike = [(a, b) for a, b in pairs if shingle_jaccard(fingerprints[a], fingerprints[b]) >= 0.85]
    found_pairs = [pair for pair in alike if keys[pair[0]] & keys[pair[1]]]
    assert len(alike) > 250
    assert len(found_pairs) >= 0.99 * len(alike)


def test_unrelated_texts_share_no_band(fingerprints: list[Fingerprint]) -> None:
    keys = [set(band_keys(minhash_of(fingerprint.shingles))) for fingerprint in fingerprints[::12]]
    assert not any(ours & theirs for ours, theirs in itertools.combinations(keys, 2))


@given(st.sets(st.integers(0, 60), min_size=1), st.sets(st.integers(0, 60), min_size=1))
def test_jaccard_is_counted_exactly(ours: set[int], theirs: set[int]) -> None:
    one, other = (Fingerprint(0, np.array(sorted(one), dtype=np.uint64), frozenset()) for one in (ours, theirs))
    assert shingle_jaccard(one, other) == shingle_jaccard(other, one) == len(ours & theirs) / len(ours | theirs)


def test_the_jaccard_of_texts_is_that_of_their_phrases() -> None:
    def phrases(text: str) -> set[tuple[str, ...]]:
        found = words(text)
        return set(zip(found, found[1:], found[2:], strict=False))

    theirs = CRANES.replace("brewery", "circus").replace("March", "May")
    n_shared, n_all = len(phrases(CRANES) & phrases(theirs)), len(phrases(CRANES) | phrases(theirs))
    assert (n_shared, n_all) == (53, 61)
    assert shingle_jaccard(required_fingerprint(CRANES), required_fingerprint(theirs)) == n_shared / n_all


# Sentences.


def test_only_two_shared_sentences_share_a_key() -> None:
    universe = range(1, 8)
    subsets = [frozenset(subset) for n in range(4) for subset in itertools.combinations(universe, n)]
    for ours, theirs in itertools.product(subsets, repeat=2):
        shares_key = not set(sentence_keys(ours)).isdisjoint(sentence_keys(theirs))
        assert shares_key == (len(ours & theirs) >= 2)


@pytest.mark.parametrize(("n_sentences", "n_keys"), [(0, 0), (1, 0), (2, 1), (3, 3)])
def test_one_key_per_pair_of_sentences(n_sentences: int, n_keys: int) -> None:
    assert len(sentence_keys(frozenset(range(n_sentences)))) == n_keys


# Matching.

MATCHES = {
    "same": (make_fingerprint(), make_fingerprint(), ContentMatch("simhash", 0, "SimHash distance 0")),
    "three bits": (
        make_fingerprint(),
        make_fingerprint(simhash=0b111),
        ContentMatch("simhash", 3, "SimHash distance 3"),
    ),
    "four bits and nothing else": (
        make_fingerprint(),
        make_fingerprint(simhash=0b1111, shingles=range(200, 300)),
        None,
    ),
    "two sentences": (
        make_fingerprint(sentences=(1, 2, 3)),
        make_fingerprint(simhash=255, shingles=range(200, 300), sentences=(2, 3, 4)),
        ContentMatch("sentences", 2, "2 of the first 3 sentences the same"),
    ),
    "three sentences": (
        make_fingerprint(sentences=(1, 2, 3)),
        make_fingerprint(simhash=255, shingles=range(200, 300), sentences=(1, 2, 3)),
        ContentMatch("sentences", 3, "3 of the first 3 sentences the same"),
    ),
    "one sentence": (
        make_fingerprint(sentences=(1, 2)),
        make_fingerprint(simhash=255, shingles=range(200, 300), sentences=(2, 3)),
        None,
    ),
    "phrases at 0.7": (
        make_fingerprint(shingles=range(85)),
        make_fingerprint(simhash=255, shingles=range(15, 100)),
        ContentMatch("minhash", 0.7, "3-word phrases 70% the same"),
    ),
    "phrases under 0.7": (
        make_fingerprint(shingles=range(84)),
        make_fingerprint(simhash=255, shingles=range(15, 100)),
        None,
    ),
    "a part of at least 0.7": (
        make_fingerprint(shingles=range(83)),
        make_fingerprint(simhash=255),
        ContentMatch("minhash", 0.83, "3-word phrases 83% the same"),
    ),
    "a part too small": (make_fingerprint(shingles=range(69)), make_fingerprint(simhash=255), None),
}


@pytest.mark.parametrize(("ours", "theirs", "expected"), MATCHES.values(), ids=MATCHES)
def test_matches_by_the_cheapest_measure(ours: Fingerprint, theirs: Fingerprint, expected: ContentMatch | None) -> None:
    assert content_match(ours, theirs) == content_match(theirs, ours) == expected


NOTE = (
    "This report was first printed by the harbour gazette, and is reprinted here with the kind consent of its editors."
)
COPIES = {
    "a note added": (CRANES, f"{CRANES} Photo: A. Gull", "sentences"),
    "the end cut": (CRANES, CRANES[: CRANES.index("Workers")], "sentences"),
    "the beginning cut": (CRANES, CRANES[CRANES.index("A museum") :], "sentences"),
    "another report": (CRANES, LIBRARY, None),
    "another report under the same note": (f"{NOTE} {CRANES}", f"{NOTE} {LIBRARY}", None),
    "Chinese, one character": (CRANES_IN_CHINESE, CRANES_IN_CHINESE.replace("希望", "想要"), "sentences"),
    "a translation": (CRANES, CRANES_IN_CHINESE, None),
}


@pytest.mark.parametrize(("ours", "theirs", "measure"), COPIES.values(), ids=COPIES)
def test_copies_match_and_unrelated_texts_do_not(ours: str, theirs: str, measure: str | None) -> None:
    match = content_match(required_fingerprint(ours), required_fingerprint(theirs))
    assert (match.measure if match else None) == measure


def test_matching_is_symmetric_and_by_definition(fingerprints: list[Fingerprint]) -> None:
    """Against brute force: some measure accepts, if and only if they match."""
    some = [
        fingerprint for start in range(0, len(fingerprints), 36) for fingerprint in fingerprints[start : start + 12]
    ]
    n_by_measure = dict.fromkeys(("simhash", "sentences", "minhash", ""), 0)
    for ours, theirs in itertools.combinations(some, 2):
        match = content_match(ours, theirs)
        assert match == content_match(theirs, ours)
        shared = set(ours.shingles.tolist()) & set(theirs.shingles.tolist())
        jaccard = len(shared) / (ours.shingles.size + theirs.shingles.size - len(shared))
        accepted = (
            bin(ours.simhash ^ theirs.simhash).count("1") <= MAX_DISTANCE
            or len(ours.sentences & theirs.sentences) >= 2
            or jaccard >= MIN_JACCARD
        )
        assert (match is not None) == accepted
        n_by_measure[match.measure if match else ""] += 1
    assert min(n_by_measure.values()) > 100
