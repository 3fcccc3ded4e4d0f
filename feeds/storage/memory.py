"""Keeps the memory use and garbage collection of workers low.

A worker that compares texts has some hundred thousand library objects in memory, which every full garbage collection
visits; it made a first poll a third slower. `gc.freeze` excludes them.

Memory freed after a large document or story stays with the C library; `release_memory` returns it to the system.
"""

import ctypes
import gc
from collections.abc import Callable
from functools import cache

from django.db import connection


@cache
def freeze(stage: str) -> None:
    """Exclude present objects from garbage collection, once per process and stage, when its libraries are loaded."""
    gc.collect()
    gc.freeze()


def disable_mmap() -> None:
    """Stop SQLite from mapping the database into memory on this connection: up to 128 MB of mapped pages would add to
    the memory of a process that also loads large models."""
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA mmap_size = 0")


def limit_page_cache() -> None:
    """Keep at most 4 MB of pages of SQLite's database on this connection instead of 16, for a process that also loads
    large models. No loss of speed could be measured."""
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA cache_size = -4096")


def release_memory() -> None:
    """Return free memory to the system if the C library can (glibc); takes some milliseconds."""
    trim = _trim()
    if trim is not None:
        trim(0)


@cache
def _trim() -> Callable[[int], int] | None:
    trim: Callable[[int], int] | None = getattr(ctypes.CDLL(None), "malloc_trim", None)
    return trim
