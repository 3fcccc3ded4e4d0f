"""The relevance of one article by a model, in pure Python."""

import math
import struct
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest

from reader.interests.learning.features import BUCKETS, hash_feature, pack
from reader.interests.learning.inference import LinearModel, contributions, percentage

TERM, MARK = hash_feature("rust"), hash_feature("source:paper")


def model(weights: dict[int, float], *, intercept: float = 0.0, embedding: tuple[float, ...] = ()) -> LinearModel:
    numbers = sorted(weights)
    vector = np.zeros(512, dtype="<f4")
    vector[: len(embedding)] = embedding
    return LinearModel(
        intercept,
        struct.pack(f"<{len(numbers)}I", *numbers),
        struct.pack(f"<{len(numbers)}f", *(weights[number] for number in numbers)),
        vector.tobytes() if embedding else b"",
    )


def vector(*numbers: int) -> bytes:
    return bytes(number % 256 for number in numbers) + bytes(512 - len(numbers))


def idf(number: int) -> float:
    return 2.0


@pytest.mark.parametrize(
    ("logit", "expected"),
    [
        (0.0, 50.0),
        (math.log(3), 75.0),
        (-math.log(3), 25.0),
        (1e9, 100.0),
        (-1e9, pytest.approx(0.0, abs=1e-300)),
    ],
    ids=["even", "three to one", "one to three", "beyond floats", "below floats"],
)
def test_converts_logit_to_percentage(logit: float, expected: float) -> None:
    assert percentage(logit) == pytest.approx(expected)


def test_contributions_add_up_to_the_logit() -> None:
    stored = pack(Counter(rust=1, ferris=1), ["source:paper", "author:ada"])
    known = model({TERM: 0.5, BUCKETS + MARK: -2.0, 7: 9.0}, intercept=0.25, embedding=(1.0, 3.0))
    result = contributions(known, stored.terms, stored.attributes, vector(3, 4), idf)
    assert result.terms == {TERM: pytest.approx(0.5 / math.sqrt(2))}
    assert result.attributes == {MARK: pytest.approx(-2.0)}
    assert result.embedding == pytest.approx(0.6 + 3 * 0.8)
    assert result.logit == pytest.approx(0.25 + 0.5 / math.sqrt(2) - 2 + 3)


def test_distinguishes_term_and_attribute_with_same_hash() -> None:
    number = (hash_feature("rust") << 4 | 1).to_bytes(3, "little")
    result = contributions(model({TERM: 1.0}), number, number, b"", idf)
    assert result.terms == {TERM: 1.0}
    assert result.attributes == {}


@pytest.mark.parametrize(
    ("known", "stored_vector"),
    [
        (model({TERM: 1.0}), vector(1)),
        (model({TERM: 1.0}, embedding=(1.0,)), b""),
        (model({}, embedding=(1.0,)), vector()),
    ],
    ids=["model without embedding", "article without vector", "vector of zeros"],
)
def test_missing_embedding_contributes_nothing(known: LinearModel, stored_vector: bytes) -> None:
    assert contributions(known, b"", b"", stored_vector, idf).embedding == 0.0


def test_empty_model_returns_its_intercept() -> None:
    stored = pack(Counter(rust=1), ["source:paper"])
    assert percentage(contributions(model({}), stored.terms, stored.attributes, vector(1), idf).logit) == 50.0


def test_does_not_import_numpy() -> None:
    code = (
        "import sys, reader.interests.learning.inference;"
        "print(sorted({'numpy', 'scipy', 'sklearn'} & set(sys.modules)))"
    )
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert process.stdout.strip() == "[]"
