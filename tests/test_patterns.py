"""No regular expression of the app has catastrophic backtracking.

A library analyses each pattern for repetitions that can split the same characters in several ways: the time grows with
the square of a text's length if there are two of them, with a higher power if there are more.
"""

import importlib
import pkgutil
import re
from collections.abc import Iterator
from typing import Any

import pytest
from regexploit.ast.sre import SreOpParser
from regexploit.redos import find

ROOMS = ("feeds", "reader", "digests", "rssmanager")
NOT_IMPORTED = re.compile(r"\.migrations\b|\.(?:wsgi|web_server)$")
BOUNDED = {"feeds.normalizing.dates._TIME"}  # reads at most a date's `MAX_LENGTH`


class Parser(SreOpParser):
    """Adds the syntax of Python 3.11 that the library lacks; treating it as plain groups can only overestimate."""

    def from_POSSESSIVE_REPEAT(self, data: Any) -> Any:
        return self.from_MAX_REPEAT(data)

    def from_ATOMIC_GROUP(self, data: Any) -> Any:
        return self.sequence_or_singleton(data)


def patterns() -> Iterator[tuple[str, re.Pattern[Any]]]:
    """All compiled patterns in modules, alone or in collections, with their names."""
    for room in ROOMS:
        for module in pkgutil.walk_packages(importlib.import_module(room).__path__, f"{room}."):
            if not NOT_IMPORTED.search(module.name):
                for name, value in vars(importlib.import_module(module.name)).items():
                    yield from ((f"{module.name}.{name}", found) for found in within(value))


def within(value: object) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict):
        yield from within(tuple(value.values()))
    elif isinstance(value, tuple | list | set | frozenset):
        for part in value:
            yield from within(part)


def dangers(pattern: re.Pattern[Any]) -> list[str]:
    """Texts on which the pattern may take long."""
    source = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    return [found.example() for found in find(Parser().parse_sre(source, pattern.flags))]


def test_no_pattern_takes_polynomial_time() -> None:
    by_pattern = {(found.pattern, found.flags): (name, found) for name, found in patterns()}
    assert len(by_pattern) > 400
    found = {name: dangers(pattern) for name, pattern in by_pattern.values()}
    assert {name: examples for name, examples in found.items() if examples and name not in BOUNDED} == {}


@pytest.mark.parametrize("pattern", [r"(\w+)+$", r"\s*,?\s*\s*x", r"(?:\d+\.?)+,"])
def test_finds_slow_patterns(pattern: str) -> None:
    assert dangers(re.compile(pattern))
