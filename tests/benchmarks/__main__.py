"""`make bench [ARGS=…]`: print the figures of every benchmark that can run here."""

import argparse

from tests.benchmarks.farm import TOOL
from tests.benchmarks.polling import Measured, first_polls, with_latency


def _row(measured: Measured) -> str:
    stages = ", ".join(f"{name} {spent:.1f}" for name, spent in measured.stages.items())
    rate = f"{measured.n_new / measured.engine_seconds:,.0f}" if measured.n_new else "–"
    return (
        f"| {measured.name} | {measured.engine_seconds:.2f} | {measured.wall_seconds:.2f} | {measured.cpu_seconds:.2f} "
        f"| {measured.peak_mb:.0f} | {rate} | {stages} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Time the main job against a farm of synthetic feeds.")
    parser.add_argument("--feeds", type=int, default=1000)
    options = parser.parse_args()
    if not TOOL.exists():
        print(f"Left out: the farm of synthetic feeds is not here ({TOOL}).")
        return
    found = first_polls(options.feeds)
    late = with_latency(200, 100)
    print(f"{options.feeds} feeds × 20 entries, 2 worker processes, SQLite\n")
    print("| round | engine s | whole processes s | CPU s | peak MB of a worker | new articles a second | stages, s |")
    print("|---|---|---|---|---|---|---|")
    for measured in (*found["rounds"], late):
        print(_row(measured))
    print(f"\n{found['n_articles']} articles, {found['bytes_per_article']:,.0f} bytes on disk an article.")


if __name__ == "__main__":
    main()
