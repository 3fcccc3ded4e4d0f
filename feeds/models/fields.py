"""Custom model fields."""

import zlib
from typing import TYPE_CHECKING, Any

from django.db import models


class CompressedTextField(models.BinaryField):
    """Text stored as deflated UTF-8, compressed to half or a third. Can't be searched or compared by the database."""

    if TYPE_CHECKING:  # what django-stubs reads off a field
        _pyi_private_get_type: str  # type: ignore[assignment]
        _pyi_private_set_type: str

    LEVEL = 3  # of zlib; higher levels only take longer

    def from_db_value(self, value: Any, expression: object, connection: object) -> str | None:
        return None if value is None else zlib.decompress(bytes(value)).decode()

    def to_python(self, value: Any) -> Any:
        return value

    def get_db_prep_value(self, value: Any, connection: Any, prepared: bool = False) -> Any:
        if isinstance(value, str):
            value = zlib.compress(value.encode(), self.LEVEL)
        return super().get_db_prep_value(value, connection, prepared)

    def get_default(self) -> str:
        return ""

    def value_to_string(self, obj: models.Model) -> str:
        return str(self.value_from_object(obj))
