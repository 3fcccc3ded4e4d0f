"""How fast an article loses relevance, by its wording, its dates, its genre and what it means; and why. Pure.

Theory. News tells its own age: live coverage updates, alerts command, reports of one event name its day, previews look
ahead, essays speak of years, explainers of no time at all. Those cues (`cues`, `dates`, marks of style) carry over
between subjects and languages; words carry over less, and meaning (the stored vector) knows genres that no list of
words holds, such as recipes. Their weights come from examples (`reader.learning.sensitivity_training`).

The score is the median of the five probabilities: the most probable one errs by more classes when it errs, the rounded
mean avoids the ends of the scale.

The examples have no feed and no length, so what kind of feed it is and whether it is a long read shift the
probabilities by fixed small amounts: enough to decide between neighbours, too little to turn live coverage on a blog
into an essay.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from feeds.wording import gettext as _
from feeds.wording import listed
from reader.scoring.decay import class_name
from reader.scoring.sensitivity.numbers import SCORES, Numbers, Weights, median_score, shipped
from reader.scoring.sensitivity.reading import Reading, read

SHIPPED = shipped()
KIND_SHIFTS = {"breaking": 0.3, "major": 0.1, "blog": -0.25, "newsletter": -0.1, "dormant": -0.25}  # log odds a score
LONG_CHARACTERS = 8000  # some 1,300 words: a long read
LONG_SHIFT = -0.2  # log odds a score
HIGH, MEDIUM, LOW = "high", "medium", "low"
SURE, FAIRLY_SURE = 0.8, 0.55  # probability of the score, from which confidence is high and medium
NAMED_CUES = 3  # in an explanation, at most
NAMED_CHARACTERS = 40  # of a cue's words
EXPLANATION_CHARACTERS = 300
WORTH_NAMING = 0.08  # log odds for the score, below which a cue is no reason

_UNSAID = frozenset({"text:none", "title:question", "title:exclamation", "title:quote"})  # cues that quote no words


@dataclass(frozen=True, slots=True)
class Judgement:
    """A score from 1 (evergreen) to 5 (critical), how sure the judge is, why, and the probability of each score."""

    score: int
    confidence: str
    explanation: str
    probabilities: tuple[float, float, float, float, float]

    @property
    def expected(self) -> float:
        """The mean score, in [1, 5]: finer than the score, for ranking."""
        return sum(score * p for score, p in zip(SCORES, self.probabilities, strict=True))


def judge(
    title: str,
    text: str,
    *,
    language: str = "",
    kind: str = "",
    published_at: datetime | None = None,
    vector: bytes = b"",
    numbers: Numbers = SHIPPED,
) -> Judgement:
    """How fast an article loses relevance.

    `kind` is that of its feed (`feeds.models.FeedKind`), `vector` the stored vector of its meaning (512 signed bytes);
    each may be missing. Of the text only the first 600 characters are read.
    """
    reading = read(title, text, language=language, published_at=published_at)
    from_words, from_meaning = numbers.sums(reading.features), numbers.meaning_sums(vector)
    sharpness = numbers.sharpness_with_meaning if any(from_meaning) else numbers.sharpness
    shift = KIND_SHIFTS.get(kind, 0.0) + (LONG_SHIFT if len(text) >= LONG_CHARACTERS else 0.0)
    sums = tuple(
        sharpness * (words + meaning) + shift * score
        for words, meaning, score in zip(from_words, from_meaning, SCORES, strict=True)
    )
    probabilities = _probabilities(sums)
    score = median_score(probabilities)
    return Judgement(
        score,
        _confidence(probabilities[score - 1]),
        _explanation(score, reading, numbers.features, from_meaning),
        probabilities,
    )


def _probabilities(sums: Weights) -> tuple[float, float, float, float, float]:
    most = max(sums)
    one, two, three, four, five = (math.exp(value - most) for value in sums)
    total = one + two + three + four + five
    return one / total, two / total, three / total, four / total, five / total


def _confidence(probability: float) -> str:
    return HIGH if probability >= SURE else MEDIUM if probability >= FAIRLY_SURE else LOW


def _explanation(score: int, reading: Reading, weights: Mapping[str, Weights], from_meaning: Weights) -> str:
    """The cues that speak most for the score, and whether what it means does, at most 300 characters."""
    speaking = sorted(
        (-_for(score, weights[name]) * value, name)
        for name, value in reading.features.items()
        if name in weights and (name in reading.found or name in _UNSAID)
    )
    reasons = [
        _unsaid(name) if name in _UNSAID else _quoted(name, reading.found[name])
        for said, name in speaking
        if -said >= WORTH_NAMING
    ][:NAMED_CUES]
    age = class_name(score)
    if _for(score, from_meaning) > max(2 * WORTH_NAMING, -speaking[0][0] if speaking else 0.0):
        reasons.append(_("its meaning is near that of %(age)s texts") % {"age": age})
    why = listed(reasons) or _("its wording, without a clear cue")
    told = {"age": age[:1].upper() + age[1:], "reasons": why}
    return (_("%(age)s: %(reasons)s.") % told)[:EXPLANATION_CHARACTERS]


def _for(score: int, weights: Weights) -> float:
    """How much weights speak for this score and not for the others."""
    return weights[score - 1] - sum(weights) / len(weights)


def _unsaid(name: str) -> str:
    return {
        "text:none": _("a title without a text"),
        "title:question": _("a question in the title"),
        "title:exclamation": _("an exclamation in the title"),
        "title:quote": _("a quotation in the title"),
    }[name]


def _quoted(name: str, words: str) -> str:
    shown = words if len(words) <= NAMED_CHARACTERS else f"{words[: NAMED_CHARACTERS - 1]}…"
    sentence = _("“%(words)s” in the title") if name.startswith("title:") else _("“%(words)s” in the text")
    return sentence % {"words": shown}
