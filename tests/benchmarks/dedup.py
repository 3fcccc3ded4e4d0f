"""What deduplication costs an entry, as the archive grows: 2,000 new entries into archives of several sizes.

Each size has a database of its own (`archive` says what is in it and what is simulated) and three processes: one
fills it, one takes the entries the real way, `ingest` in a transaction a feed and then the matching stage to its end
(`matching_round`), one enriches 200 of them (`enriching_round`). So no figure of memory or time has another's part in
it; the operating system's cache is warm, as on a machine that runs the reader all day.

Figures are of one process. Milliseconds "in all" and entries a second are of CPU time on SQLite, where everything is
done by the process; on PostgreSQL they are of wall time, for there the server works while the process waits. The parts
are wall time. Bars are printed beside the figures and never asserted.
"""

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tests.benchmarks.installation import installation

SIZES = (10_000, 100_000, 1_000_000)
LARGEST_ON_SERVER = 100_000  # unless asked: filling a million rows through a socket takes long
N_ENRICHED = 200
PARTS = ("ingest", "sketch", "index", "look up", "compare", "write")

MIN_ENTRIES_PER_SECOND = 400  # on a core, without layer 5
MIN_NAMES_PER_SECOND = 30  # documents on a core
MAX_GROWTH = 1.5  # of the cost of an entry, from 10 thousand to a million articles


@dataclass(frozen=True, slots=True)
class Round:
    """One archive size. `matching` and `enriching` are what the rounds printed; seconds, bytes, MB."""

    n_articles: int
    database: str
    filling: dict[str, float]
    n_bytes: int
    matching: dict[str, Any]
    enriching: dict[str, Any]

    @property
    def seconds(self) -> float:
        """Of ingesting and matching all entries: CPU time, or wall time where a server does a part of the work."""
        if self.database == "sqlite":
            return float(self.matching["ingest_cpu"] + self.matching["match_cpu"])
        return float(self.matching["seconds"]["ingest"] + self.matching["match_seconds"])

    @property
    def ms_per_entry(self) -> float:
        return 1000 * self.seconds / self.n_entries

    @property
    def n_entries(self) -> int:
        return max(1, int(self.matching["n_articles"]))

    def documents_a_second(self, part: str) -> float:
        """Of a part of enriching; 0.0 where it was not done."""
        spent = self.enriching["seconds"].get(part, 0.0)
        return float(self.enriching["n_articles"] / spent) if spent else 0.0


def sizes_here(sizes: Sequence[int], *, full: bool) -> list[int]:
    """The sizes to run; those too large for a server are left out unless `full`."""
    limit = max(sizes) if full or not os.environ.get("DATABASE_URL") else LARGEST_ON_SERVER
    return [size for size in sizes if size <= limit]


def run(n_articles: int, *, all_keys: bool = False) -> Round:
    """Fill an archive, bring the entries, enrich some."""
    server = os.environ.get("DATABASE_URL", "")
    server = server if server.startswith("postgres") else ""
    with installation(str(n_articles), server_url=server) as reader:
        _tell(f"An archive of {n_articles:,} articles")
        filling = reader.run("archive", str(n_articles), *(["--all-keys"] if all_keys else []))
        n_bytes = reader.size()
        _tell("New entries come in")
        matching = reader.run("matching_round")
        _tell(f"{N_ENRICHED} of them are enriched")
        enriching = reader.run("enriching_round", str(N_ENRICHED))
    return Round(n_articles, "postgresql" if server else "sqlite", filling, n_bytes, matching, enriching)


def growth(rounds: Sequence[Round]) -> float:
    """The cost of an entry in the largest archive as a multiple of that in the smallest."""
    by_size = sorted(rounds, key=lambda each: each.n_articles)
    return by_size[-1].ms_per_entry / by_size[0].ms_per_entry


def as_json(rounds: Sequence[Round]) -> dict[str, Any]:
    return {
        "rounds": [asdict(round_) | {"ms_per_entry": round_.ms_per_entry} for round_ in rounds],
        "growth": growth(rounds),
    }


def table(rounds: Sequence[Round]) -> str:
    """The figures for people, sizes side by side."""
    first = rounds[0]
    clock = "CPU" if first.database == "sqlite" else "wall"
    lines = [
        f"{first.n_entries:,} new entries into an archive, {first.database}, one process",
        "",
        f"| archive | {' | '.join(f'{round_.n_articles:,}' for round_ in rounds)} | bar |",
        f"|---|{'---:|' * len(rounds)}---|",
    ]
    lines += [_line(name, rounds, figure, bar) for name, figure, bar in _rows(clock)]
    if len(rounds) > 1:
        smallest, largest = min(round_.n_articles for round_ in rounds), max(round_.n_articles for round_ in rounds)
        lines += ["", f"An entry costs {growth(rounds):.2f} × as much with {largest:,} articles as with {smallest:,} "
                      f"(bar: at most {MAX_GROWTH} × from 10,000 to 1,000,000)."]  # fmt: skip
    return "\n".join(lines)


def _line(name: str, rounds: Sequence[Round], figure: Callable[[Round], str], bar: str) -> str:
    return f"| {name} | {' | '.join(figure(round_) for round_ in rounds)} | {bar} |"


def _rows(clock: str) -> list[tuple[str, Callable[[Round], str], str]]:
    return [
        (f"ms an entry in all, {clock}", lambda r: f"{r.ms_per_entry:.2f}", ""),
        *((f"– {part}", _ms_of(part), "") for part in PARTS),
        (f"entries a second and core, {clock}", lambda r: f"{r.n_entries / r.seconds:,.0f}",
         f"≥ {MIN_ENTRIES_PER_SECOND}"),
        ("ms an entry before that: normalize", lambda r: f"{1000 * r.matching['normalize_cpu'] / r.n_entries:.2f}", ""),
        ("candidates an entry", lambda r: f"{r.matching['n_candidates'] / r.n_entries:.1f}", ""),
        ("ties / stories", lambda r: f"{r.matching['n_matches']} / {r.matching['n_stories']}", ""),
        ("copies found", lambda r: f"{r.matching['n_copies_found']} of {r.matching['n_copies']}", "all, by `layered`"),
        ("peak MB (of it mapped files)", lambda r: _memory_of(r.matching), ""),
        ("database MB", lambda r: f"{r.n_bytes / 1e6:,.0f}", ""),
        ("bytes an article", lambda r: f"{r.n_bytes / r.n_articles:,.0f}", ""),
        ("filling the archive, s", lambda r: f"{sum(r.filling.values()):.0f}", ""),
        ("names: documents a second", lambda r: f"{r.documents_a_second('names'):.0f}", f"≥ {MIN_NAMES_PER_SECOND}"),
        ("meaning: documents a second", lambda r: f"{r.documents_a_second('meaning'):.0f}", ""),
        ("enriching in all: documents a second", _enriched_a_second, ""),
        ("– candidates an article", _enriched_candidates, ""),
        ("– peak MB (of it mapped files)", lambda r: _memory_of(r.enriching), ""),
    ]  # fmt: skip


def _ms_of(part: str) -> Callable[[Round], str]:
    return lambda each: f"{1000 * each.matching['seconds'].get(part, 0.0) / each.n_entries:.2f}"


def _memory_of(printed: dict[str, Any]) -> str:
    return f"{printed['peak_mb']:.0f} ({printed['mapped_mb']:.0f})"


def _enriched_a_second(each: Round) -> str:
    return f"{each.enriching['n_articles'] / each.enriching['total_seconds']:.0f}"


def _enriched_candidates(each: Round) -> str:
    return f"{each.enriching['n_candidates'] / max(1, each.enriching['n_articles']):.1f}"


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
