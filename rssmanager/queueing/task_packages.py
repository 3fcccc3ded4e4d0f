"""Tasks, their results and the state of clusters are kept as JSON, never as pickles.

django-q2 pickles what it puts into the queue (signed) and into its table of results (not signed). Unpickling runs
whatever the bytes ask for, so anyone with the key, or able to write to the database, could run code in every process
that reads a task. JSON holds values only: numbers, text, lists, objects, and with a tag timestamps, UUIDs and `Stat`.
"""

import json
import zlib
from datetime import datetime
from typing import Any
from uuid import UUID

from django.core.signing import BadSignature
from django.utils.functional import Promise
from django_q import core_signing
from django_q.conf import Conf
from django_q.signing import SignedPackage
from django_q.status import Stat
from picklefield import fields as pickle_fields

_AT, _UUID, _STAT = "__at__", "__uuid__", "__stat__"


class JsonSerializer:
    """For signed packages, and for the cache in Redis. Numbers are plain digits, which Redis can count with."""

    def dumps(self, value: Any) -> bytes:
        """Raises TypeError for what JSON can't hold: tasks take ids."""
        return json.dumps(value, default=_tagged, separators=(",", ":")).encode()

    def loads(self, data: bytes | str) -> Any:
        """Raises ValueError for anything but JSON with tags as we write them."""
        try:
            return json.loads(data, object_hook=_untagged)
        except (TypeError, AttributeError, RecursionError) as error:
            raise ValueError("not a value written by this app") from error


def _tagged(value: object) -> object:
    if isinstance(value, datetime):
        return {_AT: value.isoformat()}
    if isinstance(value, UUID):
        return {_UUID: str(value)}
    if isinstance(value, Stat):
        return {_STAT: value.__getstate__()}
    if isinstance(value, Promise):  # the state of a cluster is a translated word
        return str(value)
    raise TypeError(f"{type(value).__name__} can't be put into the task queue")


def _untagged(value: dict[str, Any]) -> Any:
    if value.keys() == {_AT}:
        return datetime.fromisoformat(value[_AT])
    if value.keys() == {_UUID}:
        return UUID(value[_UUID])
    if value.keys() == {_STAT}:
        stat = Stat.__new__(Stat)
        stat.__dict__.update(value[_STAT])
        return stat
    return value


def sign_package(value: Any, compressed: bool = Conf.COMPRESSED) -> str:
    """`SignedPackage.dumps`, as JSON."""
    signed: str = core_signing.dumps(
        value, key=Conf.SECRET_KEY, salt=Conf.PREFIX, compress=compressed, serializer=JsonSerializer
    )
    return signed


def read_package(package: str | bytes) -> Any:
    """`SignedPackage.loads`, as JSON. Raises BadSignature for whatever can't be read, and nothing else."""
    try:
        return core_signing.loads(package, key=Conf.SECRET_KEY, salt=Conf.PREFIX, serializer=JsonSerializer)
    except (ValueError, zlib.error) as error:
        raise BadSignature(f"not a package that this version wrote: {error}") from error


def _write_field(value: object, protocol: int | None = None) -> bytes:
    """What a task was given, or returned, for its row: as text where JSON has nothing for it."""
    return json.dumps(value, default=str).encode()


def use_json() -> None:
    """Let django-q2 in this process write and read JSON instead of pickles. It offers no setting for that."""
    SignedPackage.dumps, SignedPackage.loads = staticmethod(sign_package), staticmethod(read_package)
    pickle_fields.dumps, pickle_fields.loads = _write_field, json.loads
