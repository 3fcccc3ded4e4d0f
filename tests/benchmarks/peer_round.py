"""One round of lemon24/reader over a list of URLs: `python peer_round.py DATABASE URLS`, in a Python that has it.

Prints the seconds of the whole update, and how many entries are new. Every feed is due.
"""

import sys
from pathlib import Path
from time import perf_counter

from reader import make_reader  # type: ignore[attr-defined]  # not our package of that name: this runs elsewhere


def main() -> None:
    database, urls = sys.argv[1:]
    reader = make_reader(database)
    for url in Path(urls).read_text().split():
        reader.add_feed(url, exist_ok=True)
    n_before, began = reader.get_entry_counts().total, perf_counter()
    reader.update_feeds(scheduled=False, workers=10)
    print(perf_counter() - began, reader.get_entry_counts().total - n_before)


if __name__ == "__main__":
    main()
