"""The self-check names what raised an unverified source to the top, and is silent otherwise."""

import pytest

from reader.scoring.importance import Parts
from reader.scoring.self_check import Scored, check_top

ORDINARY = Parts(authority=80, recency=50, corroboration=25, relevance=50, depth=50)
CARRIED = Parts(authority=30, recency=50, corroboration=100, relevance=90, depth=50)  # 7.5 + 10 + 20 + 18 + 7.5
STRONG = Parts(authority=95, recency=100, corroboration=100, relevance=100, depth=100)


def scored(number: int, tier: int, parts: Parts, title: str = "Harbour closed") -> Scored:
    return Scored(article_id=number, title=title, tier=tier, parts=parts)


@pytest.mark.parametrize(
    "articles",
    [
        pytest.param([], id="nothing scored"),
        pytest.param([scored(1, 1, ORDINARY)], id="one of a good source"),
        pytest.param([scored(1, 5, CARRIED), scored(2, 1, STRONG)], id="a T5 source comes second"),
        pytest.param([scored(1, 4, CARRIED), scored(2, 2, ORDINARY)], id="T4 is on top"),
        pytest.param([scored(1, 5, CARRIED), scored(2, 3, CARRIED)], id="of equal scores the better tier is on top"),
    ],
)
def test_is_silent_when_no_unverified_source_is_on_top(articles: list[Scored]) -> None:
    assert check_top(articles) is None


def test_names_strongest_parts_first() -> None:
    findings = check_top([scored(1, 2, ORDINARY), scored(7, 5, CARRIED), scored(3, 1, ORDINARY)])
    assert findings is not None
    assert (findings.top.article_id, findings.n_others) == (7, 2)
    assert [carrier.name for carrier in findings.drivers] == ["corroboration", "relevance"]
    assert [carrier.points for carrier in findings.drivers] == pytest.approx([20, 18])
    assert [carrier.above for carrier in findings.drivers] == pytest.approx([15, 8])
    assert findings.sentence == (
        "“Harbour closed” scored highest (63) though its source is unverified: raised by "
        "corroboration (20.0 points, 15.0 above the others) and relevance (18.0 points, 8.0 above the others)."
    )


def test_one_strong_rival_does_not_hide_the_reason() -> None:
    rival = Parts(authority=0, recency=0, corroboration=100, relevance=100, depth=100)
    findings = check_top([scored(1, 5, CARRIED), scored(2, 2, rival), scored(3, 2, ORDINARY), scored(4, 2, ORDINARY)])
    assert findings is not None
    assert [carrier.name for carrier in findings.drivers] == ["corroboration", "relevance"]


def test_reports_when_no_part_stands_out() -> None:
    top = Parts(authority=30, recency=60, corroboration=60, relevance=60, depth=60)
    others = [
        Parts(authority=30, recency=60, corroboration=60, relevance=60, depth=59),
        Parts(authority=30, recency=60, corroboration=59, relevance=60, depth=60),
    ]
    findings = check_top([scored(1, 5, top), *(scored(9, 5, parts) for parts in others)])
    assert findings is not None
    assert findings.drivers == ()
    assert findings.sentence == (
        "“Harbour closed” scored highest (52) though its source is unverified: "
        "no part stands out; most points came from recency (12.0)."
    )


def test_reports_when_there_is_nothing_to_compare() -> None:
    findings = check_top([scored(1, 5, CARRIED)])
    assert findings is not None
    assert findings.sentence == (
        "“Harbour closed” scored highest (63) though its source is unverified: nothing else was scored."
    )


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        pytest.param("Word " * 30 + "end", "“" + "Word " * 15 + "Word…”", id="cut between words"),
        pytest.param("港口" * 100, "“" + "港口" * 40 + "…”", id="cut between characters"),
    ],
)
def test_shortens_long_titles(title: str, shown: str) -> None:
    findings = check_top([scored(1, 5, CARRIED, title)])
    assert findings is not None
    assert findings.sentence.startswith(f"{shown} scored highest")
