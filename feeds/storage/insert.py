"""Inserts many rows of a model with one prepared statement, in a third of the time of `bulk_create`.

Rows are made before the transaction, because converting their values takes longer than inserting them, and on SQLite
nothing else can be written during a transaction.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from django.db import connection, models

Row = tuple[Any, ...]  # the values of all columns but the id, as the database takes them

_AS_THEY_ARE = (
    models.CharField,
    models.TextField,
    models.IntegerField,
    models.FloatField,
    models.BooleanField,
    models.ForeignKey,
)


class _Column(NamedTuple):
    """`convert`: what the database needs done to a value, None for nothing. `default`: converted already."""

    attribute: str
    name: str
    convert: Callable[[Any], Any] | None
    default: Any


def row_of(model: type[models.Model], values: Mapping[str, Any]) -> Row:
    """The row with these values, by attribute name and of the right types; columns without one get their default."""
    row = []
    for attribute, _, convert, default in _columns(model):
        value = values.get(attribute, _MISSING)
        if value is _MISSING:
            value = default
        elif convert is not None and value is not None:
            value = convert(value)
        row.append(value)
    return tuple(row)


def insert(model: type[models.Model], rows: Sequence[Row], *, ignore_conflicts: bool = False) -> None:
    """Insert rows made by `row_of`. With `ignore_conflicts`, those that break a unique constraint are left out."""
    if not rows:
        return
    columns = _columns(model)
    names = ", ".join(connection.ops.quote_name(column.name) for column in columns)
    sql = f"INSERT INTO {model._meta.db_table} ({names}) VALUES ({', '.join(['%s'] * len(columns))})"  # noqa: S608
    with connection.cursor() as cursor:
        cursor.executemany(sql + (" ON CONFLICT DO NOTHING" if ignore_conflicts else ""), rows)


_MISSING = object()


@cache
def _columns(model: type[models.Model]) -> tuple[_Column, ...]:
    return tuple(
        _Column(
            field.attname,
            str(field.column),
            _conversion(field),
            field.get_db_prep_save(field.get_default(), connection),
        )
        for field in model._meta.concrete_fields
        if not field.primary_key
    )


def to_database(field: "models.Field[Any, Any]", value: Any) -> Any:
    """The value, of the right type, as the database takes it."""
    convert = _conversion(field)
    return value if convert is None or value is None else convert(value)


@cache
def _conversion(field: "models.Field[Any, Any]") -> Callable[[Any], Any] | None:
    """What the database needs done to a value that isn't None; None for nothing."""
    if isinstance(field, _AS_THEY_ARE):
        return None
    if isinstance(field, models.DateTimeField):
        return connection.ops.adapt_datetimefield_value
    return lambda value: field.get_db_prep_save(value, connection)
