"""`manage.py evaluate sensitivity`: scores or labels, with the shipped classifier or one trained on the labels."""

import json
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from feeds.dedup.in_memory import Document
from reader.scoring.sensitivity import ClassifierWeights
from rssmanager.evaluation import sensitivity, sensitivity_command, train_sensitivity
from rssmanager.evaluation.datasets import LabelledFileError
from rssmanager.evaluation.sensitivity import LabelledSensitivity, Measures, evaluate, read_file
from rssmanager.evaluation.sensitivity_command import as_json, as_text
from rssmanager.evaluation.sensitivity_learner import features_of, held_out_answers, probabilities, tfidf_answers

URGENT = {"title": "Live updates: dam breach forces evacuation", "text": "Refresh for updates at 14:32."}
LASTING = {
    "title": "What is a Fourier transform? A guide for beginners, and a short history of it",
    "text": "This explainer tells step by step how it works, with examples.",
}


def without_meaning(pieces: Sequence[tuple[str, str]]) -> list[bytes]:
    return [b""] * len(pieces)


def by_first_word(pieces: Sequence[tuple[str, str]]) -> list[bytes]:
    """Vectors that are equal for pieces with the same first word."""
    vectors = []
    for title, _ in pieces:
        place = crc32(title.split()[0].encode()) % 512
        vectors.append(bytes(place) + b"\x7f" + bytes(511 - place))
    return vectors


def write_rows(folder: Path, *rows: object) -> Path:
    path = folder / "rows.jsonl"
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows), encoding="utf-8")
    return path


def pages(n_each: int) -> LabelledSensitivity:
    """Pages that differ only in one word of the title."""
    rows = [(Document(f"{word} number {i}", "Words."), label) for i in range(n_each) for word, label in KINDS.items()]
    return LabelledSensitivity(tuple(page for page, _ in rows), tuple(label for _, label in rows), is_binary=True)


KINDS = {"Stew": 1, "Gossip": 0}


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> tuple[str, str]:
    monkeypatch.setattr(
        sensitivity_command,
        "evaluate",
        lambda labelled, **values: evaluate(labelled, **values, meaning=without_meaning),
    )
    out, err = StringIO(), StringIO()
    call_command("evaluate", "sensitivity", *arguments, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def test_prints_json_of_scores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_rows(tmp_path, {**URGENT, "score": 5}, {**LASTING, "time_sensitivity": "1"}, {**LASTING, "score": 3})
    out, err = run(monkeypatch, str(path), "--json")
    report = json.loads(out)
    assert err == ""
    assert isinstance(report.pop("seconds"), float)
    assert report == {
        "n": 3,
        "malformed": 0,
        "policy": "shipped",
        "macro_f1": 0.5556,
        "mean_absolute_error": 0.6667,
        "accuracy": 0.6667,
        "evergreen_auc": 0.75,
        "recall_1": 1.0,
        "recall_3": 0.0,
        "recall_5": 1.0,
        "baselines": {
            "majority": {
                "macro_f1": 0.1667,
                "mean_absolute_error": 2.0,
                "accuracy": 0.3333,
                "evergreen_auc": 0.5,
                "recall_1": 0.0,
                "recall_3": 0.0,
                "recall_5": 1.0,
            },
            "keywords": {
                "macro_f1": 0.5556,
                "mean_absolute_error": 0.6667,
                "accuracy": 0.6667,
                "evergreen_auc": 0.75,
                "recall_1": 1.0,
                "recall_3": 0.0,
                "recall_5": 1.0,
            },
        },
    }


def test_ranks_by_labels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_rows(tmp_path, {**URGENT, "label": 0}, {**LASTING, "label": 1})
    report = json.loads(run(monkeypatch, str(path), "--json")[0])
    assert {name: report[name] for name in ("auc", "average_precision", "f1")} == {
        "auc": 1.0,
        "average_precision": 1.0,
        "f1": 1.0,
    }
    assert report["baselines"]["majority"]["auc"] == 0.5
    assert "macro_f1" not in report


def test_prints_a_table_and_refuses_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_rows(tmp_path, {**URGENT, "score": 5}, "nonsense", {"title": "x"}, {"title": "x", "score": 6}, "[]")
    out, err = run(monkeypatch, str(path))
    assert out.splitlines()[0].startswith("1 documents, 4 lines refused, ")
    assert out.splitlines()[1].split() == ["macro", "f1", "mean", "absolute", "error", "accuracy", "recall", "5"]
    assert out.splitlines()[2].split() == ["shipped", "1.000", "0.000", "1.000", "1.000"]
    assert err.splitlines() == [
        "line 2: not JSON: Expecting value (character 1)",
        "line 3: none of the fields score, time_sensitivity, label",
        "line 4: score is no whole number from 1 to 5",
        "line 5: not a JSON object",
    ]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        pytest.param({"label": 2}, "label is neither 0 nor 1", id="label"),
        pytest.param({"score": 2.5}, "score is no whole number from 1 to 5", id="half"),
        pytest.param({"score": "high"}, "score is no whole number from 1 to 5", id="word"),
        pytest.param({"score": 10**400}, "score is no whole number from 1 to 5", id="huge"),
        pytest.param({"score": [1]}, "score is no whole number from 1 to 5", id="list"),
        pytest.param({"score": None}, "none of the fields score, time_sensitivity, label", id="null"),
    ],
)
def test_refuses_a_row_with_its_reason(tmp_path: Path, row: dict[str, object], reason: str) -> None:
    labelled = read_file(write_rows(tmp_path, {**LASTING, "score": 1, "label": 0}, {"title": "x", **row}))
    assert (labelled.truth, labelled.is_binary) == ((1,), False)
    assert [(refusal.line, refusal.reason) for refusal in labelled.refusals] == [(2, reason)]


def test_scores_and_labels_do_not_mix(tmp_path: Path) -> None:
    with pytest.raises(LabelledFileError, match="has scores in some rows and labels in 1 others"):
        read_file(write_rows(tmp_path, {**LASTING, "score": 1}, {**URGENT, "label": 0}))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param("", "has no row", id="empty"),
        pytest.param('{"title": "x"}', "has no usable row", id="nothing usable"),
    ],
)
def test_reports_errors_in_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str, message: str) -> None:
    with pytest.raises(CommandError, match=message):
        run(monkeypatch, str(write_rows(tmp_path, content)))


def test_scores_can_be_apart_from_the_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    items = write_rows(
        tmp_path,
        {**URGENT, "url": "https://a.example/1"},
        {**LASTING, "url": "https://a.example/2"},
        {"title": "Not labelled", "url": "https://a.example/3"},
    )
    first, second = tmp_path / "first.tsv", tmp_path / "second.tsv"
    first.write_text("url\tscore\nhttps://a.example/1\t5\n", encoding="utf-8")
    second.write_text("url\tscore\nhttps://a.example/2\t1\nhttps://gone.example\t3\n", encoding="utf-8")
    out, _ = run(monkeypatch, str(items), "--labels", str(first), "--labels", str(second), "--json")
    report = json.loads(out)
    assert (report["n"], report["recall_1"], report["recall_5"]) == (2, 1.0, 1.0)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param("url\tscore\nhttps://gone.example\t3\n", "None of the labelled URLs", id="of other items"),
        pytest.param("url\tscore\nhttps://a.example\t6\n", "no whole number from 1 to 5", id="no score"),
        pytest.param("url\tevent\nhttps://a.example\tx\n", "cannot be read as labels", id="other columns"),
    ],
)
def test_refuses_unusable_scores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str, message: str) -> None:
    labels = tmp_path / "labels.tsv"
    labels.write_text(content, encoding="utf-8")
    with pytest.raises(CommandError, match=message):
        run(monkeypatch, str(write_rows(tmp_path, URGENT)), "--labels", str(labels))


def test_several_files_need_labels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = str(write_rows(tmp_path, {**URGENT, "score": 5}))
    with pytest.raises(CommandError, match="Several files need --labels"):
        run(monkeypatch, path, path)


def test_cross_validating_needs_enough_of_each_label() -> None:
    with pytest.raises(LabelledFileError, match="takes 5 documents of each of two labels or more, not 4 documents"):
        evaluate(pages(4), cross_validate=True, meaning=without_meaning)


@pytest.mark.slow
def test_learner_learns_from_words_or_embeddings() -> None:
    for meaning in (without_meaning, by_first_word):
        report = evaluate(pages(10), cross_validate=True, meaning=meaning)
        assert report.policy == "learned"
        assert report.measures.f1 == 1.0
        assert (report.measures.auc, report.measures.average_precision) == pytest.approx((1.0, 1.0))
        assert set(report.baselines) == {"majority", "keywords", "tfidf"}


def test_learner_learns_scores() -> None:
    labelled = pages(10)
    scored = LabelledSensitivity(labelled.documents, tuple(1 + 3 * label for label in labelled.truth), is_binary=False)
    measures = evaluate(scored, cross_validate=True, meaning=by_first_word).measures
    perfect = {"evergreen_auc": 1.0, "recall_1": 1.0, "recall_4": 1.0}
    assert measures == Measures(macro_f1=1.0, mean_absolute_error=0.0, accuracy=1.0, **perfect)


def test_training_excludes_the_tested_fold() -> None:
    labelled = pages(6)
    folds = [(i // 2 + label) % 2 for i, label in enumerate(labelled.truth)]
    features = features_of(labelled.documents, by_first_word)
    swapped = [1 - label if fold == 0 else label for label, fold in zip(labelled.truth, folds, strict=True)]
    for answers in (held_out_answers, tfidf_answers):
        before, after = answers(features, labelled.truth, folds), answers(features, swapped, folds)
        held_out = np.array(folds) == 0
        assert np.allclose(before[held_out], after[held_out])
        assert not np.allclose(before[~held_out], after[~held_out])


def test_probabilities_add_up() -> None:
    rows = probabilities(np.array([[0.0, 0.0], [5.0, -5.0]]))
    assert rows.sum(axis=1) == pytest.approx([1.0, 1.0])
    assert rows[0, 0] == 0.5
    assert rows[1, 0] > 0.99


def test_labels_of_one_kind_have_no_ranking() -> None:
    labelled = LabelledSensitivity((Document("x", "y"),), (1,), is_binary=True)
    report = evaluate(labelled, cross_validate=False, meaning=without_meaning)
    assert report.measures.auc is None
    assert "auc" not in as_json(report)
    assert as_text(report).splitlines()[1].split() == ["f1"]


def test_shipped_model_runs_as_in_the_app() -> None:
    [judgement] = sensitivity.judged([Document(LASTING["title"], LASTING["text"], language="en")], [b""])
    assert judgement.score == 1


def test_training_is_repeatable_and_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(train_sensitivity, "vectors_of", by_first_word)
    for author in ("one", "two", "three"):
        rows = [
            {"title": f"{word} {n}", "text": "", "score": score, "language": "en", "topic": str(n % 3)}
            for score, word in enumerate(("Stew", "Essay", "Plan", "Verdict", "Siren"), start=1)
            for n in range(4)
        ]
        (tmp_path / f"{author}.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    train_sensitivity.main(tmp_path / "first.json", tmp_path)
    train_sensitivity.main(tmp_path / "second.json", tmp_path)
    first, second = ((tmp_path / name).read_text(encoding="utf-8") for name in ("first.json", "second.json"))
    assert first == second
    assert ClassifierWeights.from_json(first).features["word:stew"][0] > 0
    assert len((tmp_path / "vectors.bin").read_bytes()) == 60 * 516
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("60 examples, ")
    assert next(line.split()[-2:] for line in lines if line.startswith("judge ")) == ["1.000", "0.000"]
    assert [line.split()[-2:] for line in lines if line.startswith("majority")] == [["0.067", "2.000"]] * 4
