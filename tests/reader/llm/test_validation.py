"""Unambiguous model answers are accepted, others refused with a reason."""

import json

import pytest

from reader.llm import Answer, UnusableAnswer
from reader.llm.validation import parse_answer
from tests.reader.language_server import rating

NO_RATING = 'had no JSON object with a "score"'
SCORE = 'had an invalid "score" (Input should'
CONFIDENCE = "had an invalid \"confidence\" (Input should be 'low', 'medium' or 'high')"
EXPLANATION = 'had an invalid "explanation"'

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
    assert parse_answer(said) == FOUR


def test_removes_only_trailing_commas() -> None:
    reply = '{"score": 2, "confidence": "low", "explanation": "A list: [1,], {2,} \\" ,}",}'
    assert parse_answer(reply).explanation == 'A list: [1,], {2,} " ,}'


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        pytest.param("", NO_RATING, id="nothing"),
        pytest.param("I would say 4, with high confidence.", NO_RATING, id="talk-alone"),
        pytest.param('["score", 4]', NO_RATING, id="list"),
        pytest.param("4", NO_RATING, id="number"),
        pytest.param(rating()[:40], NO_RATING, id="cut-off"),
        pytest.param(f"<think>It could be {rating()}, or", NO_RATING, id="thoughts-cut-off"),
        pytest.param("{'score': 4, 'confidence': 'high'}", NO_RATING, id="python"),
        pytest.param("{}", NO_RATING, id="empty-object"),
        pytest.param(json.dumps({"rating": json.loads(rating())}), NO_RATING, id="wrapped"),
        pytest.param(f"{rating(4)} or rather {rating(5)}", "had 2 different ratings", id="two-objects"),
        pytest.param(f"{rating(4)}{rating(4)}{rating(1)}", "had 3 different ratings", id="three-objects"),
        pytest.param(rating(0), f"{SCORE} be greater than or equal to 1)", id="score-0"),
        pytest.param(rating(6), f"{SCORE} be less than or equal to 5)", id="score-6"),
        pytest.param(rating("-4"), f"{SCORE} be greater than or equal to 1)", id="score-negative"),
        pytest.param(
            rating(3.5), f"{SCORE} be a valid integer, got a number with a fractional part)", id="score-between"
        ),
        pytest.param(rating(10**400), f"{SCORE} be less than or equal to 5)", id="score-huge"),
        pytest.param(rating(1).replace("1", "1e999"), f"{SCORE} be a finite number)", id="1e999"),
        pytest.param(rating(1).replace("1", "9" * 5000), NO_RATING, id="more-digits-than-python-reads"),
        pytest.param(rating(1).replace("1", "NaN"), f"{SCORE} be a finite number)", id="score-nan"),
        pytest.param(rating(True), f"{SCORE} be a valid integer)", id="score-true"),
        pytest.param(rating(None), f"{SCORE} be a valid integer)", id="score-null"),
        pytest.param(
            rating("four"), f"{SCORE} be a valid integer, unable to parse string as an integer)", id="score-word"
        ),
        pytest.param(
            rating("４"), f"{SCORE} be a valid integer, unable to parse string as an integer)", id="score-full-width"
        ),
        pytest.param(rating([4]), f"{SCORE} be a valid integer)", id="score-list"),
        pytest.param(rating(confidence="very"), CONFIDENCE, id="very"),
        pytest.param(rating(confidence=0.9), CONFIDENCE, id="0.9"),
        pytest.param('{"score": 4}', 'had an invalid "confidence" (Field required)', id="score-alone"),
        pytest.param(rating(explanation=""), f"{EXPLANATION} (Input should be a sentence)", id="explanation-empty"),
        pytest.param(
            rating(explanation="\u0000\u202e\n"), f"{EXPLANATION} (Input should be a sentence)", id="explanation-unseen"
        ),
        pytest.param(
            rating(explanation={"why": "so"}),
            f"{EXPLANATION} (Input should be a valid string)",
            id="object",
        ),
        pytest.param('{"score": 4, "confidence": "low"}', f"{EXPLANATION} (Field required)", id="explanation-missing"),
        pytest.param('{"a":' * 1599, "was nested too deeply", id="deep"),
        pytest.param("{" * 8000, NO_RATING, id="many-braces"),
        pytest.param(rating() + " " * 8000, "was far too long", id="long"),
    ],
)
def test_refuses_with_the_reason(said: str, reason: str) -> None:
    with pytest.raises(UnusableAnswer) as refusal:
        parse_answer(said)
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
def test_explanation_is_one_printable_line(explanation: str, kept: str) -> None:
    assert parse_answer(rating(explanation=explanation)).explanation == kept
