"""Parses search queries.

Every text is a valid query: invalid operators are ignored or searched as words, with a warning. So the grammar accepts
any sequence of tokens, and the terminals any character. Where two rules match, LALR prefers shift over reduce.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from difflib import get_close_matches
from functools import cache
from itertools import pairwise
from typing import Any

from django.utils.functional import Promise
from lark import Lark, Token, Transformer, v_args
from lark.tree import Meta

from feeds.search.query_tree import MIN_LETTERS, AllOf, AnyOf, Not, Phrase
from feeds.search.tokenizer import folded_runs, is_paired, query_words
from reader.search import warnings
from reader.search.query_filters import STATES, Filter
from reader.search.warnings import QueryWarning

MAX_CHARACTERS = 500
MAX_TERMS = 30
MAX_GROUPS = 20  # pairs of parentheses; FTS5's parser has a stack of 100 symbols
MIN_PREFIX = 2  # letters before a `*`

# Adjacent words must all match. OR binds more tightly. Balanced parentheses in a word are part of it, as in f(x).
_GRAMMAR = r"""
    start: _clauses? (CLOSE _clauses?)*
    _clauses: OR+ clause* | clause+
    clause: _operand (OR+ _operand)* OR*
    _operand: _atom | negation | lonely_not
    lonely_not: NOT+
    negation: (MINUS | NOT+) _atom
    _atom: term | group
    term: FIELD? (PHRASE | WORD)
    group: OPEN _clauses? CLOSE?

    OPEN: "("
    CLOSE: ")"
    MINUS.4: /-(?=[^\s)])/
    OR.3: /(OR|\|)(?![^\s"()])/
    NOT.3: /NOT(?![^\s"()])/
    FIELD.2: /[^\W\d_]+(:(?!\/\/)[<>]?=?|[<>]=?)(?=[^\s()])/
    PHRASE: /"[^"]*"?\*?/
    WORD: /[^\s"()]+(\([^\s"()]*\)[^\s"()]*)*/
    AND.3: /(?<![^\s"()])AND(?![^\s"()])/
    %ignore AND
    %ignore /\s+/
"""

_QUOTES_AND_PARENTHESES = str.maketrans("“”„‟«»＂（）", '"""""""()')
_NO_PARENTHESES = str.maketrans("()", "  ")
_AROUND_WORDS = ".,;:!?…'’()*"
_FIELDS = {"title": "title", "intitle": "title", "author": "author", "by": "author"}
_FILTERS = {kind: kind for kind in ("feed", "folder", "is", "lang", "score", "before", "after")} | {
    "source": "feed",
    "language": "lang",
}
_OPERATORS = sorted({*_FIELDS, *_FILTERS})
_COMPARISONS = {">": "gt", ">=": "gte", "<": "lt", "<=": "lte", "": "gte", "=": "gte"}
_DAY = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?")
_AGO = re.compile(r"(\d{1,4})([dwmy])")
_DAYS = {"d": 1, "w": 7, "m": 30, "y": 365}
_FIRST_DAY, _LAST_DAY = date(1900, 1, 1), date(2999, 12, 31)  # avoids overflow in any time zone


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed query: a `tree` of `feeds.search.query_tree` nodes and filters, None if there is nothing to search for.

    `parts`: the parts that must all match, as typed; alternatives joined by OR are one part.
    """

    tree: Any = None
    warnings: tuple[QueryWarning, ...] = ()
    parts: tuple[str, ...] = ()


def parse(text: str, *, today: date) -> Query:
    """Parse `text`; never raises."""
    found: list[QueryWarning] = []
    text = " ".join(text.replace("\0", " ").translate(_QUOTES_AND_PARENTHESES).split())
    if len(text) > MAX_CHARACTERS:
        text = text[:MAX_CHARACTERS].rstrip()
        found.append(QueryWarning(warnings.TOO_LONG, str(MAX_CHARACTERS)))
    if text.count("(") > MAX_GROUPS:
        text = " ".join(text.translate(_NO_PARENTHESES).split())
        found.append(QueryWarning(warnings.TOO_MANY_GROUPS, str(MAX_GROUPS)))
    if text.count('"') % 2:
        found.append(QueryWarning(warnings.OPEN_QUOTE, at=text.rindex('"') + 1, instead=f'{text}"'))
    builder = _Builder(text, today)
    clauses = builder.transform(_parser().parse(text))
    parts = tuple(text[clause.start : clause.end] for clause in clauses)
    in_order = sorted(dict.fromkeys([*found, *builder.warnings]), key=lambda warning: warning.at or 0)
    return Query(_all_of(clauses), tuple(in_order), parts)


@cache
def _parser() -> Lark:
    return Lark(_GRAMMAR, parser="lalr", propagate_positions=True)


@dataclass(frozen=True, slots=True)
class _Piece:
    """A node of the query tree and its position in the text."""

    node: Any
    start: int
    end: int


@v_args(meta=True)
class _Builder(Transformer[Token, Any]):
    """Builds the query tree and collects warnings; rules with nothing to search for return None."""

    def __init__(self, text: str, today: date) -> None:
        super().__init__()
        self.warnings: list[QueryWarning] = []
        self._text = text
        self._today = today
        self._n_terms = 0

    def start(self, _meta: Meta, children: list[Any]) -> list[_Piece]:
        self._ignore(children)
        return _pieces(children)

    def group(self, meta: Meta, children: list[Any]) -> _Piece | None:
        opening, *inside = children
        if inside and inside[-1] == ")":
            inside.pop()
        else:
            self._warn(warnings.NOT_CLOSED, opening.start_pos, instead=f"{self._text})")
        self._ignore(inside)
        if not (clauses := _pieces(inside)):
            self._warn(warnings.EMPTY, opening.start_pos, instead=self._without(meta.start_pos, meta.end_pos))
            return None
        return _Piece(_all_of(clauses), meta.start_pos, meta.end_pos)

    def clause(self, _meta: Meta, children: list[Any]) -> _Piece | None:
        self._ignore(child for child, following in pairwise([*children, ""]) if isinstance(following, str))
        pieces = _pieces(children)
        if len(pieces) > 1:
            return _Piece(AnyOf(tuple(piece.node for piece in pieces)), pieces[0].start, pieces[-1].end)
        return pieces[0] if pieces else None

    def negation(self, meta: Meta, children: list[Any]) -> _Piece | None:
        *signs, piece = children
        if piece is None:
            return None
        node = piece.node
        if len(signs) % 2:
            node = node.node if isinstance(node, Not) else Not(node)
        return _Piece(node, meta.start_pos, meta.end_pos)

    def lonely_not(self, _meta: Meta, children: list[Any]) -> None:
        self._ignore(children)

    def term(self, meta: Meta, children: list[Any]) -> _Piece | None:
        node = self._filter(*children) if len(children) > 1 else self._words(children[0])
        if node is None:
            return None
        self._n_terms += 1
        if self._n_terms > MAX_TERMS:
            self.warnings.append(QueryWarning(warnings.TOO_MANY_TERMS, str(MAX_TERMS)))
            return None
        return _Piece(node, meta.start_pos, meta.end_pos)

    def _words(self, token: Token, field: str = "") -> Phrase | None:
        if token.type == "PHRASE":
            return _phrase(_unquoted(token), field, is_exact=True)
        if not field and token.endswith(":") and token[:-1].lower() in _OPERATORS:
            self._warn(warnings.NO_VALUE, token.start_pos, token)
        return _phrase(token, field)

    def _filter(self, label: Token, token: Token) -> Any:
        written = label.rstrip(":<>=")
        name, comparison = written.lower(), label[len(written) :].lstrip(":")
        start = label.start_pos or 0
        if name in _FIELDS and label.endswith(":"):
            return self._words(token, _FIELDS[name])
        whole = f"{label}{token}"
        if name in _FILTERS and (label.endswith(":") or name == "score"):
            try:
                return Filter(_FILTERS[name], _value(_FILTERS[name], _unquoted(token), comparison, self._today))
            except _Invalid as error:
                self._warn(error.message, start, whole)
        elif label.endswith(":"):
            near = get_close_matches(name, _OPERATORS, n=1, cutoff=0.7)
            rest = self._text[start + len(written) :]
            instead = f"{self._text[:start]}{near[0]}{rest}" if near else ""
            self._warn(warnings.NO_OPERATOR, start, whole, instead)
        return _phrase(whole)

    def _ignore(self, children: Iterable[Any]) -> None:
        """Warn about the tokens among `children`."""
        for token in children:
            if isinstance(token, Token):
                message = warnings.NOT_OPENED if token.type == "CLOSE" else warnings.LONELY
                self._warn(message, token.start_pos, token, self._without(token.start_pos, token.end_pos))

    def _warn(self, message: Promise, at: int | None, value: str = "", instead: str = "") -> None:
        self.warnings.append(QueryWarning(message, str(value), (at or 0) + 1, instead))

    def _without(self, start: int | None, end: int | None) -> str:
        return " ".join(f"{self._text[:start]} {self._text[end:]}".split())


def _unquoted(token: Token) -> str:
    return token.split('"')[1] if token.type == "PHRASE" else str(token)


def _pieces(children: list[Any]) -> list[_Piece]:
    return [child for child in children if isinstance(child, _Piece)]


def _all_of(clauses: list[_Piece]) -> Any:
    if len(clauses) > 1:
        return AllOf(tuple(clause.node for clause in clauses))
    return clauses[0].node if clauses else None


def _phrase(value: str, field: str = "", *, is_exact: bool = False) -> Phrase | None:
    """The words of `value`, None if there are none. A single word matches all its forms unless exact or an author."""
    runs = tuple(folded_runs(value))
    words, is_prefix = query_words(runs)
    if not words:
        return None
    is_prefix = is_prefix or (value.endswith("*") and len(words[-1]) >= MIN_PREFIX)
    typed = value.strip(_AROUND_WORDS)
    has_forms = len(runs) == 1 and len(typed) >= MIN_LETTERS and typed.isalpha() and not is_paired(runs[0])
    if is_exact or is_prefix or field == "author" or not has_forms:
        typed = ""
    return Phrase(words, field, is_prefix, typed.lower())


class _Invalid(Exception):
    """A value that its operator doesn't accept; `message` says why."""

    def __init__(self, message: Promise) -> None:
        self.message = message


def _value(kind: str, value: str, comparison: str, today: date) -> Any:
    """The value of a filter. Raises _Invalid."""
    match kind:
        case "is":
            if value.lower() not in STATES:
                raise _Invalid(warnings.NO_STATE)
            return value.lower()
        case "lang":
            if not re.fullmatch(r"[A-Za-z]{2,3}(?:-\w+)?", value):
                raise _Invalid(warnings.NO_LANGUAGE)
            return value.lower().partition("-")[0]
        case "score":
            if not re.fullmatch(r"\d{1,3}(?:\.\d{1,2})?", value):
                raise _Invalid(warnings.NO_NUMBER)
            return _COMPARISONS[comparison], float(value)
        case "before" | "after":
            return _day(value.lower(), today)
    return value


def _day(value: str, today: date) -> date:
    """The date that `value` names. Raises _Invalid."""
    try:
        if value in ("today", "yesterday"):
            return today - timedelta(days=value == "yesterday")
        if ago := _AGO.fullmatch(value):
            day = today - timedelta(days=int(ago[1]) * _DAYS[ago[2]])
        elif named := _DAY.fullmatch(value):
            day = date(int(named[1]), int(named[2] or 1), int(named[3] or 1))
        else:
            raise _Invalid(warnings.NO_DAY)
    except (ValueError, OverflowError):
        raise _Invalid(warnings.NO_SUCH_DAY) from None
    return max(_FIRST_DAY, min(day, _LAST_DAY))
