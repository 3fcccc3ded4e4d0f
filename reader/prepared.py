"""Queries that every page asks alike, put into SQL once a process.

Django takes longer to put a small query together than SQLite takes to answer it: of a page that shows next to nothing
this was half. So what stands on every page, and differs by an id only, is kept as SQL.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar, TypeVarTuple

from django.db import connection
from django.db.models import QuerySet

_Values = TypeVar("_Values")
_Ids = TypeVarTuple("_Ids")

_STAND_IN = -2_000_000_000  # as an id, which no row has


def prepared(build: Callable[[*_Ids], QuerySet[Any, _Values]]) -> Callable[[*_Ids], list[_Values]]:
    """A function of ids to a query of values, as one that asks it at once.

    `build` is called with numbers that stand in for the ids, which must only become parameters of the SQL. The values
    must be such as a database gives as they are, numbers and words, not moments or truths. Raises TypeError where
    they are not, or where an id does not become a parameter.
    """

    @cache
    def statement(n_ids: int) -> tuple[str, tuple[Any, ...]]:
        stand_ins: tuple[Any, ...] = tuple(range(_STAND_IN, _STAND_IN + n_ids))
        query = build(*stand_ins).query
        compiler = query.get_compiler(connection=connection)
        sql, parameters = compiler.as_sql()
        if any(_is_converted(expression) for expression, *_ in compiler.select):
            raise TypeError(f"{build.__qualname__} asks for what must be converted")
        if not set(stand_ins) <= set(parameters):
            raise TypeError(f"{build.__qualname__} does not ask with each of its ids")
        return sql, tuple(parameters)

    def ask(*ids: *_Ids) -> list[_Values]:
        sql, parameters = statement(len(ids))
        with connection.cursor() as database:
            database.execute(sql, [_real(each, ids) for each in parameters])
            found: list[_Values] = database.fetchall()
        return found

    return ask


def _is_converted(expression: Any) -> bool:
    field = expression.output_field
    return bool(connection.ops.get_db_converters(expression) or field.get_db_converters(connection))


def _real(parameter: Any, ids: tuple[Any, ...]) -> Any:
    """The id that a parameter stands in for; what stands for itself as it is."""
    stands_in = isinstance(parameter, int) and _STAND_IN <= parameter < _STAND_IN + len(ids)
    return ids[parameter - _STAND_IN] if stands_in else parameter
