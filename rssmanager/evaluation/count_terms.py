"""`python -m rssmanager.evaluation.count_terms FILE...`: counts in how many documents each term occurs.

Writes the table of `feeds.dedup.idf`. Files are JSON Lines (also of pairs, `title_1`, `title_2`), feed documents or
folders of them; a document is counted once. Days given with `--without` are left out, so that labelled days stay
unseen.
"""

import sys
from argparse import ArgumentParser
from collections import Counter
from pathlib import Path

from feeds.dedup import idf
from feeds.dedup.events import READ_CHARACTERS
from feeds.normalizing.text import is_spaceless, words
from rssmanager.evaluation.items import read_items

MIN_DOCUMENTS = 3  # with a term in the table
TABLE = Path(idf.__file__).with_name("background.tsv")


def main(arguments: list[str] | None = None) -> None:
    """Count and write."""
    parser = ArgumentParser(description="Count in how many documents each term occurs.")
    parser.add_argument("file", nargs="+", type=Path)
    parser.add_argument("--without", action="append", default=[], metavar="YYYY-MM-DD", help="leave out this day")
    parser.add_argument("--write", type=Path, default=TABLE, metavar="FILE", help="default: %(default)s")
    options = parser.parse_args(arguments)
    with_term: Counter[str] = Counter()
    n_with_words = n_with_pairs = 0
    seen = set()
    for document in (item for path in options.file for item in read_items(path)[0]):
        day = f"{document.published_at:%Y-%m-%d}" if document.published_at else ""
        content = (document.title, document.text[:READ_CHARACTERS])
        if day in options.without or content in seen:
            continue
        seen.add(content)
        terms = set(words(" ".join(content), document.language))
        with_term.update(terms)
        n_with_pairs += any(map(is_spaceless, terms))
        n_with_words += not all(map(is_spaceless, terms))
    rows = sorted((-n, term) for term, n in with_term.items() if n >= MIN_DOCUMENTS)
    table = [("", n_with_words), ("", n_with_pairs), *((term, -n) for n, term in rows)]
    options.write.write_text("".join(f"{term}\t{n}\n" for term, n in table), encoding="utf-8")
    sys.stdout.write(f"{len(rows):,} terms of {n_with_words:,} documents with words and {n_with_pairs:,} with pairs\n")


if __name__ == "__main__":
    main()
