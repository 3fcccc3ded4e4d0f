"""Checks what a server sends and what the model in it answers.

Small models wrap their JSON in prose, code fences or thoughts, leave a comma before the closing brace (as the article
that this prompt follows does), or write numbers as text. The meaning is clear, so this is accepted. Ambiguous answers
are refused: two different ratings, a score between two numbers, an explanation without words.
"""

import json
import re
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, ValidationError
from pydantic_core import PydanticCustomError

from feeds.normalizing.text import shorten
from reader.llm.client import Answer, NoCompletion, UnusableAnswer

EXPLANATION_CHARACTERS = 300  # stored
MAX_CHARACTERS = 8000  # of an answer, which has some 300; looking for JSON takes time
ERROR_CHARACTERS = 200

_THOUGHTS = re.compile(r"\A.*</think(?:ing)?>|<think(?:ing)?>.*\Z", re.DOTALL | re.IGNORECASE)  # finished, cut off
_STRING_OR_LAST_COMMA = re.compile(r'("(?:[^"\\]|\\.)*+"?)|,(?=\s*[}\]])', re.DOTALL)
_JOINERS = "\u200c\u200d"  # invisible, but part of Persian words and of emoji
_DECODER = json.JSONDecoder(strict=False)


def parse_completion(body: bytes) -> str:
    """The model's message, "" if it is empty. Raises NoCompletion."""
    if reported := error_text(body):  # some servers send errors with status 200
        raise NoCompletion(f"reports an error: {reported}")
    try:
        # Not `model_validate_json`, which refuses half a surrogate pair, as a cut-off answer may end in.
        content = _Completion.model_validate(_json(body)).choices[0].message.content
    except ValidationError as error:
        raise NoCompletion("doesn't answer like an OpenAI-compatible server.") from error
    if isinstance(content, list):
        return "".join(part.text or "" for part in content)
    return content or ""


def error_text(body: bytes) -> str:
    """The error that a response reports, on one line of at most 200 characters; "" if there is none."""
    data = _json(body)
    error = (data.get("error") or data.get("detail")) if isinstance(data, dict) else None
    if isinstance(error, dict):
        error = error.get("message")
    elif not error:
        return ""
    return shorten(_one_line(error) if isinstance(error, str) else "no reason given", ERROR_CHARACTERS)


def parse_answer(text: str) -> Answer:
    """The one rating in a model's answer. Raises UnusableAnswer."""
    if len(text) > MAX_CHARACTERS:
        raise UnusableAnswer("was far too long")
    ratings = [found for found in _objects(_THOUGHTS.sub(" ", text)) if "score" in found]
    if not ratings:
        raise UnusableAnswer('had no JSON object with a "score"')
    if any(other != ratings[0] for other in ratings):
        raise UnusableAnswer(f"had {len(ratings)} different ratings")
    try:
        rating = _Rating.model_validate(ratings[0])
    except ValidationError as invalid:
        error = invalid.errors(include_input=False, include_url=False, include_context=False)[0]
        raise UnusableAnswer(f'had an invalid "{error["loc"][0]}" ({error["msg"]})') from None
    return Answer(rating.score, rating.confidence, rating.explanation)


def _json(body: bytes) -> Any:
    """The parsed JSON; None if invalid."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


class _Part(BaseModel):
    text: str | None = None


class _Message(BaseModel):
    content: str | list[_Part] | None


class _Choice(BaseModel):
    message: _Message


class _Completion(BaseModel):
    choices: Annotated[list[_Choice], Field(min_length=1)]


def _no_boolean(value: Any) -> Any:
    return None if isinstance(value, bool) else value


def _lower(value: Any) -> Any:
    return value.strip().lower() if isinstance(value, str) else value


def _explanation(text: str) -> str:
    """One line of at most 300 characters that can be stored and shown."""
    line = _one_line(text)
    if not line:
        raise PydanticCustomError("empty", "Input should be a sentence")
    return line if len(line) <= EXPLANATION_CHARACTERS else f"{shorten(line, EXPLANATION_CHARACTERS - 1)}…"


def _one_line(text: str) -> str:
    """The text without control characters, direction marks and halves of characters, with single spaces."""
    shown = (char for char in text if char.isprintable() or char.isspace() or char in _JOINERS)
    return " ".join("".join(shown).split())


class _Rating(BaseModel):
    score: Annotated[int, Field(ge=1, le=5), BeforeValidator(_no_boolean)]  # "4" and 4.0 are 4
    confidence: Annotated[Literal["low", "medium", "high"], BeforeValidator(_lower)]
    explanation: Annotated[str, AfterValidator(_explanation)]


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """The JSON objects in `text`, outermost only."""
    start = text.find("{")
    while start >= 0:
        found, length = _object_at(text[start:])
        if found is not None:
            yield found
        start = text.find("{", start + length)


def _object_at(text: str) -> tuple[dict[str, Any] | None, int]:
    """The object that `text` begins with, and its length; None and 1 if there is none."""
    for spelled in (text, _STRING_OR_LAST_COMMA.sub(lambda match: match[1] or " ", text)):  # both equally long
        try:
            return _DECODER.raw_decode(spelled)
        except RecursionError:
            raise UnusableAnswer("was nested too deeply") from None
        except ValueError:
            continue
    return None, 1
