"""One sentence of evidence for each part of a score."""

import pytest

from feeds.wording import join_list
from reader.scoring.depth import DepthFeatures
from reader.scoring.explanation_text import (
    authority_sentence,
    corroboration_sentence,
    depth_sentence,
    recency_sentence,
    relevance_sentence,
    summary_sentence,
)
from reader.scoring.importance import DEFAULT_RECENCY_RATE, WEIGHTS


@pytest.mark.parametrize(
    ("name", "tier", "health", "is_feed_tier", "sentence"),
    [
        pytest.param(
            "BBC News",
            2,
            0.97,
            False,
            "BBC News is a major established outlet (80 points); 97% of its polls in 30 days succeeded.",
            id="a known source",
        ),
        pytest.param(
            "Reuters",
            1,
            1.0,
            False,
            "Reuters is a wire service or official source (95 points); all of its polls in 30 days succeeded.",
            id="all polls",
        ),
        pytest.param(
            "人民日报",
            3,
            0.0,
            True,
            "人民日报 is a respected niche or industry source (65 points, set for this feed); "
            "none of its polls in 30 days succeeded.",
            id="a tier of the feed, no polls",
        ),
        pytest.param(
            None,
            5,
            0.999,
            False,
            "The source is an unverified source (30 points); 99% of its polls in 30 days succeeded.",
            id="unknown source, nearly all",
        ),
        pytest.param(
            "",
            4,
            0.001,
            False,
            "The source is a community or expert blog (50 points); under 1% of its polls in 30 days succeeded.",
            id="no name, hardly any",
        ),
        pytest.param(
            "A",
            4,
            0.29,
            False,
            "A is a community or expert blog (50 points); 29% of its polls in 30 days succeeded.",
            id="a share that binary fractions miss",
        ),
    ],
)
def test_describes_authority(name: str | None, tier: int, health: float, is_feed_tier: bool, sentence: str) -> None:
    assert authority_sentence(name, tier, health, is_feed_tier) == sentence


@pytest.mark.parametrize(
    ("age", "rate", "is_uncertain", "sentence"),
    [
        pytest.param(
            6, DEFAULT_RECENCY_RATE, False, "Published 6 hours ago; recency halves every 23 hours.", id="hours"
        ),
        pytest.param(0, DEFAULT_RECENCY_RATE, False, "Published just now; recency halves every 23 hours.", id="now"),
        pytest.param(
            -2,
            DEFAULT_RECENCY_RATE,
            False,
            "Dated in the future, so it counts as new; recency halves every 23 hours.",
            id="ahead",
        ),
        pytest.param(1 / 60, 0.05, False, "Published 1 minute ago; recency halves every 14 hours.", id="a minute"),
        pytest.param(0.5, 0.05, False, "Published 30 minutes ago; recency halves every 14 hours.", id="minutes"),
        pytest.param(0.995, 0.05, False, "Published 1 hour ago; recency halves every 14 hours.", id="nearly an hour"),
        pytest.param(47.4, 0.01, False, "Published 47 hours ago; recency halves every 3 days.", id="weekly reader"),
        pytest.param(47.6, 0.01, False, "Published 2 days ago; recency halves every 3 days.", id="two days"),
        pytest.param(24_000, 0, False, "Published 1,000 days ago; recency never decreases.", id="a rate of nothing"),
        pytest.param(
            6,
            DEFAULT_RECENCY_RATE,
            True,
            "Published 6 hours ago; recency halves every 23 hours. The date is uncertain, which costs 20%.",
            id="uncertain",
        ),
    ],
)
def test_describes_recency(age: float, rate: float, is_uncertain: bool, sentence: str) -> None:
    assert recency_sentence(age, rate, is_uncertain) == sentence


@pytest.mark.parametrize(
    ("n_publishers", "n_tiers", "sentence"),
    [
        pytest.param(0, 0, "No publisher reports this story.", id="none"),
        pytest.param(1, 1, "Only one publisher reports this story.", id="one"),
        pytest.param(2, 2, "2 publishers report this story.", id="two"),
        pytest.param(3, 3, "3 publishers report this story, from 3 tiers, which adds 10 points.", id="diverse"),
        pytest.param(4, 1, "4 publishers report this story; 4 are enough for all 100 points.", id="enough"),
        pytest.param(12, 5, "12 publishers report this story; 4 are enough for all 100 points.", id="more than enough"),
    ],
)
def test_describes_corroboration(n_publishers: int, n_tiers: int, sentence: str) -> None:
    assert corroboration_sentence(n_publishers, n_tiers) == sentence


@pytest.mark.parametrize(
    ("relevance", "terms", "is_learned", "sentence"),
    [
        pytest.param(
            None, (), False, "We don't know your interests yet, so this is neutral: 50 of 100.", id="no profile"
        ),
        pytest.param(0.0, (), False, "0 of 100 based on your interests.", id="nothing shared"),
        pytest.param(72.4, ("rust",), False, "72 of 100 based on your interests: rust.", id="one term"),
        pytest.param(
            72.4, ("rust", "ワクチン"), False, "72 of 100 based on your interests: rust and ワクチン.", id="two"
        ),
        pytest.param(91, (), True, "91 of 100 based on what you opened and skipped.", id="learned"),
    ],
)
def test_describes_relevance(relevance: float | None, terms: tuple[str, ...], is_learned: bool, sentence: str) -> None:
    assert relevance_sentence(relevance, terms, is_learned=is_learned) == sentence


def facts(
    n_words: int = 300, n_figures: int = 0, table: bool = False, items: int = 0, sites: int = 0, partial: bool = False
) -> DepthFeatures:
    return DepthFeatures(n_words, n_figures, table, items, sites, partial)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        pytest.param(
            facts(1240, 2, table=True, sites=3),
            "1,240 words with figures, a table and links to 3 other sites.",
            id="figures, table, links",
        ),
        pytest.param(facts(1, items=5), "1 word with a list of 5 items.", id="one word and a list"),
        pytest.param(facts(900, sites=1), "900 words with links to 1 other site.", id="one site"),
        pytest.param(facts(900, 1, items=2), "900 words with figures.", id="a list too short to count"),
        pytest.param(facts(80), "80 words, without figures, tables, lists or links to other sites.", id="plain words"),
        pytest.param(
            facts(0), "No words, without figures, tables, lists or links to other sites.", id="nothing at all"
        ),
        pytest.param(
            facts(90, 4, sites=2, partial=True), "The feed only includes the beginning, so at most 40.", id="partial"
        ),
    ],
)
def test_describes_depth(given: DepthFeatures, sentence: str) -> None:
    assert depth_sentence(given) == sentence


@pytest.mark.parametrize(
    ("strength", "points", "n_publishers", "terms", "sentence"),
    [
        pytest.param(
            3,
            (95, 60, 85, 90, 60),
            3,
            ["ports", "ferries"],
            "High importance: its source is well established and it matches your interest in ports and ferries.",
            id="high",
        ),
        pytest.param(
            3,
            (60, 50, 100, 90, 40),
            4,
            [],
            "High importance: 4 publishers report it and it is like what you read.",
            id="high, without names of interests",
        ),
        pytest.param(
            2,
            (80, 10, 50, 50, 50),
            2,
            [],
            "Medium importance: its source is well established, but it isn't new.",
            id="for and against",
        ),
        pytest.param(2, (50, 50, 50, 50, 70), 2, [], "Medium importance: it goes into detail.", id="only for"),
        pytest.param(
            1, (40, 5, 25, 50, 40), 1, [], "Low importance: it isn't new and only one publisher reports it.", id="low"
        ),
    ],
)
def test_sums_up_what_decided(
    strength: int, points: tuple[float, ...], n_publishers: int, terms: list[str], sentence: str
) -> None:
    assert summary_sentence(strength, dict(zip(WEIGHTS, points, strict=True)), n_publishers, terms) == sentence


@pytest.mark.parametrize(
    ("parts", "told"),
    [((), ""), (("one",), "one"), (("one", "two"), "one and two"), (("one", "two", "three"), "one, two and three")],
)
def test_joins_lists_with_and(parts: tuple[str, ...], told: str) -> None:
    assert join_list(parts) == told
