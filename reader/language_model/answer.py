"""What a language model said, as an answer that keeps to the contract, or as a sentence about what is wrong with it.

Small models wrap their JSON in talk, in code fences, in thoughts, leave a comma before the closing brace (the prompt
of the article that this follows shows one itself), or write numbers as text. All of that leaves no doubt what is meant
and is accepted. What does leave a doubt is refused: two different ratings, a member named twice, a score between two
numbers, an explanation that is none.
"""

import json
import re
import unicodedata
from dataclasses import dataclass
from typing import Any, NoReturn

from feeds.normalizing.text import shorten

EXPLANATION_CHARACTERS = 300  # what is stored
READ_CHARACTERS = 8000  # of what was said; an answer has some 300, and looking for JSON takes time
CONFIDENCES = ("low", "medium", "high")

_THOUGHTS = re.compile(r"\A.*</think(?:ing)?>|<think(?:ing)?>.*\Z", re.DOTALL | re.IGNORECASE)  # finished, cut off
_STRING_OR_LAST_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])', re.DOTALL)
_NOT_SHOWN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})  # controls, direction marks, halves of characters, unassigned
_JOINERS = "\u200c\u200d"  # are format characters, and part of Persian words and of emoji


@dataclass(frozen=True, slots=True)
class Answer:
    """How fast an article ages: score 1 to 5, confidence low, medium or high, explanation of at most 300 characters."""

    score: int
    confidence: str
    explanation: str


class UnusableAnswer(Exception):
    """The message says why, to follow "that answer". It repeats nothing that the model said but numbers."""


def read_answer(said: str) -> Answer:
    """The one rating in what a model said. Raises UnusableAnswer."""
    if len(said) > READ_CHARACTERS:
        raise UnusableAnswer("was far too long")
    rating = _only_rating(_objects(_THOUGHTS.sub(" ", said)))
    return Answer(_score(rating), _confidence(rating), _explanation(rating))


def _only_rating(objects: list[dict[str, Any]]) -> dict[str, Any]:
    if not objects:
        raise UnusableAnswer("held no JSON object")
    ratings = [each for each in objects if "score" in each]
    if not ratings:
        raise UnusableAnswer('had no "score"')
    if any(each != ratings[0] for each in ratings):
        raise UnusableAnswer(f"held {len(ratings)} different ratings")
    return ratings[0]


def _objects(text: str) -> list[dict[str, Any]]:
    """The JSON objects in `text`, those within others left out, each as wide as it can be read."""
    objects: list[dict[str, Any]] = []
    start = text.find("{")
    while start >= 0:
        found, length = _object_at(text[start:])
        if found is not None:
            objects.append(found)
        start = text.find("{", start + length)
    return objects


def _object_at(text: str) -> tuple[dict[str, Any] | None, int]:
    """The object that `text` begins with and how far to go on; None and 1 when there is none."""
    for spelled in (text, _STRING_OR_LAST_COMMA.sub(lambda match: match[1] or " ", text)):  # both equally long
        try:
            found, length = _DECODER.raw_decode(spelled)
        except RecursionError:
            raise UnusableAnswer("was nested too deeply") from None
        except ValueError:  # no JSON from here on
            continue
        return found, length
    return None, 1


def _as_dict(members: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(members)
    if len(found) < len(members):
        raise UnusableAnswer("named one member twice")
    return found


def _refuse_constant(name: str) -> NoReturn:
    raise UnusableAnswer(f"held {name}, which is no JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=_as_dict, parse_constant=_refuse_constant, strict=False)


def _score(rating: dict[str, Any]) -> int:
    value = rating["score"]
    if isinstance(value, str) and re.fullmatch(r"-?[0-9]{1,9}", value.strip()):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise UnusableAnswer('had a "score" that is no number')
    if value not in (1, 2, 3, 4, 5):
        shown = f"{value:g}" if -1e9 < value < 1e9 else "of many digits"
        raise UnusableAnswer(f"had the score {shown}, which is none of 1, 2, 3, 4, 5")
    return int(value)


def _confidence(rating: dict[str, Any]) -> str:
    value = rating.get("confidence")
    named = value.strip().lower() if isinstance(value, str) else ""
    if named not in CONFIDENCES:
        raise UnusableAnswer('had a "confidence" that is none of "low", "medium", "high"')
    return named


def _explanation(rating: dict[str, Any]) -> str:
    value = rating.get("explanation")
    cleaned = _cleaned(value) if isinstance(value, str) else ""
    if not cleaned:
        raise UnusableAnswer('had no "explanation" in words')
    return cleaned


def _cleaned(text: str) -> str:
    """One line of characters that can be stored and shown, at most 300."""
    shown = "".join(
        each if each in _JOINERS or each.isspace() or unicodedata.category(each) not in _NOT_SHOWN else ""
        for each in text
    )
    line = " ".join(shown.split())
    return line if len(line) <= EXPLANATION_CHARACTERS else f"{shorten(line, EXPLANATION_CHARACTERS - 1)}…"
