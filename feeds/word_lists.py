"""Reads tables that are data files beside the modules that use them."""

from collections import defaultdict
from importlib import resources


def read_rows(package: str, name: str) -> list[list[str]]:
    """Return the rows of a `.tsv` file in a package, without its heading. Empty cells at the end of a row are left out.

    Lines that start with `#` are comments.
    """
    lines = resources.files(package).joinpath(name).read_text(encoding="utf-8").splitlines()[1:]
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


def read_lists(package: str, name: str) -> dict[str, list[str]]:
    """Return the lists of a `.tsv` file in a package, each row the name of a list and text to add to it."""
    lists: dict[str, list[str]] = defaultdict(list)
    for key, text in read_rows(package, name):
        lists[key].append(text)
    return lists


def read_words(package: str, name: str) -> dict[str, frozenset[str]]:
    """Return the same lists as sets of words."""
    return {key: frozenset(" ".join(rows).split()) for key, rows in read_lists(package, name).items()}
