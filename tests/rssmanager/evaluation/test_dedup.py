"""Running a grouping on a labelled file, and its scores."""

from collections.abc import Sequence

from feeds.dedup.in_memory import Document
from rssmanager.evaluation.datasets import LabelledDocument, LabelledFile, LabelledPair, Refusal
from rssmanager.evaluation.dedup import evaluate
from rssmanager.evaluation.metrics import Scores

CRANE, FERRY, FOG = Document("Crane falls"), Document("Ferry late"), Document("Fog")


class Recorder:
    """A grouping that puts everything into one group and records its calls."""

    def __init__(self) -> None:
        self.asked: list[tuple[list[str], str, bool]] = []

    def __call__(self, documents: Sequence[Document], *, policy: str, events: bool) -> list[int]:
        self.asked.append(([document.title for document in documents], policy, events))
        return [0] * len(documents)


def test_every_policy_groups_the_documents_in_their_order() -> None:
    recorder, steps = Recorder(), list[str]()
    labelled = LabelledFile((LabelledDocument(CRANE, "a"), LabelledDocument(FOG, None)), (), (Refusal(3, "not JSON"),))
    report = evaluate(labelled, policies=("layered", "newest"), events=True, grouping=recorder, on_step=steps.append)
    assert recorder.asked == [(["Crane falls", "Fog"], policy, True) for policy in ("layered", "newest")]
    assert (report.n, report.is_pairs, report.n_refused) == (2, False, 1)
    assert report.policies["newest"].pairs == Scores(0, 0, 0)
    assert report.policies["newest"].v_measure == 0
    assert steps == [
        "grouping 2 documents, policy layered",
        "grouping 2 documents, policy newest",
        "comparing with the baselines",
    ]


def test_pairs_are_grouped_as_one_corpus() -> None:
    recorder = Recorder()
    pairs = (LabelledPair(CRANE, CRANE, True), LabelledPair(FERRY, FOG, False))
    report = evaluate(LabelledFile(pairs=pairs), policies=("layered",), events=False, grouping=recorder)
    assert recorder.asked == [(["Crane falls", "Ferry late", "Crane falls", "Fog"], "layered", False)]
    assert (report.n, report.is_pairs) == (2, True)
    assert report.policies["layered"].pairs == Scores(0.5, 1, 2 / 3)
    assert (report.policies["layered"].accuracy, report.policies["layered"].bcubed) == (0.5, None)
    assert report.baselines["exact_title"].accuracy == 1
    assert report.baselines["tfidf_best_threshold"].average_precision == 1


def test_the_only_site_of_a_collection_is_no_publisher() -> None:
    asked: list[Document] = []

    def keep(documents: Sequence[Document], *, policy: str, events: bool) -> list[int]:
        asked[:] = documents
        return [0] * len(documents)

    wiki = [Document(f"Report {n}", url=f"https://wiki.example/{n}", source="Wiki") for n in range(2)]
    other = Document("Report 3", url="https://paper.example/3")
    for documents, n_with_address in ((wiki, 0), ([*wiki, other], 3), ([wiki[0], wiki[0]], 2)):
        labelled = LabelledFile(tuple(LabelledDocument(one, "a") for one in documents))
        evaluate(labelled, policies=("layered",), events=True, grouping=keep)
        assert sum(bool(one.url) for one in asked) == n_with_address
