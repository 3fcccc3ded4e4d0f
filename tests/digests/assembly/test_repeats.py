"""A topic of the last digest is repeated only if it changed, with an explanation."""

from datetime import timedelta
from typing import Any

import pytest

from digests.assembly.repeats import EarlierDigest, EarlierTopic, repeat_reason
from digests.edition.candidates import Candidate
from digests.edition.document import SectionName
from tests.digests.candidates import candidate
from tests.digests.editions import MADE_AT

LATER = MADE_AT + timedelta(hours=3)


def shown(**values: Any) -> EarlierDigest:
    """A last digest that noted articles 1 and 2 of story 7, told by Paper and Gazette."""
    told = {
        "section": SectionName.NOTEWORTHY,
        "articles": frozenset({1, 2}),
        "stories": frozenset({7}),
        "sources": frozenset({"Paper", "Gazette"}),
        **values,
    }
    return EarlierDigest("the morning brief", MADE_AT, (EarlierTopic(**told),))


@pytest.mark.parametrize(
    ("members", "section", "sentence"),
    [
        pytest.param([candidate(9)], SectionName.TOP, "", id="never shown: it is new"),
        pytest.param([candidate(1)], SectionName.NOTEWORTHY, None, id="the same article"),
        pytest.param([candidate(1), candidate(2)], SectionName.NOTEWORTHY, None, id="the same articles"),
        pytest.param([candidate(1)], SectionName.ALSO, None, id="the same article, sunk"),
        pytest.param([candidate(9, story_id=7)], SectionName.NOTEWORTHY, None, id="same story, same source"),
        pytest.param(
            [candidate(1, revised_at=LATER)],
            SectionName.NOTEWORTHY,
            "Changed since the morning brief: updated by its publisher.",
            id="revised since",
        ),
        pytest.param(
            [candidate(1, revised_at=MADE_AT - timedelta(hours=1))],
            SectionName.NOTEWORTHY,
            None,
            id="revised before it was shown",
        ),
        pytest.param(
            [candidate(1), candidate(9, story_id=7, source="Reuters")],
            SectionName.NOTEWORTHY,
            "Changed since the morning brief: now also covered by Reuters.",
            id="a new source",
        ),
        pytest.param(
            [candidate(number, story_id=7, source=f"S{number}") for number in range(11, 17)],
            SectionName.NOTEWORTHY,
            "Changed since the morning brief: now also covered by S11, S12, S13 and 3 others.",
            id="many new sources",
        ),
        pytest.param(
            [candidate(1)],
            SectionName.TOP,
            "Changed since the morning brief: up from “Noteworthy”.",
            id="a higher section",
        ),
        pytest.param(
            [candidate(1, revised_at=LATER), candidate(9, source="Reuters")],
            SectionName.TOP,
            "Changed since the morning brief: updated by its publisher, now also covered by Reuters and up from"
            " “Noteworthy”.",
            id="all at once",
        ),
        pytest.param(
            [candidate(1), candidate(9)],
            SectionName.NOTEWORTHY,
            "Changed since the morning brief: one new article.",
            id="an article of its own beside a known one",
        ),
        pytest.param(
            [candidate(1), candidate(9), candidate(10)],
            SectionName.NOTEWORTHY,
            "Changed since the morning brief: 2 new articles.",
            id="two articles of its own",
        ),
    ],
)
def test_explains_a_repeated_topic(members: list[Candidate], section: SectionName, sentence: str | None) -> None:
    assert repeat_reason(members, section, shown()) == sentence


def test_without_a_last_digest_everything_is_new() -> None:
    assert repeat_reason([candidate(1)], SectionName.TOP, EarlierDigest()) == ""


def test_of_several_shown_topics_the_highest_counts() -> None:
    low = EarlierTopic(SectionName.ALSO, frozenset({1}), frozenset(), frozenset({"Paper"}))
    high = EarlierTopic(SectionName.TOP, frozenset({2}), frozenset(), frozenset({"Paper"}))
    both = EarlierDigest("the morning brief", MADE_AT, (low, high))
    assert repeat_reason([candidate(1), candidate(2)], SectionName.TOP, both) is None
    assert (
        repeat_reason([candidate(1)], SectionName.TOP, both)
        == "Changed since the morning brief: up from “Also mentioned”."
    )
