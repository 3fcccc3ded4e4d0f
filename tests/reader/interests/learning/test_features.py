"""The features of an article that learning uses, and their stored bytes."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reader.interests.learning.features import (
    BUCKETS,
    KINDS,
    count_terms,
    extract_attributes,
    hash_feature,
    pack,
    unpack,
)


@pytest.mark.parametrize(
    ("title", "text", "language", "expected"),
    [
        ("", "", "", {}),
        ("Rust compiler", "", "en", {"rust": 2, "compiler": 2}),
        ("Rust", "The Rust compiler is fast", "en", {"rust": 3, "compiler": 1, "fast": 1}),
        ("How to say it with 7 of 2015", "a b c", "en", {}),
        ("Der Hund und die Katze", "", "de", {"hund": 2, "katze": 2}),
        ("北京天气", "", "zh", {"北京": 2, "京天": 2, "天气": 2}),
        ("Новости науки", "", "ru", {"новости": 2, "науки": 2}),
    ],
    ids=["nothing", "title twice", "title and text", "stop words and figures", "German", "Chinese", "Russian"],
)
def test_counts_terms(title: str, text: str, language: str, expected: dict[str, int]) -> None:
    assert count_terms(title, text, language) == Counter(expected)


def test_reads_the_first_200_words() -> None:
    text = " ".join(f"w{n:03}x" for n in range(300))
    counts = count_terms("", text)
    assert len(counts) == 200
    assert "w199x" in counts
    assert "w200x" not in counts


@pytest.mark.parametrize(
    ("given_marks", "expected"),
    [
        ({}, []),
        ({"source": " Paper.Example "}, ["source:paper.example", "site:example"]),
        (
            {"source": "www.blog.lab.example"},
            ["source:www.blog.lab.example", "site:lab.example", "site:example"],
        ),
        ({"source": "The Daily Planet Inc."}, ["source:the daily planet inc."]),
        ({"source": "..."}, ["source:..."]),
        ({"author": "Ada", "categories": ["AI", "ai", " "]}, ["author:ada", "category:ai"]),
    ],
    ids=["none", "source and its site", "every site above", "a name, not a host", "hostile", "author and categories"],
)
def test_attributes_are_prefixed_with_their_kind(given_marks: dict[str, str], expected: list[str]) -> None:
    assert extract_attributes(title="", **given_marks) == expected


def test_finds_word_pairs_in_title() -> None:
    assert extract_attributes(title="Sea level and the sea level") == ["pair:sea level", "pair:level sea"]


def test_hash_is_the_same_in_every_process() -> None:
    assert hash_feature("rust") == 164512


@pytest.mark.parametrize(
    "feature", ["", "北京", "\ud800", "x" * 100_000], ids=["empty", "Han", "lone surrogate", "long"]
)
def test_any_text_has_a_hash(feature: str) -> None:
    assert 0 <= hash_feature(feature) < BUCKETS


def test_packs_three_bytes_per_feature_in_order() -> None:
    stored = pack(Counter(rust=3, compiler=99), ["source:a.example", "pair:x y"])
    assert list(unpack(stored.terms)) == sorted([(hash_feature("rust"), 3), (hash_feature("compiler"), 15)])
    assert dict(unpack(stored.attributes)) == {
        hash_feature("source:a.example"): 1 + KINDS.index("source"),
        hash_feature("pair:x y"): 1 + KINDS.index("pair"),
    }
    assert len(stored.terms) == len(stored.attributes) == 6


def test_packs_nothing_into_no_bytes() -> None:
    assert pack(Counter(), []).terms == pack(Counter(), []).attributes == b""
    assert list(unpack(b"")) == []


def test_unknown_attribute_kind_raises() -> None:
    with pytest.raises(KeyError):
        pack(Counter(), ["colour:red"])


@given(st.dictionaries(st.text(min_size=1, max_size=6), st.integers(1, 40), max_size=30))
def test_unpacking_reverses_packing(counts: dict[str, int]) -> None:
    expected: Counter[int] = Counter()
    for term, n in counts.items():
        expected[hash_feature(term)] += n
    assert dict(unpack(pack(Counter(counts), []).terms)) == {number: min(n, 15) for number, n in expected.items()}
