"""What was in the last digest comes again only when it moved, and says how."""

from datetime import timedelta
from typing import Any

import pytest

from digests.edition import SectionName
from digests.material import Candidate
from digests.repeats import Shown, ShownTopic, moved
from tests.digests.candidates import candidate
from tests.digests.editions import MADE_AT

LATER = MADE_AT + timedelta(hours=3)


def shown(**values: Any) -> Shown:
    """A last digest that noted articles 1 and 2 of story 7, told by Paper and Gazette."""
    told = {
        "section": SectionName.NOTEWORTHY,
        "articles": frozenset({1, 2}),
        "stories": frozenset({7}),
        "sources": frozenset({"Paper", "Gazette"}),
        **values,
    }
    return Shown("the morning brief", MADE_AT, (ShownTopic(**told),))


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
            "Again since the morning brief: updated by its publisher.",
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
            "Again since the morning brief: now also told by Reuters.",
            id="a new source",
        ),
        pytest.param(
            [candidate(number, story_id=7, source=f"S{number}") for number in range(11, 17)],
            SectionName.NOTEWORTHY,
            "Again since the morning brief: now also told by S11, S12, S13 and 3 others.",
            id="many new sources",
        ),
        pytest.param(
            [candidate(1)],
            SectionName.TOP,
            "Again since the morning brief: risen from noteworthy.",
            id="a higher section",
        ),
        pytest.param(
            [candidate(1, revised_at=LATER), candidate(9, source="Reuters")],
            SectionName.TOP,
            "Again since the morning brief: updated by its publisher, now also told by Reuters and risen from"
            " noteworthy.",
            id="all at once",
        ),
        pytest.param(
            [candidate(1), candidate(9)],
            SectionName.NOTEWORTHY,
            "Again since the morning brief: one new article.",
            id="an article of its own beside a known one",
        ),
        pytest.param(
            [candidate(1), candidate(9), candidate(10)],
            SectionName.NOTEWORTHY,
            "Again since the morning brief: 2 new articles.",
            id="two articles of its own",
        ),
    ],
)
def test_says_why_it_is_here_again(members: list[Candidate], section: SectionName, sentence: str | None) -> None:
    assert moved(members, section, shown()) == sentence


def test_without_a_last_digest_everything_is_new() -> None:
    assert moved([candidate(1)], SectionName.TOP, Shown()) == ""


def test_of_several_shown_topics_the_highest_counts() -> None:
    low = ShownTopic(SectionName.ALSO, frozenset({1}), frozenset(), frozenset({"Paper"}))
    high = ShownTopic(SectionName.TOP, frozenset({2}), frozenset(), frozenset({"Paper"}))
    both = Shown("the morning brief", MADE_AT, (low, high))
    assert moved([candidate(1), candidate(2)], SectionName.TOP, both) is None
    assert moved([candidate(1)], SectionName.TOP, both) == "Again since the morning brief: risen from also mentioned."
