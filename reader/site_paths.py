"""Paths of this site: as browsers have them, and without the path below which the operator put the site.

Kept in the database, and resolved to a view, is what does not change when the site moves.
"""

from django.urls import get_script_prefix


def within(path: str) -> str:
    """What a path that `reverse` gave is within the site: `/reader/digests/7/` is `/digests/7/` where it lies at
    `/reader/`. What lies elsewhere stays as it is.
    """
    prefix = get_script_prefix()
    return f"/{path.removeprefix(prefix)}" if path.startswith(prefix) else path


def reached(path: str) -> str:
    """Where a browser finds a path within the site."""
    return f"{get_script_prefix()}{path.removeprefix('/')}"
