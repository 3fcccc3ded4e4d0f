"""Labelled files: accepted field names, and refused rows with reasons."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from feeds.dedup.in_memory import Document
from rssmanager.env import PROJECT
from rssmanager.evaluation.datasets import LabelledFileError, LabelledPair, Refusal, parse, read
from rssmanager.evaluation.report import SETS, LabelledSet

DATA = PROJECT / "tests/rssmanager/data"
SHARED = PROJECT.parent / "shared" / "data" / "labelled"


def lines(*rows: object) -> bytes:
    return "\n".join(json.dumps(row) for row in rows).encode()


def test_reads_document_with_all_fields() -> None:
    row = {
        "id": 7,
        "story": "crane",
        "title": "Crane &amp; quay",
        "text": "It fell.",
        "url": "https://courier.example/1",
        "published": "2026-03-02T22:10:00+01:00",
        "source": "Courier",
        "lang": "en-GB",
        "ignore_with": ["storm"],
        "whatever": {"unknown": True},
    }
    [document] = parse(lines(row)).documents
    assert document.story == "crane"
    assert document.ignored == {"storm"}
    assert document.document == Document(
        title="Crane & quay",
        text="It fell.",
        url="https://courier.example/1",
        published_at=datetime(2026, 3, 2, 21, 10, tzinfo=UTC),
        source="Courier",
        language="en",
    )


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        pytest.param({"story": "crane"}, "crane", id="story"),
        pytest.param({"event": "crane"}, "crane", id="event"),
        pytest.param({"final_event_id": 3028, "label_event": "new_event"}, "3028", id="final event before label"),
        pytest.param({"label_event": 3028}, "3028", id="label"),
        pytest.param({"label_event": "new_event"}, None, id="a new event without a name"),
        pytest.param({"story": None, "event": "crane"}, "crane", id="the first that says something"),
        pytest.param({"story": 12.0}, "12", id="a number with a point"),
        pytest.param({"story": 0}, "0", id="zero is a name"),
        pytest.param({"story": None}, None, id="in no story"),
        pytest.param({"event": ""}, None, id="empty is no story"),
        pytest.param({"story": float("nan")}, None, id="NaN is no story"),
    ],
)
def test_reads_truth_under_every_field_name(row: dict[str, object], expected: str | None) -> None:
    [document] = parse(lines({"title": "Crane falls", **row})).documents
    assert document.story == expected


@pytest.mark.parametrize(
    ("row", "field", "expected"),
    [
        pytest.param({"description": "It fell."}, "text", "It fell.", id="description is text"),
        pytest.param({"text": "", "description": "It fell."}, "text", "It fell.", id="empty text"),
        pytest.param({"text": "<p>It fell.</p><p>At night."}, "text", "It fell.\nAt night.", id="markup"),
        pytest.param({"description": None}, "text", "", id="null text"),
        pytest.param({"publisher": "Courier", "host": "courier.example"}, "source", "Courier", id="publisher"),
        pytest.param({"host": "courier.example"}, "source", "courier.example", id="host"),
        pytest.param({"domain": "courier.example"}, "source", "courier.example", id="domain"),
        pytest.param({"published": None}, "published_at", None, id="no date"),
        pytest.param({"published": "soon"}, "published_at", None, id="unreadable date"),
        pytest.param(
            {"published": 1772488800}, "published_at", datetime(2026, 3, 2, 22, 0, tzinfo=UTC), id="Unix time"
        ),
        pytest.param({"language": "zh_TW"}, "language", "zh", id="language"),
        pytest.param(
            {"title": "", "text": "It fell. Nobody was hurt."}, "title", "It fell. Nobody was hurt.", id="title"
        ),
        pytest.param({"title": "Crane \ud800 falls\0"}, "title", "Crane falls", id="what no database takes"),
    ],
)
def test_reads_fields_tolerantly(row: dict[str, object], field: str, expected: object) -> None:
    [document] = parse(lines({"title": "Crane", "story": "crane", **row})).documents
    assert getattr(document.document, field) == expected


def test_guesses_language_if_the_file_names_none() -> None:
    titles = ["Der Kran am Hafen ist in der Nacht umgestürzt", "Die Bücherei öffnet nach drei Jahren wieder", "Nebel"]
    dataset = parse(lines(*({"title": title, "story": None} for title in titles)))
    assert [row.document.language for row in dataset.documents] == ["de", "de", "de"]


def test_script_determines_the_language() -> None:
    titles = ["港口起重机在暴风雨中倒塌，无人受伤", "The crane of the northern quay fell into the basin"]
    dataset = parse(lines(*({"title": title, "story": None, "lang": "en"} for title in titles)))
    assert [row.document.language for row in dataset.documents] == ["zh", "en"]


def test_reads_pairs() -> None:
    row = {"same_event": 1, "title_1": "Crane falls", "title_2": "A crane fell", "text_1": "At night.", "lang": "en"}
    first = Document(title="Crane falls", text="At night.", language="en")
    assert parse(lines(row)).pairs == (LabelledPair(first, Document(title="A crane fell", language="en"), True),)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        pytest.param(b'{"title": ', "not JSON: Expecting value (character 10)", id="cut off"),
        pytest.param(b'["title"]', "not a JSON object", id="a list"),
        pytest.param(b"null", "not a JSON object", id="null"),
        pytest.param(b'{"title": "\xff"}', "not UTF-8", id="bytes"),
        pytest.param(b'{"story": "a", "text": null}', "no title and no text", id="nothing to read"),
        pytest.param(
            b'{"title": "A"}', "none of the fields story, event, final_event_id, label_event", id="nothing said"
        ),
        pytest.param(
            b'{"title_1": "A", "title_2": "B", "same_event": true}', "a pair in a file of documents", id="a pair"
        ),
        pytest.param(b"[" * 100_000, "not JSON: ", id="too deep"),
    ],
)
def test_refuses_bad_lines_and_keeps_others(line: bytes, reason: str) -> None:
    good = lines({"title": "Crane", "story": "a"})
    dataset = parse(b"\n".join([b"\xef\xbb\xbf" + good, b"", line, good + b"\r"]))
    assert len(dataset.documents) == 2
    [refusal] = dataset.refusals
    assert refusal.line == 3
    assert refusal.reason.startswith(reason)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        pytest.param({"title": "A", "story": None}, "a document in a file of pairs", id="a document"),
        pytest.param({"title_1": "A", "title_2": "B"}, "same_event is neither true nor false", id="no answer"),
        pytest.param(
            {"title_1": "A", "title_2": "B", "same_event": None}, "same_event is neither true nor false", id="null"
        ),
        pytest.param({"title_1": "A", "same_event": True}, "no title_2 and no text_2", id="half a pair"),
    ],
)
def test_refuses_bad_lines_in_a_file_of_pairs(row: dict[str, object], reason: str) -> None:
    pair = {"same_event": False, "title_1": "A", "title_2": "B"}
    dataset = parse(lines(pair, row, pair))
    assert len(dataset.pairs) == 2
    assert dataset.refusals == (Refusal(2, reason),)


@pytest.mark.parametrize(
    ("name", "language", "expected"),
    [
        pytest.param("stories.jsonl", "", 7, id="documents"),
        pytest.param("stories.jsonl", "fr", 1, id="French documents"),
        pytest.param("pairs.jsonl", "", 4, id="pairs"),
        pytest.param("pairs.jsonl", "en-US", 3, id="English pairs"),
    ],
)
def test_reads_a_file_in_one_language_or_all(name: str, language: str, expected: int) -> None:
    dataset = read(DATA / name, language=language)
    assert (len(dataset.documents or dataset.pairs), dataset.refusals) == (expected, ())


@pytest.mark.parametrize(
    ("content", "language", "message"),
    [
        pytest.param(None, "", "cannot be read: No such file or directory", id="missing"),
        pytest.param(b"\n\n", "", "has no row.", id="empty"),
        pytest.param(b"what\nis this", "", r"has no usable row \(2 lines refused, the first: not JSON", id="no JSON"),
        pytest.param(
            b'{"title": "Crane", "story": "a", "lang": "en"}', "fr", "has no row in language fr", id="language"
        ),
        pytest.param(b'{"title": "Crane", "story": "a"}', "french", "french is not a language code", id="no code"),
    ],
)
def test_explains_an_unusable_file(tmp_path: Path, content: bytes | None, language: str, message: str) -> None:
    path = tmp_path / "labelled.jsonl"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(LabelledFileError, match=message):
        read(path, language=language)


N_ROWS = (516, 976, 6366, 35, 240)


@pytest.mark.skipif(not SHARED.is_dir(), reason="the labelled sets are not beside this checkout")
@pytest.mark.parametrize(("labelled_set", "n"), list(zip(SETS, N_ROWS, strict=True)), ids=[one.file for one in SETS])
def test_reads_every_labelled_set_completely(labelled_set: LabelledSet, n: int) -> None:
    dataset = read(SHARED / labelled_set.file, language=labelled_set.language)
    assert (len(dataset.documents or dataset.pairs), dataset.refusals) == (n, ())
