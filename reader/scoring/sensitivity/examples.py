"""The shipped examples of time sensitivity, written for this project, with their embeddings.

`sensitivity_examples/<author>.jsonl` holds one example per line: title, text, score 1–5, language, topic. The
embeddings are in `vectors.bin`, keyed by a checksum of the text, so that retraining needs no embedding model; an
example that was edited since has none.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from zlib import crc32

from reader.scoring.sensitivity.training import Example
from reader.scoring.sensitivity.weights import DIMENSIONS

FOLDER = Path(__file__).with_name("sensitivity_examples")
VECTORS = "vectors.bin"

_CHECKSUM_BYTES = 4


def shipped_examples(folder: Path = FOLDER) -> tuple[Example, ...]:
    """Every shipped example, by file and line, with its vector if there is one."""
    path = folder / VECTORS
    vectors = _unpacked(path.read_bytes()) if path.exists() else {}
    return tuple(replace(one, vector=vectors.get(_checksum(one), b"")) for one in load_examples(folder))


def load_examples(folder: Path) -> tuple[Example, ...]:
    """The examples without vectors."""
    return tuple(_example(path.stem, line) for path in sorted(folder.glob("*.jsonl")) for line in _lines(path))


def pack_vectors(examples: Sequence[Example]) -> bytes:
    """The content of `vectors.bin`: for each example with a vector, a checksum of its text and the 512 bytes."""
    return b"".join(_checksum(one) + one.vector for one in examples if one.vector)


def _unpacked(stored: bytes) -> dict[bytes, bytes]:
    size = _CHECKSUM_BYTES + DIMENSIONS
    records = (stored[start : start + size] for start in range(0, len(stored), size))
    return {record[:_CHECKSUM_BYTES]: record[_CHECKSUM_BYTES:] for record in records if len(record) == size}


def _checksum(example: Example) -> bytes:
    return crc32(f"{example.title}\n{example.text}".encode()).to_bytes(_CHECKSUM_BYTES, "little")


def _lines(path: Path) -> Iterable[str]:
    return (line for line in path.read_text(encoding="utf-8").splitlines() if line.strip())


def _example(author: str, line: str) -> Example:
    row = json.loads(line)
    return Example(
        title=row["title"],
        text=row["text"],
        score=row["score"],
        language=row["language"],
        author=author,
        topic=row["topic"],
    )
