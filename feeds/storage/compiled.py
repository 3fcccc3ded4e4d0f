"""Queries whose SQL is built once and then run with other values.

Django builds the SQL of a query each time, which takes several times as long as running a small one: with twenty
queries, that was half the time of a page. With

    @compiled
    def _starred(user: int, articles: Collection[int]) -> QuerySet[ArticleState, int]:
        return ArticleState.objects.filter(user=user, article__in=articles).values_list("article_id", flat=True)

`_starred(1, [4, 5])` is the list of rows, and the function itself is called once per connection. Integers, strings,
timestamps, UUIDs and collections of integers are values, which the query uses in filters, as they are. None and
booleans can change what is asked: each combination is built once. Everything else that the function reads, a setting or
the clock, it reads only then. A collection that is empty finds nothing, so all of them must be conditions of every row.

Only what Django's own querysets use of a compiler is used here: `as_sql`, `get_converters` and the rows' class.
"""

from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime
from functools import wraps
from typing import Any, ParamSpec, TypeVar, cast
from uuid import UUID

from django.db import connections
from django.db.models import QuerySet

_P = ParamSpec("_P")
_Row = TypeVar("_Row")

_SEVERAL = "several"  # the kind of a collection of integers
_HUGE = "huge"  # the kind of an integer of more than 64 bits, from an address that someone made up
_STATEMENTS = "_compiled_statements"  # of a connection


def compiled(build: Callable[_P, QuerySet[Any, _Row]]) -> Callable[_P, list[_Row]]:
    """Turn a function that returns a query into one that returns its rows; it takes positional arguments only."""

    @wraps(build)
    def rows(*values: _P.args, **named: _P.kwargs) -> list[_Row]:
        if named:
            raise TypeError(f"{build.__qualname__} takes positional arguments only")
        kinds = tuple(map(_kind, values))
        if any(kind is _SEVERAL and not value for kind, value in zip(kinds, values, strict=True)):
            return []
        query = cast(Callable[..., QuerySet[Any, _Row]], build)
        if _HUGE in kinds:
            return list(query(*values))  # Django knows which conditions can hold for a number that no column can
        statements = vars(connections["default"]).setdefault(_STATEMENTS, {})
        statement = statements.get((build, kinds))
        if statement is None:
            statement = statements[build, kinds] = _Statement(query, kinds)
        return statement.rows(values)

    return rows


def _kind(value: object) -> Any:
    """What a value stands for in SQL: its type, or for None and booleans the value itself."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int if -(2**63) <= value < 2**63 else _HUGE
    for kind in (str, datetime, UUID):
        if isinstance(value, kind):
            return kind
    if isinstance(value, Collection):
        return _SEVERAL
    raise TypeError(f"a compiled query takes no {type(value).__name__}")


def _placeholder(kind: Any, number: int) -> Any:
    """A value that occurs in no query, to find where this one goes."""
    if kind is int:
        return 2_111_111_000 + number
    if kind is str:
        return f"\x01{number}"
    if kind is datetime:
        return datetime(1066, 10, 14, microsecond=number, tzinfo=UTC)
    if kind is UUID:
        return UUID(int=number)
    return [_placeholder(int, number)] if kind is _SEVERAL else kind


class _Statement:
    """The SQL of a query on one connection. `_slots` are, for each parameter, the number of its value or None."""

    def __init__(self, build: Callable[..., QuerySet[Any, Any]], kinds: Sequence[Any]) -> None:
        placeholders = [_placeholder(kind, number) for number, kind in enumerate(kinds)]
        self._kinds = kinds
        self._queryset: Any = build(*placeholders)
        connection = connections[self._queryset.db]
        self._adapt: dict[Any, Callable[[Any], Any]] = {
            int: int,
            str: str,
            datetime: connection.ops.adapt_datetimefield_value,
            UUID: (lambda value: value) if connection.features.has_native_uuid_field else (lambda value: value.hex),
        }
        self._compiler: Any = self._queryset.query.get_compiler(connection=connection)
        sql, self._constants = self._compiler.as_sql()
        self._parts = sql.split("%s")
        marks = {
            number: self._as_parameters(value, kinds[number])[0]
            for number, value in enumerate(placeholders)
            if value is not None and not isinstance(value, bool)
        }
        self._slots = [next((n for n in marks if marks[n] == parameter), None) for parameter in self._constants]
        if len(self._parts) != len(self._slots) + 1 or marks.keys() - set(self._slots):
            raise ValueError(f"{build.__qualname__} doesn't use each of its values as it is, in a filter")
        selected = [column for column, *_ in self._compiler.select[: self._compiler.col_count]]
        converters = self._compiler.get_converters(selected)
        self._compiler.get_converters = lambda _columns: converters

    def rows(self, values: Sequence[Any]) -> list[Any]:
        text, parameters = [self._parts[0]], []
        for slot, constant, part in zip(self._slots, self._constants, self._parts[1:], strict=True):
            these = [constant] if slot is None else self._as_parameters(values[slot], self._kinds[slot])
            parameters += these
            text += (", ".join(["%s"] * len(these)), part)
        compiler, query, queryset = map(_copy, (self._compiler, self._queryset.query, self._queryset))
        compiler.as_sql = lambda *_, **__: ("".join(text), tuple(parameters))
        query.get_compiler = lambda *_, **__: compiler
        queryset._query = query
        return list(queryset._iterable_class(queryset))

    def _as_parameters(self, value: Any, kind: Any) -> list[Any]:
        if kind is _SEVERAL:
            return list(value)
        return [self._adapt[kind](value)]


def _copy(of: Any) -> Any:
    """A shallow copy, so that values are never those of another call. `copy` would run a query to copy it."""
    copied = object.__new__(type(of))
    vars(copied).update(vars(of))
    return copied
