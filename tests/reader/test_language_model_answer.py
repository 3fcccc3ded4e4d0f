"""What a model says is understood where it leaves no doubt, and refused with a reason where it does."""

import json

import pytest

from reader.language_model.answer import Answer, UnusableAnswer, read_answer
from tests.reader.language_server import rating

FOUR = Answer(4, "high", "It has just happened.")


@pytest.mark.parametrize(
    "said",
    [
        pytest.param(rating(), id="as-agreed"),
        pytest.param(f"\ufeff  {rating()}\n", id="white-space-around"),
        pytest.param(f"```json\n{rating()}\n```", id="code-fence"),
        pytest.param(f"Sure! Here is the rating you asked for:\n\n{rating()}\n\nLet me know.", id="talk-around"),
        pytest.param(f'For {{braces}} and {{}} and 5" discs: {rating()} {{', id="talk-with-braces-and-quotes"),
        pytest.param(f"[{rating()}]", id="in-a-list"),
        pytest.param(f"{rating()}\n{rating()}", id="said-twice-alike"),
        pytest.param('{"note": "see below"} ' + rating(), id="another-object-without-a-score"),
        pytest.param(rating(score="4"), id="score-as-text"),
        pytest.param(rating(score=4.0), id="score-as-4.0"),
        pytest.param(rating(confidence=" High "), id="confidence-capital"),
        pytest.param(rating()[:-1] + ",\n}", id="comma-before-the-brace"),
        pytest.param(rating(explanation="It has\njust\thappened.").replace("\\n", "\n"), id="line-break-within-text"),
        pytest.param(rating()[:-1] + ', "model": "m"}', id="more-members"),
        pytest.param(f'<think>{rating(1)} or {{"score": 2}}?</think>{rating()}', id="thoughts-before"),
        pytest.param(f"Perhaps {rating(1)}.\n</think>\n{rating()}", id="thoughts-without-beginning"),
    ],
)
def test_understands(said: str) -> None:
    assert read_answer(said) == FOUR


def test_a_comma_within_the_explanation_stays_where_the_last_one_goes() -> None:
    said = '{"score": 2, "confidence": "low", "explanation": "A list: [1,], {2,} \\" ,}",}'
    assert read_answer(said).explanation == 'A list: [1,], {2,} " ,}'


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        pytest.param("", "held no JSON object", id="nothing"),
        pytest.param("I would say 4, with high confidence.", "held no JSON object", id="talk-alone"),
        pytest.param('["score", 4]', "held no JSON object", id="list"),
        pytest.param("4", "held no JSON object", id="number"),
        pytest.param(rating()[:40], "held no JSON object", id="cut-off"),
        pytest.param(f"<think>It could be {rating()}, or", "held no JSON object", id="thoughts-cut-off"),
        pytest.param("{'score': 4, 'confidence': 'high'}", "held no JSON object", id="python"),
        pytest.param("{}", 'had no "score"', id="empty-object"),
        pytest.param(json.dumps({"rating": json.loads(rating())}), 'had no "score"', id="wrapped"),
        pytest.param(f"{rating(4)} or rather {rating(5)}", "held 2 different ratings", id="two-objects"),
        pytest.param(f"{rating(4)}{rating(4)}{rating(1)}", "held 3 different ratings", id="three-objects"),
        pytest.param('{"score": 1, "score": 5}', "named one member twice", id="member-twice"),
        pytest.param(rating(0), "had the score 0, which is none of 1, 2, 3, 4, 5", id="score-0"),
        pytest.param(rating(6), "had the score 6, which is none of 1, 2, 3, 4, 5", id="score-6"),
        pytest.param(rating(9), "had the score 9, which is none of 1, 2, 3, 4, 5", id="score-9"),
        pytest.param(rating("-4"), "had the score -4, which is none of 1, 2, 3, 4, 5", id="score-negative"),
        pytest.param(rating(3.5), "had the score 3.5, which is none of 1, 2, 3, 4, 5", id="score-between"),
        pytest.param(rating(10**400), "had the score of many digits, which is none of 1, 2, 3, 4, 5", id="score-huge"),
        pytest.param(
            rating(1).replace("1", "1e999"), "had the score of many digits, which is none of 1, 2, 3, 4, 5", id="1e999"
        ),
        pytest.param(rating(1).replace("1", "9" * 5000), "held no JSON object", id="more-digits-than-python-reads"),
        pytest.param(rating(1).replace("1", "NaN"), "held NaN, which is no JSON", id="score-nan"),
        pytest.param(rating(True), 'had a "score" that is no number', id="score-true"),
        pytest.param(rating(None), 'had a "score" that is no number', id="score-null"),
        pytest.param(rating("four"), 'had a "score" that is no number', id="score-word"),
        pytest.param(rating("４"), 'had a "score" that is no number', id="score-full-width"),
        pytest.param(rating([4]), 'had a "score" that is no number', id="score-list"),
        pytest.param(
            rating(confidence="very"), 'had a "confidence" that is none of "low", "medium", "high"', id="very"
        ),
        pytest.param(rating(confidence=0.9), 'had a "confidence" that is none of "low", "medium", "high"', id="0.9"),
        pytest.param('{"score": 4}', 'had a "confidence" that is none of "low", "medium", "high"', id="score-alone"),
        pytest.param(rating(explanation=""), 'had no "explanation" in words', id="explanation-empty"),
        pytest.param(rating(explanation="\u0000\u202e\n"), 'had no "explanation" in words', id="explanation-unseen"),
        pytest.param(rating(explanation={"why": "so"}), 'had no "explanation" in words', id="explanation-object"),
        pytest.param('{"score": 4, "confidence": "low"}', 'had no "explanation" in words', id="explanation-missing"),
        pytest.param('{"a":' * 1599, "was nested too deeply", id="deep"),
        pytest.param("{" * 8000, "held no JSON object", id="many-braces"),
        pytest.param(rating() + " " * 8000, "was far too long", id="long"),
    ],
)
def test_refuses_with_the_reason(said: str, reason: str) -> None:
    with pytest.raises(UnusableAnswer) as refusal:
        read_answer(said)
    assert str(refusal.value) == reason


@pytest.mark.parametrize(
    ("explanation", "kept"),
    [
        pytest.param("a\u0000b\u001bc\u007f d", "abc d", id="controls"),
        pytest.param("one\r\n\ttwo\u2028three\u00a0four", "one two three four", id="white-space"),
        pytest.param("\u202egnp.exe\u202c \u2066x\u2069", "gnp.exe x", id="direction"),
        pytest.param("half \ud83d of a pair", "half of a pair", id="half-a-character"),
        pytest.param("می‌خواهم 👩‍💻", "می‌خواهم 👩‍💻", id="joiners"),
        pytest.param("<b>bold</b> & so on", "<b>bold</b> & so on", id="markup-is-text"),
        pytest.param("x" * 300, "x" * 300, id="300"),
        pytest.param("word " * 80, "word " * 59 + "word…", id="whole-words"),
        pytest.param("新" * 301, "新" * 299 + "…", id="no-spaces"),
    ],
)
def test_an_explanation_is_one_line_of_300_characters_that_can_be_shown(explanation: str, kept: str) -> None:
    assert read_answer(rating(explanation=explanation)).explanation == kept
