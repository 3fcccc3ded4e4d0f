"""For you of simulated readers, on small texts of our own."""

import random
import re
from datetime import timedelta

import pytest

from feeds.dedup.in_memory import Document
from rssmanager.evaluation.datasets import LabelledFileError
from rssmanager.evaluation.for_you import Subject, for_you
from tests import make

WORDS = {
    "rust": "rust compiler borrow crate trait ownership macro linker cargo lifetimes",
    "garden": "garden compost seedlings pruning tomatoes mulch greenhouse weeds orchard soil",
    "chess": "chess gambit endgame rook bishop castling checkmate pawn opponent tournament",
    "council": "council budget mayor roads zoning vote taxes district hearing buses",
    "weather": "storm rain forecast winds flooding thunder gusts temperatures cold snow",
    "market": "shares investors profit quarter earnings bonds index traders dividend currency",
}
COMMON = ["people", "said", "after", "about", "more", "made", "work", "new", "good", "found", "large", "place", "again",
          "part", "long", "small", "used"]  # fmt: skip
RUST, CHESS = Subject("Rust", re.compile(r"\brust\b")), Subject("chess", re.compile(r"\bchess\b"))


def documents() -> list[Document]:
    """80 articles of each subject, of four publishers each, up to two years old."""
    chance = random.Random(5)
    found = []
    for subject, words in WORDS.items():
        for number in range(80):
            own = [subject, *chance.choices(words.split(), k=12), *chance.choices(COMMON, k=40)]
            chance.shuffle(own)
            found.append(
                Document(
                    f"{subject} {' '.join(chance.choices(words.split() + COMMON, k=4))}",
                    " ".join(own),
                    f"https://{subject}{number % 4}.example/{number}",
                    make.NOW - timedelta(days=chance.random() ** 3 * 700),
                    f"{subject}{number % 4}",
                    "en",
                )
            )
    return found


@pytest.mark.slow
def test_for_you_beats_the_baseline_and_varies_publishers() -> None:
    report = for_you(documents(), [(RUST, CHESS), (CHESS, RUST)], meaning=lambda texts: [b""] * len(texts))
    assert [figures.n_choices for figures in report.figures] == [10, 30, 100] * 2
    for figures in report.figures:
        assert figures.precision >= figures.baseline, figures
        assert figures.precision >= 0.9, figures
        assert figures.n_of_a_publisher <= 5, figures


def test_refuses_subjects_with_few_articles() -> None:
    few = [each for each in documents() if "chess" not in each.title][:30]
    with pytest.raises(LabelledFileError, match="Only 0 documents are about chess"):
        for_you(few, [(RUST, CHESS)], choices=(10,), meaning=lambda texts: [b""] * len(texts))
