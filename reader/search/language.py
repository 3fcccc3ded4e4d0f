"""The language of queries, read into a tree. Pure.

Words stand side by side and all must be there; `OR` joins the two beside it, before anything else is joined; `-` and
`NOT` leave out; parentheses join first; quotes make phrases; `name:value` asks for more than words, and what follows a
name may be a phrase.

Nothing a person types is refused and nothing is lost: what cannot be understood as an operator is looked for as words,
and a note says so, with its place and, where one can be guessed, the query that may have been meant.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from difflib import get_close_matches
from typing import Any

from feeds.normalizing.text import is_spaceless
from feeds.search.match import AllOf, AnyOf, Not, Phrase, wanted_phrases
from feeds.search.stems import LEAST_LETTERS
from feeds.search.words import folded_runs, words_asked
from reader.search.filters import STATES, After, Before, InFolder, InLanguage, InState, OfFeed, Scored
from reader.search.notes import Note, Trouble

MOST_CHARACTERS = 500
MOST_TERMS = 30
MOST_DEPTH = 10  # parentheses within parentheses
LEAST_PREFIX = 2  # letters before a `*`

_SIGNS = str.maketrans("“”„‟«»＂（）", '"""""""()')
# Parentheses within a word belong to it, as in f(x), if they are even.
_TERM = re.compile(
    r"""(?P<minus>-(?=[^\s)]))?
        (?:(?P<open>\() | (?P<close>\)) |
        (?:(?P<name>[^\W\d_]+)(?P<mark>:(?!//)[<>]?=?|[<>]=?)(?=[^\s()]))?
        (?:"(?P<quoted>[^"]*)(?P<end>"?)\*? | (?P<bare>[^\s"()]+(?:\([^\s"()]*\)[^\s"()]*)*) | "))""",
    re.VERBOSE,
)
_NUMBER = re.compile(r"\d{1,3}(?:\.\d{1,2})?")
_COMPARISONS = {">": "gt", ">=": "gte", "<": "lt", "<=": "lte", "": "gte", "=": "gte"}
_DAY = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?")
_AGO = re.compile(r"(\d{1,4})([dwmy])")
_AROUND_WORDS = ".,;:!?…'’()*"
_DAYS = {"d": 1, "w": 7, "m": 30, "y": 365}


@dataclass(frozen=True, slots=True)
class Query:
    """A query as it was understood: `tree` None when there is nothing to look for; `notes` for the person.

    `parts`: what must all hold, as it was typed, in its order; what is joined by OR is one.
    """

    tree: Any = None
    notes: tuple[Note, ...] = ()
    parts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Term:
    """A node, or the OR between two, and where it stands in the text."""

    node: Any
    start: int
    end: int
    is_or: bool = False


@dataclass(slots=True)
class _Group:
    """What stands in one pair of parentheses, or in none: opened at `start`, its sign at `sign`."""

    start: int = 0
    sign: int = 0
    is_negated: bool = False
    terms: list[_Term] = field(default_factory=list)
    negated_at: int | None = None  # a NOT that waits for what it leaves out


class _NotUnderstood(Exception):
    """Why a value does not fit its operator."""

    def __init__(self, trouble: Trouble) -> None:
        self.trouble = trouble


def parse(text: str, *, today: date) -> Query:
    """The query as a tree of `feeds.search.match` with filters in it. Never raises."""
    return _Reading(text, today).query()


def phrases_of(tree: Any) -> Iterator[Phrase]:
    """The phrases that are wanted, each other form of a word as one, for marking where they were found."""
    for each in wanted_phrases(tree):
        yield each
        yield from (Phrase((other,), (other,), each.field) for other in each.others)


class _Reading:
    """One query while it is read, from left to right; `_groups` are the parentheses that are open."""

    def __init__(self, text: str, today: date) -> None:
        self._notes: list[Note] = []
        self._today = today
        text = " ".join(text.replace("\0", " ").translate(_SIGNS).split())
        if len(text) > MOST_CHARACTERS:
            text = text[:MOST_CHARACTERS].rstrip()
            self._note(Trouble.TOO_LONG, str(MOST_CHARACTERS))
        self._text = text
        self._groups = [_Group()]
        self._n_terms = 0
        self._n_too_deep = 0

    def query(self) -> Query:
        if self._text.count('"') % 2:
            self._note(Trouble.OPEN_QUOTE, instead=f'{self._text}"', at=self._text.rindex('"'))
        for found in _TERM.finditer(self._text):
            if found["open"]:
                self._open(found)
            elif found["close"]:
                self._close(found)
            else:
                self._read(found)
        while len(self._groups) > 1:
            self._note(Trouble.NOT_CLOSED, at=self._groups[-1].sign, instead=f"{self._text})")
            self._end_group(len(self._text))
        self._end_of_terms(self._groups[0])
        groups = list(_grouped(self._groups[0].terms))
        parts = tuple(self._text[several[0].start : several[-1].end] for several in groups)
        return Query(_joined(groups), tuple(dict.fromkeys(self._notes)), parts)

    def _note(self, trouble: Trouble, value: str = "", *, at: int | None = None, instead: str = "") -> None:
        self._notes.append(Note(trouble, value, None if at is None else at + 1, instead))

    def _without(self, start: int, end: int) -> str:
        """The query without this stretch."""
        return " ".join(f"{self._text[:start]} {self._text[end:]}".split())

    def _open(self, found: "re.Match[str]") -> None:
        if len(self._groups) > MOST_DEPTH:
            self._n_too_deep += 1
            self._note(Trouble.TOO_DEEP, str(MOST_DEPTH), at=found.start("open"))
            return
        here = self._groups[-1]
        start = found.start() if here.negated_at is None else here.negated_at
        is_negated = found["minus"] is not None or here.negated_at is not None
        here.negated_at = None
        self._groups.append(_Group(start, found.start("open"), is_negated))

    def _close(self, found: "re.Match[str]") -> None:
        if self._n_too_deep:
            self._n_too_deep -= 1
        elif len(self._groups) == 1:
            self._note(Trouble.NOT_OPENED, at=found.start(), instead=self._without(found.start(), found.end()))
        else:
            self._end_group(found.end())

    def _end_group(self, end: int) -> None:
        group = self._groups.pop()
        self._end_of_terms(group)
        node = _joined(list(_grouped(group.terms)))
        if node is None:
            self._note(Trouble.EMPTY, at=group.sign, instead=self._without(group.start, end))
            return
        self._groups[-1].terms.append(_Term(_negated(node) if group.is_negated else node, group.start, end))

    def _end_of_terms(self, group: _Group) -> None:
        """Say which operators have nothing beside them."""
        if group.negated_at is not None:
            at = group.negated_at
            self._note(Trouble.LONELY, "NOT", at=at, instead=self._without(at, at + 3))
        for place, each in enumerate(group.terms):
            beside = [group.terms[at] for at in (place - 1, place + 1) if 0 <= at < len(group.terms)]
            if each.is_or and (len(beside) < 2 or beside[1].is_or):
                self._note(
                    Trouble.LONELY,
                    self._text[each.start : each.end],
                    at=each.start,
                    instead=self._without(each.start, each.end),
                )

    def _read(self, found: "re.Match[str]") -> None:
        here = self._groups[-1]
        is_plain = not found["name"]
        if found["bare"] in ("OR", "|") and is_plain and not found["minus"]:
            here.terms.append(_Term(None, found.start(), found.end(), is_or=True))
        elif found["bare"] == "NOT" and is_plain:
            here.negated_at = found.start()
        elif found["bare"] != "AND" or not is_plain:
            node = self._node(found)
            start = found.start() if here.negated_at is None else here.negated_at
            is_negated = found["minus"] is not None or here.negated_at is not None
            here.negated_at = None
            if node is None:
                return
            self._n_terms += 1
            if self._n_terms > MOST_TERMS:
                self._note(Trouble.TOO_MANY, str(MOST_TERMS))
                return
            here.terms.append(_Term(_negated(node) if is_negated else node, start, found.end()))

    def _node(self, found: "re.Match[str]") -> Any:
        value = found["quoted"] if found["quoted"] is not None else found["bare"] or ""
        is_quoted = found["quoted"] is not None
        name, mark = (found["name"] or "").lower(), found["mark"] or ""
        if not name:
            if value.endswith(":") and value[:-1].lower() in _OPERATORS and not is_quoted:
                self._note(Trouble.NO_VALUE, value, at=found.start("bare"))
            return _phrase(value, is_exact=is_quoted)
        if name in _WORD_FIELDS and mark == ":":
            return _phrase(value, field=_WORD_FIELDS[name], is_exact=is_quoted)
        whole = found[0].removeprefix("-")
        at = found.start("name")
        make = _FILTERS.get(name)
        if make is None or (mark != ":" and name != "score"):
            if mark == ":":
                self._note(Trouble.NO_OPERATOR, whole, at=at, instead=self._guessed(found, name))
            return _phrase(whole)
        try:
            return make(value, mark.removeprefix(":"), self._today)
        except _NotUnderstood as error:
            self._note(error.trouble, whole, at=at)
            return _phrase(whole)

    def _guessed(self, found: "re.Match[str]", name: str) -> str:
        """The query with the operator that is written nearly so; "" if none is."""
        near = get_close_matches(name, sorted(_OPERATORS), n=1, cutoff=0.7)
        if not near:
            return ""
        return f"{self._text[: found.start('name')]}{near[0]}{self._text[found.end('name') :]}"


def _negated(node: Any) -> Any:
    return node.node if isinstance(node, Not) else Not(node)


def _grouped(terms: list[_Term]) -> Iterator[list[_Term]]:
    """Terms in their order, those with an OR between them together."""
    group: list[_Term] = []
    goes_on = False
    for term in terms:
        if term.is_or:
            goes_on = bool(group)
            continue
        if group and not goes_on:
            yield group
            group = []
        group.append(term)
        goes_on = False
    if group:
        yield group


def _joined(groups: list[list[_Term]]) -> Any:
    """All of the groups, and of each any of its terms; None of none."""
    nodes = tuple(AnyOf(tuple(term.node for term in each)) if len(each) > 1 else each[0].node for each in groups)
    if not nodes:
        return None
    return AllOf(nodes) if len(nodes) > 1 else nodes[0]


def _phrase(value: str, *, field: str = "", is_exact: bool = False) -> Phrase | None:
    """None when no letter or digit is in it. A word alone stands for all its forms, unless it `is_exact` or a name."""
    runs = tuple(folded_runs(value))
    words, is_prefix = words_asked(runs)
    if not words:
        return None
    is_prefix = is_prefix or (value.endswith("*") and len(words[-1]) >= LEAST_PREFIX)
    written = value.strip(_AROUND_WORDS)
    has_forms = len(runs) == 1 and len(written) >= LEAST_LETTERS and written.isalpha() and not is_spaceless(runs[0])
    if is_exact or is_prefix or field == "author" or not has_forms:
        written = ""
    return Phrase(words, runs, field, is_prefix, written.lower())


def _state(value: str, _mark: str, _today: date) -> InState:
    if value.lower() not in STATES:
        raise _NotUnderstood(Trouble.NO_STATE)
    return InState(value.lower())


def _language(value: str, _mark: str, _today: date) -> InLanguage:
    if not re.fullmatch(r"[A-Za-z]{2,3}(?:-\w+)?", value):
        raise _NotUnderstood(Trouble.NO_LANGUAGE)
    return InLanguage(value.lower().partition("-")[0])


def _score(value: str, mark: str, _today: date) -> Scored:
    if not _NUMBER.fullmatch(value):
        raise _NotUnderstood(Trouble.NO_NUMBER)
    return Scored(_COMPARISONS[mark], float(value))


def _before(value: str, _mark: str, today: date) -> Before:
    return Before(_day(value, today))


def _after(value: str, _mark: str, today: date) -> After:
    return After(_day(value, today))


def _day(value: str, today: date) -> date:
    value = value.lower()
    try:
        if value in ("today", "yesterday"):
            return today - timedelta(days=value == "yesterday")
        if ago := _AGO.fullmatch(value):
            return _kept(today - timedelta(days=int(ago[1]) * _DAYS[ago[2]]))
        if named := _DAY.fullmatch(value):
            return _kept(date(int(named[1]), int(named[2] or 1), int(named[3] or 1)))
    except (ValueError, OverflowError):
        raise _NotUnderstood(Trouble.NO_SUCH_DAY) from None
    raise _NotUnderstood(Trouble.NO_DAY)


def _kept(day: date) -> date:
    """The day, or the first or last that feeds are dated by, which asks the same and is a moment in every zone."""
    return max(date(1900, 1, 1), min(day, date(2999, 12, 31)))


_WORD_FIELDS = {"title": "title", "intitle": "title", "author": "author", "by": "author"}
_FILTERS: Mapping[str, Callable[[str, str, date], Any]] = {
    "feed": lambda value, _mark, _today: OfFeed(value),
    "source": lambda value, _mark, _today: OfFeed(value),
    "folder": lambda value, _mark, _today: InFolder(value),
    "is": _state,
    "lang": _language,
    "language": _language,
    "score": _score,
    "before": _before,
    "after": _after,
}
_OPERATORS = {*_WORD_FIELDS, *_FILTERS}
