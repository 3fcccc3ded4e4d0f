"""Stored features of many articles as matrices."""

import math
from collections import Counter

import numpy as np
import pytest

from reader.interests.learning.feature_matrices import (
    StoredFeatures,
    attributes_matrix,
    embedding_matrix,
    feature_matrix,
    terms_matrix,
)
from reader.interests.learning.features import BUCKETS, count_terms, extract_attributes, hash_feature, pack
from reader.interests.learning.inference import KIND_VALUES, attribute_values, term_values

IDF = (1 + np.arange(BUCKETS) % 7).astype(np.float32)


def vector(*numbers: int) -> bytes:
    return bytes(number % 256 for number in numbers) + bytes(512 - len(numbers))


def idf_of(number: int) -> float:
    return float(IDF[number])


TITLES = ("Rust compiler gets faster faster", "", "北京天气", "Новости науки", "of the and")
PACKED = [
    pack(count_terms(title, title), extract_attributes(title=title, source="a.b.example", author="Ada"))
    for title in TITLES
]


def test_term_rows_match_single_articles() -> None:
    matrix = terms_matrix([article.terms for article in PACKED], IDF)
    assert matrix.shape == (len(TITLES), BUCKETS)
    for row, article in enumerate(PACKED):
        entries = matrix[[row]].tocoo()
        assert dict(zip(entries.col.tolist(), entries.data.tolist(), strict=True)) == pytest.approx(
            dict(term_values(article.terms, idf_of)), abs=1e-6
        )


def test_attribute_rows_match_single_articles() -> None:
    matrix = attributes_matrix([article.attributes for article in PACKED])
    for row, article in enumerate(PACKED):
        entries = matrix[[row]].tocoo()
        assert dict(zip(entries.col.tolist(), entries.data.tolist(), strict=True)) == pytest.approx(
            dict(attribute_values(article.attributes)), abs=1e-6
        )


def test_term_rows_have_unit_length_unless_empty() -> None:
    lengths = np.sqrt((terms_matrix([article.terms for article in PACKED], IDF) ** 2).sum(axis=1))
    assert lengths == pytest.approx([1, 0, 1, 1, 0], abs=1e-6)


def test_term_in_every_text_weighs_nothing() -> None:
    stored = pack(Counter(rust=2), []).terms
    assert terms_matrix([stored], np.zeros(BUCKETS, dtype=np.float32)).toarray().sum() == 0


def test_attributes_of_one_kind_share_its_weight() -> None:
    marks = ["category:ai", "category:health", "source:paper"]
    matrix = attributes_matrix([pack(Counter(), marks).attributes])
    category, source = KIND_VALUES[3], KIND_VALUES[1]
    assert matrix[0, hash_feature("category:ai")] == pytest.approx(category / math.sqrt(2))
    assert matrix[0, hash_feature("source:paper")] == pytest.approx(source)


def test_attributes_follow_terms() -> None:
    matrix = feature_matrix(StoredFeatures([b""], [pack(Counter(), ["source:x"]).attributes], [b""]), IDF)
    assert matrix.shape == (1, 2 * BUCKETS)
    assert matrix.indices.tolist() == [BUCKETS + hash_feature("source:x")]


def test_embeddings_have_unit_length_or_are_zero() -> None:
    matrix = embedding_matrix([vector(3, -4), b"", vector(0, 5)])
    assert matrix.shape == (3, 512)
    assert matrix[:, :2].tolist() == [pytest.approx([0.6, -0.8]), [0, 0], [0, 1]]


@pytest.mark.parametrize("n", [0, 1])
def test_works_with_few_articles(n: int) -> None:
    nothing = StoredFeatures([b""] * n, [b""] * n, [b""] * n)
    assert feature_matrix(nothing, IDF).shape == (n, 2 * BUCKETS)
    assert embedding_matrix(nothing.vectors).shape == (n, 512)


def test_selects_articles_and_parts() -> None:
    stored = StoredFeatures([b"a", b"b", b"c"], [b"d", b"e", b"f"], [b"g", b"h", b"i"])
    assert stored.select(np.array([2, 0])).terms == [b"c", b"a"]
    assert stored.slice(1, 9).vectors == [b"h", b"i"]
    assert len(stored) == 3
