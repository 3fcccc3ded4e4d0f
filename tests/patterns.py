"""Every regular expression of the app with the methods that the code calls on it, and texts that make slow ones slow.

Patterns in variables of modules are found there, those inside functions in the source: with constant arguments as they
are, else by an example in `MADE_INSIDE`.
"""

import ast
import importlib
import itertools
import pkgutil
import re
import signal
import time
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings, strategies
from hypothesis.errors import HypothesisException

from digests.summaries import boilerplate
from digests.summaries import patterns as summary_patterns
from feeds.dedup import leads
from feeds.parsing import entry_splitting
from reader.scoring.sensitivity import keyword_baseline

Pattern = re.Pattern[Any]

PACKAGES = ("feeds", "reader", "digests", "rssmanager")
NOT_IMPORTED = re.compile(r"\.migrations\b|\.(?:wsgi|web_server)$")
METHODS = frozenset({"match", "search", "fullmatch", "sub", "subn", "split", "findall", "finditer"})


@dataclass(frozen=True, slots=True)
class Use:
    """A pattern and a method that is called on it; `where` is its variable, or the function that makes it."""

    where: str
    pattern: Pattern
    method: str


def _of_table(names: str, method: str) -> list[tuple[Pattern, str]]:
    languages = ("", "de", "en", "es", "fr", "ja", "ru", "zh")
    return [(summary_patterns.pattern(name, language), method) for name in names.split() for language in languages]


def _written(method: str, *patterns: str, flags: int = 0) -> list[tuple[Pattern, str]]:
    return [(re.compile(pattern, flags), method) for pattern in patterns]


MADE_INSIDE: dict[str, list[tuple[Pattern, str]]] = {  # of those made by arguments: examples
    "feeds.dedup.leads:_pattern": [(leads._pattern(name), "search") for name in ("aside", "address", "filler")],
    "feeds.discovery.find:_find": _written("search", "</script", "-->", flags=re.IGNORECASE),
    "feeds.parsing.charset_detection:_script": [],  # only called for variables of modules
    "feeds.parsing.entry_splitting:_entry_spans": _written(
        "finditer",
        rf"{entry_splitting._OPAQUE}|<(/?)item(?=[\s/>]){entry_splitting._START_TAG_REST}",
        flags=re.DOTALL,
    ),
    "feeds.parsing.repair:_without_trailing_junk": _written("finditer", r"</rss\s*>"),
    "reader.scoring.numeric_facts:_compiled": [],
    "reader.scoring.sensitivity.keyword_baseline:_pattern": [
        (keyword_baseline._pattern(score), "findall") for score in (1, 2, 3, 4, 5)
    ],
    "digests.delivery.links:_verified": _written("fullmatch", r"([a-z]+)\.(\d+)\.(\d+)\.(\w+)"),
    "digests.summaries.boilerplate:_anywhere": [(regex, "search") for _, regex in boilerplate._anywhere()],
    "digests.summaries.extractive:_title_length": _written(
        "match", r"\W*One\W+more\W+thing\W+here[^\w\s.!?…。！？\"“«„‘(]*\s+(?![a-zа-яß-ÿ])"
    ),
    "digests.summaries.patterns:any_of": [
        *_of_table("boilerplate_start llm_about_article leaning clause_and_pronoun", "match"),
        *_of_table("llm_talk said_by_pronoun", "search"),
    ],
}


def all_uses() -> list[Use]:
    """Each pattern with each of its methods."""
    modules = [module for package in PACKAGES for module in _modules(package)]
    sources = {module.__name__: _Source(module) for module in modules}
    calls: dict[int, set[str]] = defaultdict(set)
    for source in sources.values():
        for called, method in source.calls():
            calls[id(called)].add(method)
    found: dict[tuple[str | bytes, int, str], Use] = {}
    for module in modules:
        for name, value in vars(module).items():
            for pattern in within(value):
                loose = {method for source in sources.values() if source.knows(value, name) for method in source.loose}
                for method in sorted(calls.get(id(pattern)) or loose or {"search"}):
                    use = Use(f"{module.__name__}.{name}", pattern, method)
                    found.setdefault((pattern.pattern, pattern.flags, method), use)
        for use in sources[module.__name__].inline():
            found.setdefault((use.pattern.pattern, use.pattern.flags, use.method), use)
    return list(found.values())


UNITS = (
    *"aA1é１я中カ \n-./,:;_'\"([<@#=：\\\xa0",
    *(
        "a ",
        "A ",
        "Aa ",
        "1 ",
        "a-",
        "1.",
        "/a",
        "<a",
        "</",
        "<!--",
        ' a="b"',
        "&a",
        "&#",
        "%41",
        "http://",
        "www.",
        "\r\n",
    ),
)
_UNBOUNDED = re.compile(r"(?<!\\)[*+]|\{\d+,\}")
_NESTED = re.compile(r"[*+}][^()]*\)+(?:[*+]|\{\d)")
_ALPHABET = "".join(map(chr, range(32, 127))) + "\néЯ中のカ。，—“’"
_LITERAL = re.compile(r"[^\W_]{2,}(?:[ '.-][^\W_]+)*")
N_CHARACTERS = 10_000
N_FIRST = 1_500  # characters of a first try, so that most texts cost little
SECONDS = 1.0  # of CPU, at most, for 10,000 characters
UNNOTICED = 0.004  # seconds for 10,000 characters, below which growth isn't measured
GROWTH = 8.0  # at most, from a quarter of the text to all of it: 4 is linear, 16 quadratic


@dataclass(frozen=True, slots=True)
class Pump:
    """A text of any length: a unit again and again between a start and an end."""

    start: str
    unit: str
    end: str

    def text(self, length: int) -> str:
        n_units = max(0, length - len(self.start) - len(self.end)) // len(self.unit)
        return f"{self.start}{self.unit * n_units}{self.end}"


def has_repetition(use: Use) -> bool:
    return _UNBOUNDED.search(_source_of(use)) is not None


def is_nested(use: Use) -> bool:
    """Whether there is a quantifier within a quantifier."""
    return _NESTED.search(_source_of(use)) is not None


def pumps(use: Use) -> Iterator[Pump]:
    """Common units, the pattern's own words and characters, and parts of texts that it matches."""
    plain = re.sub(r"\\[a-zA-Z]", " ", _source_of(use))
    words = list(dict.fromkeys(_LITERAL.findall(plain)))[:8]
    characters = list(dict.fromkeys(character for character in plain if not character.isspace()))[:40]
    marks = [*itertools.islice((character for character in characters if not character.isalnum()), 5), "a", "1", " "]
    units = [*UNITS, *characters, *words, *(word + mark for word in words[:4] for mark in " -.<:")]
    units += [one + two for one in marks for two in marks]
    matched = [text[:24] for text in _matched_texts(use.pattern)]
    starts = dict.fromkeys(text[:end] for text in matched[:2] for end in (len(text) // 2, len(text) - 1) if end > 0)
    for unit in dict.fromkeys(units):
        yield from (Pump("", unit, end) for end in ("", "!", "/x"))
        yield from (Pump(start, unit, end) for start in starts for end in ("", "!"))
    for text in matched:
        for start in range(min(len(text), 10)):
            for end in range(start + 1, min(len(text), start + 4) + 1):
                yield from (Pump(text[:start], text[start:end], tail) for tail in ("", "!"))
        yield from (Pump("", text[:end], "!") for end in range(5, len(text) + 1))


def slow_pump(use: Use, candidates: Iterable[Pump], *, length: int = N_CHARACTERS) -> Pump | None:
    """The first text on which a call takes too long, or longer than in proportion to the text's length."""
    for pump in dict.fromkeys(candidates):
        if seconds(use, pump.text(N_FIRST)) > UNNOTICED / 10 and is_slow(use, pump, length=length):
            return pump
    return None


def is_slow(use: Use, pump: Pump, *, length: int = N_CHARACTERS) -> bool:
    whole = seconds(use, pump.text(length))
    if whole < UNNOTICED:
        return False
    if whole >= SECONDS:
        return True
    part = min(seconds(use, pump.text(length // 4)) for _ in range(3))
    return min(whole, seconds(use, pump.text(length))) > GROWTH * part


def seconds(use: Use, text: str) -> float:
    """The CPU time of a call, `SECONDS` if it had to be interrupted."""
    given = text if isinstance(use.pattern.pattern, str) else text.encode()
    started = time.thread_time()
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        _call(use, given)
    except _TooLong:
        return SECONDS
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return time.thread_time() - started


class _TooLong(Exception):
    pass


def _stop(_number: int, _frame: object) -> None:
    raise _TooLong


signal.signal(signal.SIGVTALRM, _stop)


def _call(use: Use, text: Any) -> None:
    method = getattr(use.pattern, use.method)
    if use.method in ("sub", "subn"):
        method(text[:0], text)
    elif use.method == "finditer":
        deque(method(text), maxlen=0)
    else:
        method(text)


def _source_of(use: Use) -> str:
    source = use.pattern.pattern
    return source if isinstance(source, str) else source.decode("latin-1")


def _matched_texts(pattern: Pattern) -> list[str]:
    texts: list[str] = []
    strategy = strategies.from_regex(
        pattern, fullmatch=True, alphabet=_ALPHABET if isinstance(pattern.pattern, str) else None
    )

    @settings(
        max_examples=5,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def collect(text: str | bytes) -> None:
        texts.append(text if isinstance(text, str) else text.decode("latin-1"))

    with suppress(HypothesisException):  # what looks around itself can't be matched in full
        collect()
    return texts


def within(value: object) -> Iterator[Pattern]:
    """The patterns in a value of a module: itself, or in collections and dataclasses."""
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict):
        yield from within((*value.keys(), *value.values()))
    elif isinstance(value, tuple | list | set | frozenset):
        for part in value:
            yield from within(part)
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            yield from within(getattr(value, field.name))


def _modules(package: str) -> Iterator[ModuleType]:
    for module in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
        if not NOT_IMPORTED.search(module.name):
            yield importlib.import_module(module.name)


class _Source:
    def __init__(self, module: ModuleType) -> None:
        self._module = module
        self._tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
        self._names = {node.id for node in ast.walk(self._tree) if isinstance(node, ast.Name)}
        self.loose = {
            node.attr
            for node in ast.walk(self._tree)
            if isinstance(node, ast.Attribute) and node.attr in METHODS - {"split"} and self._value(node.value) is None
        }

    def knows(self, value: object, name: str) -> bool:
        return name in self._names and vars(self._module).get(name) is value

    def calls(self) -> Iterator[tuple[Pattern, str]]:
        """The patterns of this module's variables that are named with a method, or given to `re` with one."""
        for node in ast.walk(self._tree):
            match node:
                case ast.Attribute(value=value, attr=method) if method in METHODS:
                    pattern = self._value(value)
                case ast.Call(func=ast.Attribute(value=ast.Name(id="re"), attr=method), args=[value, *_]):
                    pattern = self._value(value)
                case _:
                    continue
            if isinstance(pattern, re.Pattern):
                yield pattern, method

    def inline(self) -> Iterator[Use]:
        """The patterns in functions of this module. Raises KeyError for one without example."""
        for function in ast.walk(self._tree):
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                where = f"{self._module.__name__}:{getattr(function, 'name', 'lambda')}"
                for node in ast.walk(function):
                    match node:
                        case ast.Call(func=ast.Attribute(value=ast.Name(id="re"), attr=method), args=[first, *rest]):
                            yield from self._inline(where, method, first, rest)

    def _inline(self, where: str, method: str, first: ast.expr, rest: list[ast.expr]) -> Iterator[Use]:
        value = first.value if isinstance(first, ast.Constant) else self._value(first)
        if isinstance(value, re.Pattern) or method == "escape":
            return
        if isinstance(value, str | bytes):
            flags = sum(flag for flag in map(self._value, rest) if isinstance(flag, re.RegexFlag))
            made = [(re.compile(value, flags), method)]
        else:
            made = MADE_INSIDE[where]
        yield from (Use(where, pattern, method) for pattern, method in made)

    def _value(self, node: ast.expr) -> object:
        match node:
            case ast.Name(id=name):
                return vars(self._module).get(name)
            case ast.Attribute(value=value, attr=name):
                return getattr(self._value(value), name, None)
        return None
