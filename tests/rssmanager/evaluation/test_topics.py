"""`manage.py evaluate topics`, without database access."""

import json
from collections.abc import Sequence
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from feeds.dedup.entities import Names
from feeds.dedup.in_memory import Document
from rssmanager.env import PROJECT
from rssmanager.evaluation import topics
from rssmanager.evaluation.datasets import LabelledDocument, LabelledFileError
from rssmanager.evaluation.topics import evaluate, read_file

LABELLED = PROJECT.parent / "shared/data/labelled"

FLOOD = ["Storm floods Havana streets", "Havana streets flooded by storm", "Storm: Havana floods", "Flooding in Havana"]
TAX = ["Senate passes tax bill", "Tax bill passes the Senate", "Senators vote on taxes"]
CHESS = "Chess champion resigns"


def each_alone(documents: Sequence[Document], *, policy: str, events: bool) -> list[int]:
    assert (policy, events) == ("layered", True)
    return list(range(len(documents)))


def labelled(*titled: tuple[str, str | None]) -> list[LabelledDocument]:
    return [LabelledDocument(Document(title, language="en"), name) for title, name in titled]


def rows() -> list[dict[str, object]]:
    """Seven rows in two stories and one in none, each with a category; only the first story shares words."""
    return [
        *({"title": title, "story": "flood", "category": "world", "topic": 1} for title in FLOOD),
        *({"title": title, "story": "tax", "category": "politics", "topic": 2} for title in TAX),
        {"title": CHESS, "story": None, "category": "sport", "topic": 3},
    ]


def write_rows(folder: Path, *lines: object) -> Path:
    path = folder / "rows.jsonl"
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines), encoding="utf-8")
    return path


def run(*arguments: str) -> tuple[str, str]:
    out, err = StringIO(), StringIO()
    call_command("evaluate", "topics", *arguments, grouping=each_alone, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


class TestReading:
    @pytest.mark.parametrize(
        ("truth", "expected"),
        [
            pytest.param("story", ["flood", None], id="story"),
            pytest.param("category", ["world", "sport"], id="category"),
            pytest.param("topic", ["1", "3"], id="topic, a number"),
        ],
    )
    def test_truth_matches_the_request(self, truth: str, expected: list[str | None], tmp_path: Path) -> None:
        topics_read, refusals = read_file(write_rows(tmp_path, rows()[0], rows()[-1]), truth=truth)
        assert ([topic.story for topic in topics_read], refusals) == (expected, ())

    @pytest.mark.parametrize("value", [None, "", " ", [], {"a": 1}, True])
    def test_refuses_line_without_category(self, value: object, tmp_path: Path) -> None:
        path = write_rows(tmp_path, {"title": "One", "category": value}, {"title": "Two"}, rows()[0])
        topics_read, refusals = read_file(path, truth="category")
        assert [topic.document.title for topic in topics_read] == [FLOOD[0]]
        assert [(refusal.line, refusal.reason) for refusal in refusals] == [(1, "no category"), (2, "no category")]

    def test_refuses_pairs(self, tmp_path: Path) -> None:
        pair = {"title_1": "One", "title_2": "Two", "same_event": True}
        with pytest.raises(LabelledFileError, match="has pairs"):
            read_file(write_rows(tmp_path, pair), truth="story")

    def test_reads_only_one_language(self, tmp_path: Path) -> None:
        path = write_rows(tmp_path, {**rows()[0], "lang": "en"}, {**rows()[1], "lang": "de"})
        for truth in ("story", "category"):
            assert len(read_file(path, truth=truth, language="de")[0]) == 1

    def test_reads_ignored_pairs(self, tmp_path: Path) -> None:
        [topic], _ = read_file(write_rows(tmp_path, {**rows()[0], "ignore_with": "tax"}), truth="story")
        assert topic.ignored == {"tax"}


class TestEvaluating:
    def test_measures_topics_stories_and_scikit_learn(self) -> None:
        report = evaluate(labelled(*((title, "flood") for title in FLOOD), (CHESS, None)), grouping=each_alone)
        assert (report.n, report.policy, report.k) == (5, "dbscan", None)
        assert (report.measures.topics, report.measures.noise, report.measures.largest) == (2, 0.2, 0.8)
        assert report.measures.v_measure == report.measures.bcubed.f1 == report.measures.pairs.f1 == 1
        stories, plain = report.baselines["stories"], report.baselines["tfidf_dbscan"]
        assert (stories.topics, stories.noise, stories.largest, stories.pairs.recall) == (5, 1, 0.2, 0)
        assert plain.topics == 3  # the baseline treats "floods", "flooded" and "flooding" as three words

    def test_keeps_own_stories_together(self) -> None:
        def all_one(documents: Sequence[Document], *, policy: str, events: bool) -> list[int]:
            return [0] * len(documents)

        report = evaluate(labelled((FLOOD[0], "a"), (TAX[0], "b"), (CHESS, "c")), grouping=all_one)
        assert (report.measures.topics, report.measures.bcubed.recall, report.measures.pairs.precision) == (1, 1, 0)

    def test_makes_the_requested_number_of_topics(self) -> None:
        titled = [*((title, "flood") for title in FLOOD), *((title, "tax") for title in TAX)]
        report = evaluate(labelled(*titled), k=2, grouping=each_alone)
        assert (report.policy, report.k, report.measures.topics, report.measures.v_measure) == ("ward", 2, 2, 1)
        assert report.baselines["tfidf_ward"].topics == 2
        assert "tfidf_dbscan" not in report.baselines

    @pytest.mark.parametrize("k", [None, 3], ids=["as many as there are", "three"])
    def test_measures_a_single_document(self, k: int | None) -> None:
        report = evaluate(labelled((CHESS, "a")), k=k, grouping=each_alone)
        assert (report.measures.topics, report.measures.v_measure, report.measures.bcubed.f1) == (1, 1, 1)

    def test_documents_without_words_have_no_plain_baseline(self) -> None:
        report = evaluate(labelled(("?", "a"), ("!", "a")), grouping=each_alone)
        assert set(report.baselines) == {"stories"}
        assert report.measures.noise == 1

    @pytest.mark.parametrize(("limit", "k"), [("PLAIN_DOCUMENTS", None), ("PLAIN_CELLS", 2)], ids=["dbscan", "ward"])
    def test_skips_measures_that_take_too_much_memory(
        self, limit: str, k: int | None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(topics, limit, 2)
        report = evaluate(labelled((FLOOD[0], "a"), (TAX[0], "b"), (CHESS, "c")), k=k, grouping=each_alone)
        assert set(report.baselines) == {"stories"}

    def test_reports_each_step(self) -> None:
        steps: list[str] = []
        evaluate(labelled((CHESS, "a")), grouping=each_alone, on_step=steps.append)
        assert steps == ["grouping 1 documents", "clustering", "comparing with what scikit-learn ships"]

    def test_labels_the_largest_topics(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(
            topics, "names_of", lambda documents: [Names(places=frozenset({"havana"}))] * len(documents)
        )
        titled = [(CHESS, "c"), *((title, "flood") for title in FLOOD)]
        [first] = evaluate(labelled(*titled), n_labels=1, grouping=each_alone).labels
        assert first.size == 4
        assert "Havana" in first.label
        assert len(first.titles) == 3
        assert set(first.titles) < set(FLOOD)


class TestCommand:
    def test_prints_json_in_the_common_format(self, tmp_path: Path) -> None:
        out, err = run(str(write_rows(tmp_path, *rows(), "not JSON")), "--json")
        report = json.loads(out)
        assert err == "line 9: not JSON: Expecting value (character 1)\n"
        assert list(report) == [
            "n",
            "malformed",
            "policy",
            "truth",
            "topics",
            "noise",
            "largest",
            "v_measure",
            "bcubed",
            "pairs",
            "seconds",
            "baselines",
        ]
        assert (report["n"], report["malformed"], report["policy"], report["truth"]) == (8, 1, "dbscan", "story")
        assert report["bcubed"]["precision"] == 1
        assert set(report["baselines"]) == {"stories", "tfidf_dbscan"}
        assert set(report["baselines"]["stories"]["pairs"]) == {"precision", "recall", "f1"}

    def test_prints_a_table(self, tmp_path: Path) -> None:
        out, _ = run(str(write_rows(tmp_path, *rows())), "--truth", "category", "--k", "3")
        title, heading, *lines = out.splitlines()
        assert title == "8 documents, labelled by category"
        assert " ".join(heading.split()) == "topics noise largest V B³ P R F1 pairs P R F1 seconds"
        assert [line.split()[0] for line in lines] == ["ward", "stories", "tfidf_ward"]
        assert lines[0].split()[1] == "3"

    def test_prints_labels_on_request(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(topics, "names_of", lambda documents: [Names()] * len(documents))
        path = str(write_rows(tmp_path, *rows()))
        lines = run(path, "--labels", "2")[0].splitlines()[-4:]
        in_json = json.loads(run(path, "--labels", "2", "--json")[0])["labels"]
        assert [lines[0].split(maxsplit=1), lines[1].strip()] == [
            [str(in_json[0]["size"]), in_json[0]["label"]],
            " · ".join(in_json[0]["titles"]),
        ]
        assert len(in_json) == 2
        assert "labels" not in json.loads(run(path, "--json")[0])

    def test_refuses_file_without_stories(self, tmp_path: Path) -> None:
        with pytest.raises(CommandError, match="no usable row"):
            run(str(write_rows(tmp_path, {"title": "One"})))

    @pytest.mark.parametrize("number", ["0", "-1", "two", "²"])
    def test_needs_at_least_one_topic(self, number: str, tmp_path: Path) -> None:
        with pytest.raises(CommandError, match="not a number from 1"):
            run(str(write_rows(tmp_path, *rows())), f"--k={number}")


class TestLabelledSets:
    """Thresholds slightly below the measured values, without stories, which are slow to compute."""

    @pytest.mark.parametrize(
        ("file", "truth", "language", "k", "v_measure", "bcubed"),
        [
            pytest.param("ecbplus_docs.jsonl", "story", "", None, 0.82, 0.44, id="ECB+ events"),
            pytest.param("ecbplus_docs.jsonl", "topic", "", 43, 0.90, 0.82, id="ECB+ topics"),
            pytest.param("tgcontest_categories_en_ru.jsonl", "category", "en", 8, 0.45, 0.48, id="English categories"),
            pytest.param("tgcontest_categories_en_ru.jsonl", "category", "ru", 8, 0.45, 0.44, id="Russian categories"),
        ],
    )
    def test_is_better_than_plain(
        self, file: str, truth: str, language: str, k: int | None, v_measure: float, bcubed: float
    ) -> None:
        path = LABELLED / file
        if not path.is_file():
            pytest.skip(f"{path} is not there")
        report = evaluate(read_file(path, truth=truth, language=language)[0], k=k, grouping=each_alone)
        plain = report.baselines["tfidf_dbscan" if k is None else "tfidf_ward"]
        assert report.measures.v_measure >= max(v_measure, plain.v_measure)
        assert report.measures.bcubed.f1 >= max(bcubed, plain.bcubed.f1)
