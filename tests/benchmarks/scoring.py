"""What scoring costs: assessing, learning, rating, explaining, and the pages of ranked lists, as archives grow.

Two readerships, each with a database of its own: few articles for many people, many articles for one (`readership`
says what is in them and what is simulated). One after the other, in processes of their own: articles are assessed;
everything is rated while nobody has a taste; people say and do what they like; everything is rated by their profiles;
one person's model is trained; everything is rated by models; articles are explained; ranked lists are followed page by
page, at last with nine tenths of everything read. So no figure of memory or time has another's part in it; the
operating system's cache is warm, as on a machine that runs the reader all day.

Rates are of CPU time on SQLite, where the process does everything, and of wall time on PostgreSQL, where the server
works while the process waits. Milliseconds of pages, explanations and acts are wall time, as a person waits, with the
median of CPU time beside them, which says more where other work shares the machine. Bars are printed beside the
figures and never asserted.
"""

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tests.benchmarks.installation import Installation, installation

READERSHIPS = ((10_000, 50), (100_000, 1))  # articles, people
N_ACTS = {True: 40, False: 300}  # of each of many people, of a single one
N_LABELS = 2_000
LEFT_UNREAD = 10  # one of so many, in the last round of pages
SHOWN = ("1", "2", "10", "100")  # pages

MIN_JUDGED_PER_SECOND = 2_000  # documents on a core
MAX_MS_EXPLAINING = 30
MAX_MS_PER_PAGE = 50  # with 100,000 unread articles, on SQLite


@dataclass(frozen=True, slots=True)
class Round:
    """One readership. The dicts are what the rounds printed; bytes are of the database before and after assessing."""

    n_articles: int
    n_users: int
    database: str
    filling: dict[str, Any]
    n_bytes: tuple[int, int]
    assessing: dict[str, Any]
    rating: dict[str, dict[str, Any]]
    tastes: dict[str, Any]
    training: dict[str, Any]
    explaining: dict[str, Any]
    ranked: list[dict[str, Any]]

    def a_second(self, printed: dict[str, Any], n: int) -> float:
        return float(n / (printed["cpu"] if self.database == "sqlite" else printed["wall"]))


def run(n_articles: int, n_users: int, *, days: int) -> Round:
    """Fill a readership, then everything that the module says."""
    server = os.environ.get("DATABASE_URL", "")
    server = server if server.startswith("postgres") else ""
    with installation(f"{n_articles}_{n_users}", server_url=server) as reader:
        filling = _run(reader, "readership", str(n_articles), str(n_users), "--days", str(days))
        before = reader.size()
        assessing = _run(reader, "assessing_round")
        n_bytes = before, reader.size()
        rating = {"nobody": _run(reader, "rating_round")}
        tastes = _run(reader, "tastes_round", str(N_ACTS[n_users > 1]))
        rating["profiles"] = _run(reader, "rating_round")
        training = _run(reader, "training_round", str(N_LABELS))
        rating["models"] = _run(reader, "rating_round")
        explaining = _run(reader, "explaining_round")
        reader.manage("collectstatic", "--noinput", "--verbosity", "0")
        ranked = [_run(reader, "ranked_round"), _run(reader, "ranked_round", "--read-all-but", str(LEFT_UNREAD))]
    database = "postgresql" if server else "sqlite"
    return Round(n_articles, n_users, database, filling, n_bytes, assessing, rating, tastes, training, explaining,
                 ranked)  # fmt: skip


def _run(reader: Installation, module: str, *arguments: str) -> dict[str, Any]:
    print(" ".join((module, *arguments)), file=sys.stderr, flush=True)
    return reader.run(module, *arguments)


def as_json(rounds: Sequence[Round]) -> dict[str, Any]:
    return {"rounds": [asdict(round_) for round_ in rounds]}


def tables(rounds: Sequence[Round]) -> str:
    """The figures for people: what workers do, readerships side by side, then the pages of ranked lists."""
    first = rounds[0]
    clock = "CPU" if first.database == "sqlite" else "wall"
    sides = [f"{round_.n_articles:,} articles × {round_.n_users} users" for round_ in rounds]
    lines = [f"Scoring, {first.database}, one process; rates are of {clock} time", ""]
    lines += [f"| | {' | '.join(sides)} | bar |", f"|---|{'---:|' * len(rounds)}---|"]
    lines += [f"| {name} | {' | '.join(map(figure, rounds))} | {bar} |" for name, figure, bar in _ROWS]
    lines += ["", f"A page of 50, wall ms; bar: < {MAX_MS_PER_PAGE} with 100,000 unread on SQLite", ""]
    pages = " | ".join(f"page {n}" for n in SHOWN)
    lines += [f"| list | unread | deliveries | {pages} | all p50 / p95 (CPU) | statements "
              "| served: page 1 / 100 | served p50 / p95 (CPU) | statements |",
              f"|---|{'---:|' * (len(SHOWN) + 7)}"]  # fmt: skip
    lines += [_page_row(name, order, ranked) for name, ranked, order in _orders(rounds)]
    served = max(ranked["peak_mb"] for round_ in rounds for ranked in round_.ranked)
    loads = any(printed["loads_numpy"] for round_ in rounds for printed in (*round_.ranked, round_.explaining))
    lines += ["", f"Peak of a process that serves pages: {served:.0f} MB; it loads numpy: {'yes' if loads else 'no'} "
                  "(bar: no)"]  # fmt: skip
    return "\n".join(lines)


def _orders(rounds: Sequence[Round]) -> list[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Each list of each round of pages, the same lists together."""
    found = [
        (name, ranked, order)
        for round_ in rounds
        for ranked in round_.ranked
        for name, order in ranked["orders"].items()
    ]
    return sorted(found, key=lambda each: each[0])


def _page_row(name: str, order: dict[str, Any], ranked: dict[str, Any]) -> str:
    pages = [f"{order['pages'][n]['p50']:.1f}" if n in order["pages"] else "–" for n in SHOWN]
    served = order["served"]
    ends = [f"{served['pages'][n]['p50']:.0f}" if n in served["pages"] else "–" for n in ("1", "100")]
    return (
        f"| {name} | {ranked['n_unread']:,} | {ranked['n_deliveries']:,} | {' | '.join(pages)} "
        f"| {_milliseconds(order['all'])} | {max(order['statements'].values())} "
        f"| {' / '.join(ends)} | {_milliseconds(served['all'])} | {served['n_statements']} |"
    )


def _refreshed(each: Round) -> str:
    seconds = each.assessing["refresh_wall"]
    return f"{seconds[0]:.2f} / {seconds[1]:.2f}"


def _rated(taste: str) -> Callable[[Round], str]:
    return lambda each: f"{each.a_second(each.rating[taste], each.rating[taste]['n_rated']):,.0f}"


def _explained(judge: str) -> Callable[[Round], str]:
    return lambda each: _milliseconds(each.explaining[judge])


def _milliseconds(found: dict[str, float]) -> str:
    return f"{found['p50']:.1f} / {found['p95']:.1f} ({found['cpu']:.1f})"


def _rating_peak(each: Round) -> str:
    return f"{max(printed['peak_mb'] for printed in each.rating.values()):.0f}"


def _trained(each: Round) -> str:
    found = each.training
    return f"{found['wall']:.2f} ({found['n_labels']:,})"


def _precisions(each: Round) -> str:
    return f"{each.training['average_precision']:.2f} / {each.training['profile_average_precision']:.2f}"


_ROWS: list[tuple[str, Callable[[Round], str], str]] = [
    ("assessing: articles a second", lambda r: f"{r.a_second(r.assessing, r.assessing['n_articles']):,.0f}", ""),
    ("– of it the judge: documents a second", lambda r: f"{r.assessing['n_judged'] / r.assessing['judge_cpu']:,.0f}",
     f"≥ {MIN_JUDGED_PER_SECOND:,}"),
    ("– bytes that assessment and features add", lambda r: f"{(r.n_bytes[1] - r.n_bytes[0]) / r.n_articles:,.0f}", ""),
    ("– articles of 30 days", lambda r: f"{r.assessing['n_refreshed']:,}", ""),
    ("– kept fresh, s: nothing changed / a tenth of feeds", _refreshed, ""),
    ("rating, without profiles: articles × users a second", _rated("nobody"), ""),
    ("rating, by profiles", _rated("profiles"), ""),
    ("rating, by models", _rated("models"), ""),
    ("– peak MB", _rating_peak, ""),
    ("– marking all, s", lambda r: f"{r.rating['models']['mark_wall']:.1f}", ""),
    ("an act, ms p50 / p95 (CPU)", lambda r: _milliseconds(r.tastes["acts"]), ""),
    ("– statements", lambda r: str(r.tastes["n_statements"]), ""),
    ("– terms of the first profile: that day / after the night",
     lambda r: f"{r.tastes['n_terms']:,} / {r.training['n_terms']:,}", ""),
    ("training, s (labels)", _trained, ""),
    ("– average precision: model / profile", _precisions, ""),
    ("– peak MB", lambda r: f"{r.training['peak_mb']:.0f}", ""),
    ("– terms counted anew, s", lambda r: f"{r.training['count_wall']:.1f}", ""),
    ("explaining by the model, ms p50 / p95 (CPU)", _explained("model"), f"< {MAX_MS_EXPLAINING}"),
    ("explaining by the profile, ms p50 / p95 (CPU)", _explained("profile"), f"< {MAX_MS_EXPLAINING}"),
    ("– statements", lambda r: str(r.explaining["profile"]["n_statements"]), ""),
    ("database MB", lambda r: f"{r.n_bytes[1] / 1e6:,.0f}", ""),
    ("filling, s", lambda r: f"{r.filling['seconds']:.0f}", ""),
]  # fmt: skip
