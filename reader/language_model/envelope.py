"""What an OpenAI-compatible server wraps around a model's words, and around its complaints."""

import json
import unicodedata
from typing import Any

from feeds.normalizing.text import shorten

COMPLAINT_CHARACTERS = 200


class NoCompletion(Exception):
    """The body holds no model's words. The message says why, to follow the server's name."""


def read_completion(body: bytes) -> str:
    """What the model said, "" if nothing. Raises NoCompletion."""
    envelope = _read(body)
    if not isinstance(envelope, dict):
        raise NoCompletion("does not answer as an OpenAI-compatible server does.")
    if said := _complaint(envelope):  # some send their errors with status 200
        raise NoCompletion(f"reports an error: {said}")
    try:
        content = envelope["choices"][0]["message"]["content"]
    except (KeyError, IndexError, TypeError) as error:
        raise NoCompletion("does not answer as an OpenAI-compatible server does.") from error
    return _text(content)


def complaint_in(body: bytes) -> str:
    """What an error's body says is wrong, on one line of at most 200 characters; "" if it does not."""
    envelope = _read(body)
    return _complaint(envelope) if isinstance(envelope, dict) else ""


def _read(body: bytes) -> Any:
    """The JSON of a body; None when it is none."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _text(content: Any) -> str:
    """A message's content, which is a text, nothing, or a list of parts."""
    if isinstance(content, list):
        parts = [each.get("text") for each in content if isinstance(each, dict)]
        return "".join(each for each in parts if isinstance(each, str))
    return content if isinstance(content, str) else ""


def _complaint(envelope: dict[str, Any]) -> str:
    said = envelope.get("error") or envelope.get("detail") or ""
    if isinstance(said, dict):
        said = said.get("message") or "no reason given"
    if not isinstance(said, str):
        said = "no reason given"
    shown = "".join(each if unicodedata.category(each)[0] != "C" else " " for each in said)
    return shorten(" ".join(shown.split()), COMPLAINT_CHARACTERS)
