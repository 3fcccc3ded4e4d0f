"""Whose text gives a topic its summary, and what changes when a topic loses articles."""

from dataclasses import replace

import pytest

from digests.assembly import write
from digests.assembly.grouping import ClusteredWindow, cluster_window
from digests.assembly.selection import Place
from digests.assembly.write import rewritten, written_topics
from digests.edition.candidates import Candidate
from digests.edition.document import SectionName, SummaryBy, Topic
from digests.edition.kinds import Words
from tests.digests.candidates import candidate

CUT_OFF = "The dam above the old city burst on Monday after a week of heavy […]"
WHOLE = "The dam burst on Monday. Nobody in the valley was hurt."
LONGER = "Engineers had warned of cracks in the dam for years."
WORDS = Words(8, 20)


@pytest.fixture
def texts(monkeypatch: pytest.MonkeyPatch) -> dict[int, str]:
    """The texts of articles by id, in place of the database."""
    texts: dict[int, str] = {}
    monkeypatch.setattr(write, "texts_of", lambda ids: {pk: texts.get(pk, "") for pk in ids})
    return texts


def clustered_story(*members: Candidate, section: SectionName) -> tuple[Place, ClusteredWindow]:
    clustered = cluster_window(members, [])
    [cluster] = clustered.clusters
    return Place(replace(cluster, lead=members[0]), section, ""), clustered


def topic_of(*members: Candidate, section: SectionName = SectionName.TOP) -> Topic:
    place, clustered = clustered_story(*members, section=section)
    return written_topics([place], ["Dam"], clustered, WORDS)[0]


def report(number: int, **values: object) -> Candidate:
    values = {"title": "Dam bursts", "text": "The dam burst.", "story_id": 1, "source": f"Paper {number}", **values}
    return candidate(number, 90.0 - number, **values)


@pytest.mark.parametrize("section", [SectionName.TOP, SectionName.NOTEWORTHY])
@pytest.mark.parametrize(
    ("of_lead", "values", "expected"),
    [
        pytest.param(WHOLE, {}, WHOLE, id="the lead's own"),
        pytest.param(CUT_OFF, {}, LONGER, id="that of another report"),
        pytest.param(CUT_OFF, {"story_id": None}, "", id="not of another story"),
        pytest.param(CUT_OFF, {"language": "de"}, "", id="not in another language"),
    ],
)
def test_a_summary_is_of_whole_sentences(
    texts: dict[int, str], section: SectionName, of_lead: str, values: dict[str, object], expected: str
) -> None:
    texts |= {1: of_lead, 2: LONGER}
    topic = topic_of(report(1), report(2, **values), section=section)
    if section is SectionName.NOTEWORTHY:
        expected = expected.replace(WHOLE, "The dam burst on Monday.") if expected else ""
        expected = "Nobody in the valley was hurt." if of_lead == WHOLE else expected
    assert topic.summary == expected
    assert topic.summary_by == (SummaryBy.EXTRACT if expected and section is SectionName.TOP else None)


def test_a_topic_with_another_lead_is_written_again(texts: dict[int, str]) -> None:
    texts |= {1: WHOLE, 2: LONGER}
    members = report(1), report(2, category="Weather"), report(3)
    place, clustered = clustered_story(*members, section=SectionName.TOP)
    topic = written_topics([place], ["Dam"], clustered, WORDS)[0]
    assert (topic.lead.article_id, topic.sources) == (1, ("Paper 2", "Paper 3"))
    left = replace(topic, lead=topic.related[0], related=topic.related[1:])
    again = rewritten(left, place, clustered, WORDS)
    assert (again.summary, again.sources, again.category) == (LONGER, ("Paper 3",), "Weather")


def test_a_publisher_with_several_feeds_is_named_once(texts: dict[int, str]) -> None:
    texts |= {1: WHOLE}
    of_one = [
        report(n, source=name, publisher="harbour.example") for n, name in ((2, "Harbour"), (3, "Harbour – World"))
    ]
    own = report(4, source="Paper 1 – World", publisher=report(1).publisher, also_in=("Digest",))
    place, clustered = clustered_story(report(1), *of_one, own, section=SectionName.TOP)
    topic = written_topics([place], ["Dam"], clustered, WORDS)[0]
    assert topic.sources == ("Harbour", "Digest")


def test_a_topic_with_the_same_lead_keeps_its_summary(texts: dict[int, str]) -> None:
    texts |= {1: WHOLE, 2: LONGER}
    place, clustered = clustered_story(report(1), report(2), section=SectionName.TOP)
    topic = written_topics([place], ["Dam"], clustered, WORDS)[0]
    again = rewritten(replace(topic, related=()), place, clustered, WORDS)
    assert (again.summary, again.sources) == (WHOLE, ())


@pytest.mark.parametrize("section", [SectionName.TOP, SectionName.NOTEWORTHY])
def test_a_summary_of_another_source_is_credited(texts: dict[int, str], section: SectionName) -> None:
    texts.update({1: CUT_OFF, 2: f"{WHOLE} {LONGER}"})
    topic = topic_of(report(1, source="Paper"), report(2, source="Herald"), section=section)
    assert topic.summary.endswith((LONGER, "Nobody in the valley was hurt."))
    assert topic.summary_from == "Herald"


def test_the_leads_own_words_come_before_longer_ones(texts: dict[int, str]) -> None:
    texts.update({1: "The dam burst on Monday.", 2: f"{WHOLE} {LONGER}"})
    topic = topic_of(report(1, source="Paper"), report(2, source="Herald"))
    assert (topic.summary, topic.summary_from) == ("The dam burst on Monday.", "")


def test_a_summary_is_of_the_report_that_would_lead_next(texts: dict[int, str]) -> None:
    texts.update({1: CUT_OFF, 2: f"{WHOLE} {LONGER}", 3: f"{WHOLE} {LONGER}"})
    topic = topic_of(report(1, source="Paper"), report(2, source="Herald", position=2), report(3, position=1))
    assert topic.summary_from == "Paper 3"
