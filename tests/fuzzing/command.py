"""Run the targets, print the results, store the failures."""

import argparse
import hashlib
import json
import logging
import sys
from pathlib import Path

from tests.fuzzing import guided
from tests.fuzzing.minimising import minimised
from tests.fuzzing.running import PROJECT, Find, Outcome, failure, prepared, run
from tests.fuzzing.target import Target
from tests.fuzzing.targets import TARGETS

KEPT = PROJECT / "var" / "fuzz"


def main() -> int:
    logging.disable()
    options = _options()
    chosen = [target for target in TARGETS if not options.target or target.name in options.target]
    if options.case is not None:
        return _one_case(chosen[0], options.seed, options.case)
    _say("| target | engine | cases | seconds | cases a second | finds |")
    _say("|---|---|---|---|---|---|")
    outcomes = [_run(target, options) for target in chosen]
    n_cases, n_finds = sum(outcome.n_cases for outcome in outcomes), sum(len(outcome.finds) for outcome in outcomes)
    _say(f"\n{n_cases:,} cases, {n_finds} finds, seed {options.seed}; kept in {KEPT.relative_to(PROJECT)}/.")
    KEPT.mkdir(parents=True, exist_ok=True)
    (KEPT / "report.json").write_text(json.dumps([_as_json(outcome) for outcome in outcomes], indent=1))
    return 1 if n_finds else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzzing", description=__doc__)
    names = [target.name for target in TARGETS]
    parser.add_argument("--target", action="append", choices=names, help="only this one; may be repeated")
    parser.add_argument("--cases", type=int, default=150_000, help="of each target (150,000)")
    parser.add_argument("--seconds", type=float, default=600.0, help="for each target at most (600)")
    parser.add_argument("--seed", type=int, default=1, help="other seeds make other cases (1)")
    parser.add_argument("--engine", choices=["random", "atheris"], default="random")
    parser.add_argument("--case", type=int, help="show and check one case of a target, by its number")
    return parser.parse_args()


def _run(target: Target, options: argparse.Namespace) -> Outcome:
    engine = guided.run if options.engine == "atheris" else run
    outcome = engine(target, seed=options.seed, n_cases=options.cases, seconds=options.seconds)
    rate = outcome.n_cases / outcome.seconds if outcome.seconds else 0
    _say(
        f"| {target.name} | {outcome.engine} | {outcome.n_cases:,} | {outcome.seconds:.0f} | {rate:,.0f} "
        f"| {len(outcome.finds)} |"
    )
    with prepared(target):
        for find in outcome.finds.values():
            _keep(target, minimised(find, target) if "process" not in find.signature else find)
    return outcome


def _keep(target: Target, find: Find) -> None:
    folder = KEPT / target.name
    folder.mkdir(parents=True, exist_ok=True)
    name = hashlib.sha256(find.signature.encode()).hexdigest()[:12]
    Path(folder / f"{name}.txt").write_text(
        f"{find.signature}\ncase {find.number}\n{find.case!r}\n\n{find.told}", errors="backslashreplace"
    )
    _say(f"  {target.name}: {find.signature}\n    {find.case!r}"[:400])


def _one_case(target: Target, seed: int, number: int) -> int:
    with prepared(target):
        case = target.case(seed, number)
        found = failure(target, case)
    _say(f"{case!r}\n\n{found[1] if found else 'All holds.'}")
    return 1 if found else 0


def _as_json(outcome: Outcome) -> dict[str, object]:
    return {
        "target": outcome.target,
        "engine": outcome.engine,
        "cases": outcome.n_cases,
        "seconds": round(outcome.seconds, 1),
        "finds": [{"signature": find.signature, "case": repr(find.case)} for find in outcome.finds.values()],
    }


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n".encode("utf-8", "backslashreplace").decode())
    sys.stdout.flush()
