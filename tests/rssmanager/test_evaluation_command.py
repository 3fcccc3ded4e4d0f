"""`manage.py evaluate` on tiny files with a fake grouping, without database access."""

import json
from collections.abc import Sequence
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from feeds.dedup.in_memory import Document

DATA = Path(__file__).parent / "data"


def by_first_word(documents: Sequence[Document], *, policy: str, events: bool) -> list[int]:
    """Group documents by the first word of the title; none for `newest`; with events, also the library's coverage."""
    first = ["rebuilt" if events and "reading" in d.title else d.title.split()[0].lower() for d in documents]
    return list(range(len(first))) if policy == "newest" else [first.index(word) for word in first]


def run(*arguments: str) -> tuple[str, str]:
    out, err = StringIO(), StringIO()
    call_command("evaluate", *arguments, grouping=by_first_word, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def test_dedup_prints_json_with_measures_and_baselines() -> None:
    out, err = run("dedup", str(DATA / "stories.jsonl"), "--json")
    report = json.loads(out)
    assert err == ""
    assert isinstance(report.pop("seconds"), float)
    assert report == {
        "n": 7,
        "malformed": 0,
        "policy": "layered",
        "pairs": {"precision": 1.0, "recall": 0.75, "f1": 0.8571},
        "bcubed": {"precision": 1.0, "recall": 0.8571, "f1": 0.9231},
        "v_measure": 0.928,
        "baselines": report["baselines"],
    }
    assert report["baselines"]["exact_title"]["pairs"] == {"precision": 1.0, "recall": 0.75, "f1": 0.8571}
    assert set(report["baselines"]["tfidf_best_threshold"]["pairs"]) == {"precision", "recall", "f1", "threshold"}


def test_stories_include_events() -> None:
    report = json.loads(run("stories", str(DATA / "stories.jsonl"), "--json")[0])
    assert report["pairs"] == report["bcubed"] == {"precision": 1.0, "recall": 1.0, "f1": 1.0}


def test_labels_from_another_file_and_ordinary_items(tmp_path: Path) -> None:
    rows = [{"title": f"{word} again", "url": f"https://a.example/{n}"} for n, word in enumerate(["one", "one", "two"])]
    (tmp_path / "news.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "blog.jsonl").write_text(json.dumps({"title": "one blogger"}))
    labels = tmp_path / "labels.tsv"
    labels.write_text("url\tevent\tignore_with\nhttps://a.example/0\tx\t\nhttps://a.example/1\tx\t\n")
    arguments = ("stories", str(tmp_path / "news.jsonl"), "--labels", str(labels), "--json")
    assert json.loads(run(*arguments)[0])["pairs"] == {"precision": 1.0, "recall": 1.0, "f1": 1.0}
    mixed = json.loads(run(*arguments, "--ordinary", str(tmp_path / "blog.jsonl"))[0])
    assert (mixed["n"], mixed["pairs"]["precision"]) == (3, 0.3333)


def test_events_of_one_publisher_can_be_left_out(tmp_path: Path) -> None:
    rows = [{"title": "one again", "url": f"https://{host}.example/{n}"} for n, host in enumerate("aab")]
    rows += [{"title": f"{word} harbours", "url": f"https://c.example/{word}"} for word in ("two", "three")]
    (tmp_path / "news.jsonl").write_text("\n".join(map(json.dumps, rows)))
    labels = tmp_path / "labels.tsv"
    events = ["x", "x", "x", "only-c", "only-c"]
    labels.write_text(
        "url\tevent\tignore_with\n"
        + "".join(f"{row['url']}\t{event}\t\n" for row, event in zip(rows, events, strict=True))
    )
    arguments = ("stories", str(tmp_path / "news.jsonl"), "--labels", str(labels), "--json")
    assert json.loads(run(*arguments)[0])["pairs"]["recall"] == 0.75
    assert json.loads(run(*arguments, "--across-publishers")[0])["pairs"]["recall"] == 1.0


def test_all_policies_are_measured_beside_the_default() -> None:
    report = json.loads(run("dedup", str(DATA / "stories.jsonl"), "--json", "--policy", "all")[0])
    assert report["policy"] == "layered"
    assert {name: measures["pairs"]["recall"] for name, measures in report["policies"].items()} == {
        "layered": 0.75,
        "three_tier": 0.75,
        "newest": 0.0,
    }


def test_pairs_in_one_language_are_measured_with_accuracy() -> None:
    report = json.loads(run("dedup", str(DATA / "pairs.jsonl"), "--lang", "en", "--json")[0])
    assert (report["n"], report["accuracy"]) == (3, 0.6667)
    assert report["pairs"] == {"precision": 1.0, "recall": 0.5, "f1": 0.6667}
    assert report["baselines"]["tfidf_best_threshold"]["average_precision"] == 0.8333


def test_text_has_a_row_for_each_policy_and_baseline() -> None:
    lines = run("dedup", str(DATA / "stories.jsonl"), "--policy", "three_tier")[0].splitlines()
    assert lines[0] == "7 documents"
    assert [line.split()[0] for line in lines[2:]] == ["three_tier", "tfidf_best_threshold", "exact_title"]


def test_malformed_lines_are_listed_counted_and_skipped(tmp_path: Path) -> None:
    path = tmp_path / "labelled.jsonl"
    path.write_bytes(b"oops\n" * 22 + (DATA / "stories.jsonl").read_bytes())
    out, err = run("dedup", str(path), "--json")
    assert (json.loads(out)["n"], json.loads(out)["malformed"]) == (7, 22)
    assert err.splitlines()[0] == "line 1: not JSON: Expecting value (character 1)"
    assert err.splitlines()[20:] == ["… and 2 more lines refused"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(None, "cannot be read: No such file", id="missing file"),
        pytest.param(b"{}\n", "has no usable row", id="nothing usable"),
    ],
)
def test_unusable_file_exits_with_status_1(tmp_path: Path, content: bytes | None, message: str) -> None:
    path = tmp_path / "labelled.jsonl"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(CommandError, match=message) as raised:
        run("dedup", str(path))
    assert raised.value.returncode == 1


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one labelled set."""
    (tmp_path / "ecbplus_docs.jsonl").write_bytes((DATA / "stories.jsonl").read_bytes())
    return tmp_path


def test_table_is_printed_as_markdown(folder: Path) -> None:
    lines = run("table", "--folder", str(folder))[0].splitlines()
    assert lines[0].startswith(
        "| Set |  | layered | three_tier | newest | layered, copies only | equal titles | TF-IDF"
    )
    assert lines[2].startswith("| ECB+: 976 documents, two look-alike events per topic | pairs | ")
    assert len(lines) == 4


def test_table_is_written_between_the_markers(folder: Path) -> None:
    readme = folder / "README.md"
    readme.write_text("before\n<!-- evaluation -->\n<!-- /evaluation -->\nafter\n", encoding="utf-8")
    table = run("table", "--folder", str(folder))[0]
    run("table", "--folder", str(folder), "--write", str(readme))
    expected = f"before\n<!-- evaluation -->\n{table}<!-- /evaluation -->\nafter\n"
    assert readme.read_text(encoding="utf-8") == expected


def test_document_without_markers_is_unchanged(folder: Path) -> None:
    readme = folder / "README.md"
    readme.write_text("no marks", encoding="utf-8")
    with pytest.raises(CommandError, match="is unchanged"):
        run("table", "--folder", str(folder), "--write", str(readme))
    assert readme.read_text(encoding="utf-8") == "no marks"


def test_table_reports_the_searched_folder(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=f"None of the labelled files is in {tmp_path}"):
        run("table", "--folder", str(tmp_path))
