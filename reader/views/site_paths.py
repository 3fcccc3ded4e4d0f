"""Convert between browser paths and paths within the site, without the prefix it's served under.

The database and `resolve` use paths without the prefix, which stay valid if it changes.
"""

from django.urls import get_script_prefix


def strip_prefix(path: str) -> str:
    """`/reader/digests/7/` as `/digests/7/` if the site is served under `/reader/`; other paths as they are."""
    prefix = get_script_prefix()
    return f"/{path.removeprefix(prefix)}" if path.startswith(prefix) else path


def add_prefix(path: str) -> str:
    """The browser path of a path within the site."""
    return f"{get_script_prefix()}{path.removeprefix('/')}"
