"""The built-in classifier: score, confidence and reason, from wording alone or with a vector."""

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from reader.scoring.sensitivity import SHIPPED, ClassifierWeights, InvalidWeights, Prediction, classify
from reader.scoring.sensitivity.classifier import KIND_SHIFTS, LONG_CHARACTERS
from reader.scoring.sensitivity.keyword_baseline import keyword_score
from reader.scoring.sensitivity.weights import DIMENSIONS, median_score
from reader.scoring.sensitivity_reasons import as_stored, in_words

EVEN = ClassifierWeights(bias=(0.0,) * 5, features={})
LEANING = replace(EVEN, features={"title:alert": (0.0, 0.0, 0.0, 0.0, 2.0), "text:history": (6.0, 0.0, 0.0, 0.0, 0.0)})
SEEING = replace(EVEN, embedding=((1.0,) + (0.0,) * 511, *((0.0,) * 512,) * 3, (0.0,) * 511 + (1.0,)))
LASTING, URGENT = b"\x7f" + bytes(511), bytes(511) + b"\x7f"


@pytest.mark.parametrize(
    ("title", "text", "score", "language"),
    [
        pytest.param(
            "Live updates: dam breach forces evacuation", "Refresh for updates at 14:32.", 5, "en", id="en live updates"
        ),
        pytest.param(
            "Council debate live: mayor under fire", "Follow the session as it goes on.", 5, "en", id="en live"
        ),
        pytest.param(
            "Storm warning: coast braces for floods", "Stay indoors, forecasters say.", 5, "en", id="en warning"
        ),
        pytest.param("How to sort a list in place", "Call sort() and pass a key.", 1, "en", id="en how-to"),
        pytest.param("Court convicts mayor", "The verdict came on Tuesday, police said.", 4, "en", id="en report"),
        pytest.param(
            "Committee to debate draft bill next month", "Talks are expected this week.", 3, "en", id="en ongoing"
        ),
        pytest.param(
            "Opinion: why I gave up on roundabouts", "Over the past decade I have driven less.", 2, "en", id="en view"
        ),
        pytest.param(
            "What is a Fourier transform? A guide for beginners",
            "This tutorial explains step by step how it works, with examples.",
            1,
            "en",
            id="en explainer",
        ),
        pytest.param(
            "突发:水库决堤,居民紧急撤离", "正在搜救,持续更新。截至14时30分仍有人被困。", 5, "zh", id="zh live"
        ),
        pytest.param("什么是傅里叶变换?入门详解", "本文从零讲清楚原理,并举例。", 1, "zh", id="zh explainer"),
        pytest.param("津波警報、直ちに避難を", "午後二時三十分現在、続報が入り次第更新します。", 5, "ja", id="ja live"),
        pytest.param("将棋の歴史と由来", "江戸時代に広まった遊びの起源とは。", 1, "ja", id="ja history"),
        pytest.param(
            "Die Geschichte der Gabel und der Ursprung des Löffels",
            "Eine Einführung: was ist Besteck, und wie entstand es im Mittelalter?",
            1,
            "de",
            id="de history",
        ),
        pytest.param("Срочно: эвакуация из аэропорта", "Прямо сейчас, новость дополняется.", 5, "ru", id="ru alert"),
    ],
)
def test_classifies_by_wording(title: str, text: str, score: int, language: str) -> None:
    assert classify(title, text, language=language).score == score


def explanation_of(judgement: Prediction) -> str:
    """As shown, after it was stored."""
    return in_words(judgement.score, as_stored(judgement.reasons))


def test_names_cues_and_their_place() -> None:
    judgement = classify("Alert!", "Their history in brief", language="en", weights=LEANING)
    assert explanation_of(judgement) == "Evergreen: “history” in the text."
    urgent = classify("Alert!", "", language="en", weights=LEANING)
    assert explanation_of(urgent) == "Critical: “Alert” in the title."


def test_reports_absence_of_cues() -> None:
    judgement = classify("Umbrella", "Blue", weights=EVEN)
    assert judgement == Prediction(3, "low", (), (0.2, 0.2, 0.2, 0.2, 0.2))
    assert explanation_of(judgement) == "Medium: its wording, without a clear cue."


@pytest.mark.parametrize(
    ("vector", "score", "explanation"),
    [
        pytest.param(LASTING, 1, "Evergreen: similar in meaning to evergreen texts.", id="lasting"),
        pytest.param(URGENT, 5, "Critical: similar in meaning to critical texts.", id="urgent"),
        pytest.param(b"", 3, "Medium: its wording, without a clear cue.", id="none"),
        pytest.param(b"\x7f", 3, "Medium: its wording, without a clear cue.", id="of another length"),
    ],
)
def test_uses_the_embedding(vector: bytes, score: int, explanation: str) -> None:
    judgement = classify("Umbrella", "Blue", vector=vector, weights=replace(SEEING, sharpness_with_embedding=3.0))
    assert (judgement.score, explanation_of(judgement)) == (score, explanation)


def test_feed_kind_and_length_shift_slightly() -> None:
    expected = {kind: classify("x", "y", kind=kind, weights=EVEN).expected for kind in ("", *KIND_SHIFTS)}
    assert expected["breaking"] > expected["major"] > expected[""] > expected["newsletter"] > expected["blog"]
    assert classify("x", "y" * LONG_CHARACTERS, weights=EVEN).expected < expected[""]
    live = ("Live updates: dam breach forces evacuation", "Refresh for updates at 14:32.")
    assert {classify(*live, kind=kind).score for kind in KIND_SHIFTS} == {5}


def test_compares_dates_to_publication() -> None:
    text = "It was on 3 March 2019 that the bridge was closed to carts."
    old = classify("The bridge", text, published_at=datetime(2026, 2, 17, tzinfo=UTC))
    new = classify("The bridge", text, published_at=datetime(2019, 3, 4, tzinfo=UTC))
    assert old.expected < new.expected


@pytest.mark.parametrize(
    ("title", "text"),
    [
        pytest.param("", "", id="empty"),
        pytest.param("!" * 5000, "?" * 100_000, id="punctuation only"),
        pytest.param("9" * 5000, "12:" * 50_000, id="figures only"),
        pytest.param("alert " * 1000, "突发" * 50_000, id="cues only"),
        pytest.param("\ud800 \x00 é", "\u202e", id="broken characters"),
        pytest.param("A, " * 100, "AB, " * 10_000, id="almost a dateline"),
    ],
)
def test_classifies_any_input(title: str, text: str) -> None:
    judgement = classify(title, text, vector=bytes(DIMENSIONS))
    assert 1 <= judgement.score <= 5
    assert judgement.confidence in ("low", "medium", "high")
    assert len(as_stored(judgement.reasons)) <= 300
    assert explanation_of(judgement)
    assert sum(judgement.probabilities) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("probabilities", "score"),
    [
        pytest.param((1.0, 0.0, 0.0, 0.0, 0.0), 1, id="first"),
        pytest.param((0.4, 0.2, 0.0, 0.0, 0.4), 2, id="between the ends"),
        pytest.param((0.0, 0.0, 0.0, 0.0, 1.0), 5, id="last"),
        pytest.param((0.0, 0.0, 0.0, 0.0, 0.4), 5, id="lost in rounding"),
    ],
)
def test_score_is_the_median(probabilities: tuple[float, ...], score: int) -> None:
    assert median_score(probabilities) == score


def test_weights_round_trip() -> None:
    assert ClassifierWeights.from_bytes(LEANING.as_bytes()) == LEANING
    assert ClassifierWeights.from_bytes(SEEING.as_bytes()) == SEEING
    assert ClassifierWeights.from_bytes(SHIPPED.as_bytes()) == SHIPPED


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"format": 1}, id="of an earlier version"),
        pytest.param({"bias": [0, 0]}, id="too few scores"),
        pytest.param({"bias": None}, id="not weights"),
        pytest.param({"meaning": [[0, 0]] * 5}, id="vectors of another length"),
        pytest.param({"features": {"a": [1]}}, id="a feature with too few"),
    ],
)
def test_refuses_weights_of_wrong_shape(change: dict[str, object]) -> None:
    with pytest.raises(InvalidWeights):
        ClassifierWeights.from_json(json.dumps({**json.loads(EVEN.as_json()), **change}))


def test_refuses_invalid_weights() -> None:
    with pytest.raises(InvalidWeights):
        ClassifierWeights.from_bytes(b"damaged")


@pytest.mark.parametrize(
    ("title", "text", "score"),
    [
        pytest.param("A history of tea", "", 1, id="one"),
        pytest.param("Tea", "Nothing", 3, id="none"),
        pytest.param("Analysis: the trend", "live", 2, id="the most"),
        pytest.param("Opinion", "breaking", 5, id="of equals the most urgent"),
        pytest.param("Alive and winsome", "", 3, id="whole words"),
        pytest.param("津波で避難", "", 5, id="Japanese"),
    ],
)
def test_finds_keywords_of_the_article_only(title: str, text: str, score: int) -> None:
    assert keyword_score(title, text) == score
