"""`IN` for collections of integers, prepared in an eighth of the time.

Django prepares the values of a collection one by one, with a dozen calls for each. Stages look up hundreds of ids at a
time in dozens of statements, and this took longer than the database. Integers for integer columns need no preparing;
all other values take Django's way.
"""

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from django.db import models
from django.db.models.fields.related_lookups import RelatedIn
from django.db.models.lookups import In

if TYPE_CHECKING:  # generic only there
    _In = In[Any]
else:
    _In = In


class IntegerIn(_In):
    """Replaces `IN` of integer columns."""

    def get_prep_lookup(self) -> Any:
        if isinstance(self.rhs, Collection) and _are_integers(self.rhs) and self._is_of_integers():
            return list(self.rhs)
        return super().get_prep_lookup()

    def batch_process_rhs(self, compiler: Any, connection: Any, rhs: Any = None) -> tuple[list[str], list[Any]]:
        values = self.rhs if rhs is None else rhs
        if _are_integers(values) and self._is_of_integers():
            return ["%s"] * len(values), list(values)
        return super().batch_process_rhs(compiler, connection, rhs)

    def _is_of_integers(self) -> bool:
        """Whether the column, or the one that a foreign key refers to, is of integers."""
        column = self.lhs.output_field
        while hasattr(column, "target_field"):
            column = column.target_field
        return isinstance(column, models.IntegerField)


class RelatedIntegerIn(IntegerIn, RelatedIn):
    """Replaces `IN` of foreign keys."""


def _are_integers(values: Collection[object]) -> bool:
    return set(map(type, values)) == {int}


models.IntegerField.register_lookup(IntegerIn)
models.ForeignKey.register_lookup(RelatedIntegerIn)
