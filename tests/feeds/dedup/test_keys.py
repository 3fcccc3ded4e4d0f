"""Blocking keys: stable, distinct by kind, 48 bits. The golden values are in users' databases."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feeds.dedup.keys import KeyKind, key

GOLDEN = {
    "title": (KeyKind.TITLE, "harbour", 145_348_234_392_635),
    "simhash": (KeyKind.SIMHASH, b"\x00\x12\x34", 280_076_475_204_084),
    "minhash": (KeyKind.MINHASH, b"\x0f" + bytes(32), 183_047_037_779_792),
    "sentences": (KeyKind.SENTENCES, bytes(16), 159_211_403_576_766),
    "term": (KeyKind.TERM, "起重机", 119_721_801_043_417),
    "name": (KeyKind.NAME, "", 1_486_449_069_981),
}


@pytest.mark.parametrize(("kind", "payload", "expected"), GOLDEN.values(), ids=GOLDEN)
def test_keys_never_change(kind: KeyKind, payload: bytes | str, expected: int) -> None:
    assert key(kind, payload) == expected


@pytest.mark.parametrize("kind", KeyKind)
def test_keys_that_match_for_days_only_are_odd(kind: KeyKind) -> None:
    assert {key(kind, str(n)) % 2 for n in range(50)} == {int(kind.name in ("TITLE", "TERM", "NAME", "MEANING"))}


def test_kinds_keep_their_numbers() -> None:
    assert {kind.name: kind.value for kind in KeyKind} == {
        "TITLE": 1,
        "SIMHASH": 2,
        "MINHASH": 3,
        "SENTENCES": 4,
        "TERM": 5,
        "NAME": 6,
        "MEANING": 7,
    }


def test_text_counts_as_its_utf_8_bytes() -> None:
    assert key(KeyKind.TERM, "café") == key(KeyKind.TERM, b"caf\xc3\xa9")


def test_a_lone_surrogate_has_a_key() -> None:
    assert key(KeyKind.TERM, "a\ud83d") == key(KeyKind.TERM, "a?")


@given(st.sampled_from(KeyKind), st.binary(max_size=40) | st.text(max_size=20))
def test_a_key_is_an_unsigned_number_of_48_bits(kind: KeyKind, payload: bytes | str) -> None:
    assert 0 <= key(kind, payload) < 2**48


def test_kinds_and_payloads_do_not_share_keys() -> None:
    payloads = [n.to_bytes(4, "big") for n in range(5_000)]
    keys = {key(kind, payload) for kind, payload in itertools.product(KeyKind, payloads)}
    assert len(keys) == len(KeyKind) * len(payloads)


def test_keys_are_spread_evenly() -> None:
    quarters = [key(KeyKind.TERM, str(n)) >> 46 for n in range(4_000)]
    assert [900 < quarters.count(quarter) < 1_100 for quarter in range(4)] == [True] * 4
