"""Items from files and feed documents, and labels kept apart from them."""

import gzip
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from feeds.dedup.in_memory import Document
from rssmanager.evaluation.datasets import LabelledDocument, LabelledFile, LabelledFileError
from rssmanager.evaluation.items import Label, join_labels, mixed_with, read_items, read_labels

FEED = """<rss version="2.0"><channel><title>Harbour notes</title><item><title>Crane leaves</title>
<link>https://quay.example/crane</link><pubDate>Mon, 02 Mar 2026 08:00:00 GMT</pubDate></item></channel></rss>"""


def test_items_of_json_lines_compressed_or_not_and_of_pairs(tmp_path: Path) -> None:
    rows = [{"title": "One", "url": "https://a.example/1"}, {"title_1": "Two", "title_2": "Three"}]
    content = "\n".join(map(json.dumps, rows)).encode() + b"\noops"
    for name, data in (("items.jsonl", content), ("items.jsonl.gz", gzip.compress(content))):
        (tmp_path / name).write_bytes(data)
        items, refusals = read_items(tmp_path / name)
        assert [item.title for item in items] == ["One", "Two", "Three"]
        assert [refusal.line for refusal in refusals] == [3]


def test_items_of_a_folder_of_feeds_skip_unreadable_ones(tmp_path: Path) -> None:
    (tmp_path / "feed.xml").write_text(FEED)
    (tmp_path / "page.xml").write_text("<html></html>")
    (tmp_path / "manifest.tsv").write_text("not a feed")
    [item], _ = read_items(tmp_path)
    published_at = datetime(2026, 3, 2, 8, tzinfo=UTC)
    assert (item.title, item.source, item.url, item.published_at) == (
        "Crane leaves",
        "Harbour notes",
        "https://quay.example/crane",
        published_at,
    )


@pytest.mark.parametrize("name", ["missing.jsonl", "damaged.jsonl.gz", "page.xml"])
def test_unusable_files_are_named(tmp_path: Path, name: str) -> None:
    if name != "missing.jsonl":
        (tmp_path / name).write_text("<html></html>")
    with pytest.raises(LabelledFileError, match=name):
        read_items(tmp_path / name)


def test_labels_are_joined_by_url_and_each_url_counts_once(tmp_path: Path) -> None:
    path = tmp_path / "labels.tsv"
    path.write_text(
        "url\tevent\tignore_with\nhttps://a.example/1\tquake\taftershock tsunami\nhttps://a.example/2\t\t\n"
    )
    labels = read_labels(path)
    assert labels["https://a.example/1"] == Label("quake", frozenset({"aftershock", "tsunami"}))
    items = [Document(title, url=f"https://a.example/{n}") for title, n in (("One", 1), ("One again", 1), ("Three", 3))]
    [row] = join_labels(items, labels)
    assert (row.document.title, row.story) == ("One", "quake")
    with pytest.raises(LabelledFileError, match="None of the labelled URLs"):
        join_labels(items[2:], labels)


def test_labels_need_their_columns(tmp_path: Path) -> None:
    path = tmp_path / "labels.tsv"
    path.write_text("address\tevent\nhttps://a.example/1\tquake\n")
    with pytest.raises(LabelledFileError, match="no columns url, event and ignore_with"):
        read_labels(path)


def test_ordinary_items_are_dated_among_the_labelled() -> None:
    first, last = datetime(2026, 3, 2, 8, tzinfo=UTC), datetime(2026, 3, 2, 20, tzinfo=UTC)
    labelled = LabelledFile(tuple(LabelledDocument(Document("News", published_at=at), "quake") for at in (first, last)))
    mixed = mixed_with(labelled, [Document("Blog", published_at=datetime(2019, 1, 1, tzinfo=UTC))] * 5)
    assert mixed == mixed_with(labelled, [Document("Blog")] * 5)
    assert [row.story for row in mixed.documents] == ["quake"] * 2 + [None] * 5
    assert all(first <= row.document.published_at <= last for row in mixed.documents if row.document.published_at)
