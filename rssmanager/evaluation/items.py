"""Items to group: from JSON Lines, from feed documents, with labels kept apart from their texts.

Labels are tab-separated rows of `url`, `event` ("" for none) and `ignore_with` (events with which pairs of this item
aren't scored), so that a labelled set can be shared without its texts.
"""

import csv
import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from feeds.dedup.in_memory import Document, publisher_of_document
from feeds.errors import FeedsError
from feeds.parsing.limited import read_document
from feeds.storage.drafts import NormalizingRules, ReadOptions
from rssmanager.evaluation.datasets import (
    LabelledDocument,
    LabelledFile,
    LabelledFileError,
    Refusal,
    read_unlabelled,
)

FEED_SUFFIXES = (".xml", ".rss", ".atom", ".rdf")
_SECONDS = 30.0  # of CPU time for a feed document
_ALL = 100_000  # entries


@dataclass(frozen=True, slots=True)
class Label:
    """The event of an item, None for none, and the events with which its pairs aren't scored."""

    event: str | None
    ignored: frozenset[str]


def read_items(path: Path) -> tuple[tuple[Document, ...], tuple[Refusal, ...]]:
    """The items of a file in JSON Lines, of a feed document or of a folder of feed documents, and refused lines.

    Raises:
        LabelledFileError: nothing usable is there.
    """
    if path.is_dir():
        documents = tuple(item for file in sorted(path.iterdir()) if is_feed(file) for item in _feed_items(file))
    elif is_feed(path):
        documents = tuple(_feed_items(path))
    else:
        return read_unlabelled(path)
    if not documents:
        raise LabelledFileError(f"{path} has no feed with entries.")
    return documents, ()


def is_feed(path: Path) -> bool:
    """Whether the file's name is that of a feed document."""
    return path.suffix in FEED_SUFFIXES


def read_labels(path: Path) -> dict[str, Label]:
    """The labels of a file by URL.

    Raises:
        LabelledFileError: the file can't be read or has other columns.
    """
    try:
        rows = list(csv.DictReader(path.read_text(encoding="utf-8").splitlines(), delimiter="\t"))
    except (OSError, UnicodeDecodeError) as error:
        raise LabelledFileError(f"{path} cannot be read: {error}.") from error
    if not rows or not {"url", "event", "ignore_with"} <= rows[0].keys():
        raise LabelledFileError(f"{path} has no columns url, event and ignore_with.")
    return {row["url"]: Label(row["event"] or None, frozenset((row["ignore_with"] or "").split())) for row in rows}


def join_labels(documents: Sequence[Document], labels: Mapping[str, Label]) -> tuple[LabelledDocument, ...]:
    """The documents that have a label, each URL once.

    Raises:
        LabelledFileError: no document has one.
    """
    by_url = {document.url: document for document in reversed(documents) if document.url in labels}
    if not by_url:
        raise LabelledFileError("None of the labelled URLs is in the file.")
    return tuple(
        LabelledDocument(document, labels[url].event, labels[url].ignored) for url, document in sorted(by_url.items())
    )


def mixed_with(labelled: LabelledFile, ordinary: Sequence[Document]) -> LabelledFile:
    """The labelled documents and ordinary ones that report no event.

    The ordinary ones are dated at random (with a fixed seed) within the days of the labelled ones: time alone doesn't
    tell them apart.
    """
    dates = [row.document.published_at for row in labelled.documents if row.document.published_at is not None]
    first = min(dates, default=datetime(2000, 1, 1, tzinfo=UTC))
    span = max(dates, default=first) - first or timedelta(days=1)
    chance = random.Random(1)  # noqa: S311 - the same dates in every run
    dated = (replace(document, published_at=first + chance.random() * span) for document in ordinary)
    return replace(labelled, documents=(*labelled.documents, *(LabelledDocument(one, None) for one in dated)))


def across_publishers(labelled: LabelledFile) -> LabelledFile:
    """The documents without the events that only one publisher reports, which never form a story (SPEC §6)."""
    publishers: defaultdict[str | None, set[str]] = defaultdict(set)
    for row in labelled.documents:
        publishers[row.story].add(publisher_of_document(row.document))
    return replace(
        labelled,
        documents=tuple(
            row if len(publishers[row.story]) > 1 else replace(row, story=None) for row in labelled.documents
        ),
    )


def _feed_items(path: Path) -> Iterator[Document]:
    """The entries of a feed document; none if it can't be read. The source is the feed's title."""
    wanted = ReadOptions("", "", {}, "", datetime.now(UTC), _ALL, NormalizingRules())
    try:
        feed = read_document(path.read_bytes(), wanted=wanted, seconds=_SECONDS)
    except (OSError, FeedsError):
        return
    source = feed.parsed.title or path.stem
    for draft in feed.drafts:
        date = None if draft.date_uncertain else draft.published_at
        yield Document(draft.title, draft.text, draft.url, date, source, draft.language)
