"""What a digest costs as its window grows: seconds and peak memory, stage by stage.

As many articles again stand in the window before, which trends are told against. Everything is assessed and rated
first, in processes of its own, so that no figure has another's part in it. Bars are printed, never asserted.
"""

import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tests.benchmarks.installation import Installation, installation

WINDOWS = (1_000, 5_000, 20_000)  # articles
BARS = {5_000: "4 s, 500 MB", 20_000: "15 s, 1,000 MB"}


@dataclass(frozen=True, slots=True)
class Round:
    """One window; `found` is what `digest_round` printed."""

    n_articles: int
    found: dict[str, Any]


def run(n_articles: int) -> Round:
    """Fill two windows of one person, and make a digest of the later one."""
    with installation(f"digest_{n_articles}") as reader:
        _run(reader, "readership", str(2 * n_articles), "1", "--days", "2")
        _run(reader, "assessing_round")
        _run(reader, "rating_round")
        return Round(n_articles, _run(reader, "digest_round"))


def _run(reader: Installation, module: str, *arguments: str) -> dict[str, Any]:
    print(" ".join((module, *arguments)), file=sys.stderr, flush=True)
    return reader.run(module, *arguments)


def as_json(rounds: Sequence[Round]) -> dict[str, Any]:
    return {"rounds": [asdict(round_) for round_ in rounds]}


def table(rounds: Sequence[Round]) -> str:
    """The figures for people: wall seconds, and in brackets the most memory that was taken by then."""
    stages = list(dict.fromkeys(stage for round_ in rounds for stage in round_.found["stages"]))
    lines = ["Making a digest, SQLite, one process: seconds of wall time (MB taken at most by then)", ""]
    lines += [f"| stage | {' | '.join(f'{round_.n_articles:,} articles' for round_ in rounds)} |"]
    lines += [f"|---|{'---:|' * len(rounds)}"]
    lines += [
        f"| {stage} | {' | '.join(_cell(round_.found['stages'].get(stage)) for round_ in rounds)} |" for stage in stages
    ]
    lines += [f"| **all** | {' | '.join(_whole(round_) for round_ in rounds)} |"]
    lines += [f"| bar | {' | '.join(BARS.get(round_.n_articles, '') for round_ in rounds)} |"]
    lines += [f"| topics shown (left out) | {' | '.join(_topics(round_) for round_ in rounds)} |"]
    return "\n".join(lines)


def _cell(measured: dict[str, float] | None) -> str:
    return f"{measured['wall']:.2f} ({measured['peak_mb']:.0f})" if measured else "–"


def _whole(each: Round) -> str:
    return f"{each.found['wall']:.2f} ({each.found['peak_mb']:.0f})"


def _topics(each: Round) -> str:
    return f"{each.found['n_topics']} ({each.found['n_left_out']:,})"
