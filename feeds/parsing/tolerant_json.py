"""Reads JSON as templates write it: raw line breaks in strings, commas too many or too few, comments, unknown escapes.

If that isn't enough (a quotation mark in a string, a cut), the members of an array are read one by one, and those that
can't be read are left out.
"""

import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

MAX_UNREADABLE = 50  # members of an array, after which the rest is left out
MAX_INNER = 10  # objects inside of one, after each of which it may end
MAX_MEMBER = 100_000  # characters of one that is repaired

_DECODER = json.JSONDecoder(strict=False)  # allows control characters in strings
_STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)'  # one without an end goes on to the end of the text
_COMMENT = re.compile(rf"({_STRING})|//[^\n]*|/\*(?:.*?\*/|.*)", re.DOTALL)
_COMMAS = re.compile(
    rf"(?P<string>{_STRING})|(?P<opening>[\[{{])[\s,]*+|(?P<commas>,[\s,]*+)(?=(?P<closing>[\]}}])?)|\}}\s*+(?=\{{)",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:(u[0-9a-fA-F]{4}|[\"\\/bfnrt])|x([0-9a-fA-F]{2})|('|\r?\n)|)", re.DOTALL)
_NEXT_MEMBER = re.compile(r"\}\s*+,?\s*+(?=\{)")
_START = re.compile(r"[{\[]")


def read_json(text: str) -> tuple[Any, bool]:
    """Return the value in `text`, and whether it is JSON as it stands. Raises ValueError, RecursionError."""
    try:
        return json.loads(text), True
    except ValueError:
        return _read_repaired(text), False


def read_members(text: str, position: int) -> Iterator[Any]:
    """Yield the objects of an array that begins before `position`, as far as they can be read.

    After one that can't be, objects inside of others may be among them.
    """
    n_unreadable = 0
    while (start := text.find("{", position)) >= 0 and n_unreadable <= MAX_UNREADABLE:
        if not n_unreadable and "]" in text[position:start]:
            return
        try:
            member, position = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            n_unreadable += 1
            member, position = _read_until_next(text, start)
        if member is not None:
            yield member


def _read_until_next(text: str, start: int) -> tuple[Any, int]:
    """Return the object that begins at `start`, repaired, and where to continue; None if it still can't be read."""
    ends = [match.start() + 1 for match in islice(_NEXT_MEMBER.finditer(text, start), MAX_INNER)]
    for end in (end for end in ends if end - start <= MAX_MEMBER):
        try:
            return _read_repaired(text[start:end]), end
        except (ValueError, RecursionError):
            continue
    return None, ends[0] if ends else len(text)


def _read_repaired(text: str) -> Any:
    start = _START.search(text)
    repaired = _COMMENT.sub(lambda match: _string(match[1]) if match[1] else " ", text[start.start() if start else 0 :])
    return _DECODER.raw_decode(_COMMAS.sub(_comma, repaired))[0]


def _comma(match: re.Match[str]) -> str:
    """Return a string as it is, and elsewhere as many commas as there should be."""
    if match["commas"]:
        return "" if match["closing"] else ","
    return match["string"] or match["opening"] or "},"


def _string(string: str) -> str:
    return _ESCAPE.sub(_escape, string) if "\\" in string else string


def _escape(match: re.Match[str]) -> str:
    known, code, dropped = match.groups()
    if known:
        return match[0]
    if code:
        return f"\\u00{code}"
    return dropped.strip() if dropped is not None else "\\\\"
