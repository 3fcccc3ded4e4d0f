"""Self-checks: what is wrong is repaired, recorded, and nothing else is touched."""

from dataclasses import replace

import pytest

from digests.assembly.checks import Proof, Score, check_edition
from digests.edition.document import Edition, Finding, SectionName, SummaryBy, Topic, Trend
from digests.edition.kinds import RULES, Kind
from reader.scoring.importance import Parts
from tests.digests.candidates import parts
from tests.digests.editions import edition, entry, full_edition, topic

TOP, NOTEWORTHY, ALSO = SectionName.TOP, SectionName.NOTEWORTHY, SectionName.ALSO
CHECKS = ["Attribution", "Duplicates", "Sections", "Sizes", "Labels", "Trends", "Summaries", "Top source"]


def n_words(text: str, language: str) -> int:
    return len(text.split())


def proof(importance: float, trend: Trend | None = None, tier: int = 2) -> Proof:
    """The proof of a topic whose listed articles are all as important."""
    return Proof(trend, {number: Score(parts(importance), tier) for number in range(1, 10)})


def run(made: Edition, **proofs: Proof) -> Edition:
    """The edition checked; proofs by `lead_1=…`. Topics without one are taken as they are."""
    by_lead = {int(name.removeprefix("lead_")): proof for name, proof in proofs.items()}
    ordered = [by_lead.get(topic.lead.article_id or 0) for topic in made.topics]
    return check_edition(made, ordered, n_words, lambda topic: replace(topic, summary="Rewritten.", sources=("New",)))


def finding(made: Edition, name: str) -> Finding:
    return next(each for each in made.findings if each.check == name)


def good_topic(number: int, section: SectionName = TOP) -> Topic:
    least = RULES[Kind.MORNING].words.least
    made = topic(number, section)
    return replace(made, summary="word " * least) if section is TOP else replace(made, summary_by=None)


def test_good_edition_passes_all_checks_unchanged() -> None:
    made = edition(good_topic(1), good_topic(2, NOTEWORTHY), good_topic(3, ALSO))
    after = run(made, lead_1=proof(84.6), lead_2=proof(55.2), lead_3=proof(22.9))
    assert replace(after, findings=()) == made
    assert [each.check for each in after.findings] == CHECKS
    assert all(each.is_good and not each.was_repaired for each in after.findings)


def test_an_empty_edition_passes_every_check() -> None:
    after = run(edition())
    assert after.topics == ()
    assert all(each.is_good for each in after.findings)


@pytest.mark.parametrize(
    ("source", "url"),
    [
        pytest.param("", "https://paper.example/1", id="no name"),
        pytest.param("  ", "https://paper.example/1", id="a blank name"),
        pytest.param("Paper", "", id="no address"),
        pytest.param("Paper", "javascript:alert(1)", id="a script for an address"),
        pytest.param("Paper", "https://", id="an address without a host"),
        pytest.param("Paper", "http://[broken", id="an address that cannot be read"),
    ],
)
def test_unattributed_article_does_not_lead(source: str, url: str) -> None:
    nameless, other = entry(1, source=source, url=url), entry(2)
    alone = run(edition(replace(good_topic(1), lead=nameless)))
    assert alone.topics == ()
    assert finding(alone, "Attribution").was_repaired
    followed = run(edition(replace(good_topic(1), lead=nameless, related=(other,))))
    assert followed.topics[0].lead == other
    assert (followed.topics[0].summary, followed.topics[0].sources) == ("Rewritten.", ("New",))
    related = run(edition(replace(good_topic(1), lead=other, related=(nameless,))))
    assert related.topics[0].related == ()
    assert "1 related" in finding(related, "Attribution").text


def test_no_article_occurs_twice() -> None:
    double = replace(good_topic(2), related=(entry(1), entry(3), entry(3)))
    after = run(edition(good_topic(1), double))
    assert [[each.article_id for each in made.entries] for made in after.topics] == [[1], [2, 3]]
    assert finding(after, "Duplicates").text == "Repaired: 2 duplicate articles removed."


def test_topic_section_follows_its_best_article() -> None:
    after = run(
        edition(good_topic(1), good_topic(2), good_topic(3)), lead_1=proof(45.0), lead_2=proof(99.0), lead_3=proof(9.0)
    )
    assert [(made.lead.article_id, made.section, made.importance) for made in after.topics] == [
        (2, TOP, pytest.approx(99.0)),
        (1, NOTEWORTHY, pytest.approx(45.0)),
    ]
    told = finding(after, "Sections")
    assert told.was_repaired
    assert "scores too low" in told.text
    assert "sorted by their best article" in told.text


def test_sections_are_cut_to_their_sizes() -> None:
    sizes = RULES[Kind.MIDDAY].sizes
    made = replace(full_edition(Kind.MORNING), kind=Kind.MIDDAY)
    after = run(made)
    assert [len(after.section(name)) for name in SectionName] == [sizes.top, sizes.noteworthy, sizes.also]
    assert finding(after, "Sizes").text == "Repaired: 15 excess topics were removed."
    assert after.section(TOP) == made.section(TOP)[: sizes.top]


@pytest.mark.parametrize("label", ["", "  ", "Topic 1", "TOPIC 1"])
def test_labels_are_unique(label: str) -> None:
    again = replace(good_topic(2), label=label)
    after = run(edition(good_topic(1), again, replace(again, lead=entry(3, title="Article 2"))))
    assert [made.label for made in after.topics] == ["Topic 1", "Article 2", "Article 2 (2)"]
    assert finding(after, "Labels").was_repaired


def test_a_trend_that_is_not_found_again_is_put_right() -> None:
    made = edition(replace(good_topic(1), trend=Trend.EMERGING), good_topic(2))
    after = run(made, lead_1=proof(84.6), lead_2=proof(84.6, Trend.FADING))
    assert [each.trend for each in after.topics] == [None, Trend.FADING]
    assert "has no trend" in finding(after, "Trends").text


@pytest.mark.parametrize(
    ("words", "by", "is_good", "text"),
    [
        pytest.param(50, SummaryBy.EXTRACT, True, "The only summary is between 50 and 75 words.", id="the least"),
        pytest.param(75, SummaryBy.MODEL, True, "The only summary is between 50 and 75 words.", id="the most"),
        pytest.param(
            76, SummaryBy.EXTRACT, False, "Not all are between 50 and 75 words: 1 is longer.", id="one too many"
        ),
        pytest.param(
            12,
            SummaryBy.EXTRACT,
            True,
            "Not all are between 50 and 75 words: 1 is shorter because its text is short.",
            id="a short text",
        ),
        pytest.param(
            0,
            None,
            True,
            "Not all are between 50 and 75 words: 1 is missing because its text has no sentences.",
            id="none",
        ),
    ],
)
def test_reports_summaries_outside_the_limits(words: int, by: SummaryBy | None, is_good: bool, text: str) -> None:
    after = run(edition(replace(topic(1), summary="word " * words, summary_by=by)))
    assert (finding(after, "Summaries").is_good, finding(after, "Summaries").text) == (is_good, text)


def test_explains_an_unverified_top_source() -> None:
    carried = Proof(None, {1: Score(parts(20.0), 2), 3: Score(Parts(30, 100, 100, 100, 100), 5)})
    best = entry(3, title="The best")
    after = run(edition(replace(good_topic(1), related=(best,)), good_topic(2)), lead_1=carried, lead_2=proof(79.0))
    told = finding(after, "Top source")
    assert not told.is_good
    assert "“The best” scored highest" in told.text
    assert "unverified" in told.text
    assert "raised by" in told.text


def test_a_repaired_topic_is_still_checked_against_its_own_articles() -> None:
    """Its best article was removed, so the next best one gives its section; its trend is computed again."""
    topic_ = replace(good_topic(1), lead=entry(1, url=""), related=(entry(2), entry(3)), trend=Trend.EMERGING)
    scores = {1: Score(parts(90.0), 1), 2: Score(parts(45.0), 2), 3: Score(parts(50.0), 2)}
    made = edition(topic_)
    after = check_edition(made, [Proof(None, scores)], n_words, lambda topic: replace(topic, summary_by=None))
    [left] = after.topics
    assert ([each.article_id for each in left.entries], left.section) == ([2, 3], NOTEWORTHY)
    assert (left.importance, left.trend) == (pytest.approx(50.0), None)


def test_a_copy_does_not_decide_the_section() -> None:
    topic_ = replace(good_topic(1, NOTEWORTHY), related=(entry(2, is_copy=True),))
    scores = {1: Score(parts(55.2), 2), 2: Score(parts(90.0), 1)}
    after = check_edition(edition(topic_), [Proof(None, scores)], n_words, lambda topic: topic)
    assert after.topics[0].section is NOTEWORTHY


def test_unchanged_topics_take_no_room() -> None:
    sizes = RULES[Kind.MIDDAY].sizes
    reminders = [replace(good_topic(100 + number), is_unchanged=True) for number in range(3)]
    after = run(edition(*reminders, *map(good_topic, range(1, sizes.top + 1)), kind=Kind.MIDDAY))
    assert (len(after.unchanged), len(after.section(TOP))) == (3, sizes.top)
    assert not finding(after, "Sizes").was_repaired


GOOD = edition(replace(good_topic(1), related=(entry(4),)), good_topic(2, NOTEWORTHY), good_topic(3, ALSO))


def _with_first(**values: object) -> Edition:
    first, *others = GOOD.topics
    return replace(GOOD, topics=(replace(first, **values), *others))  # type: ignore[arg-type]


MUTATED = {
    "Attribution": _with_first(related=(entry(4, source=""),)),
    "Duplicates": _with_first(related=(entry(4), entry(4))),
    "Sections": _with_first(section=NOTEWORTHY),
    "Sizes": replace(GOOD, topics=(*GOOD.topics, *(good_topic(number, ALSO) for number in range(11, 21)))),
    "Labels": _with_first(label="Topic 2"),
    "Trends": _with_first(trend=Trend.FADING),
    "Summaries": _with_first(summary="word " * 200),
    "Top source": _with_first(lead=entry(5)),
}


def test_every_check_has_a_mutation() -> None:
    assert list(MUTATED) == CHECKS


@pytest.mark.parametrize("name", CHECKS)
def test_each_check_finds_what_it_is_for_and_nothing_else(name: str) -> None:
    first = Proof(None, {**{n: Score(parts(84.6), 2) for n in (1, 4)}, 5: Score(parts(84.6), 5)})
    others = [proof(55.2), proof(22.9)]

    def found(made: Edition) -> list[str]:
        known = [first, *others, *[None] * (len(made.topics) - 3)]
        after = check_edition(made, known, n_words, lambda topic: topic)
        return [each.check for each in after.findings if each.was_repaired or not each.is_good]

    assert found(GOOD) == []
    assert found(MUTATED[name]) == [name]
