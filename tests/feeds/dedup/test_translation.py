"""Chinese words in English: the longest word counts, and words with many meanings count no more than others."""

import pytest

from feeds.dedup.translation import english_terms


@pytest.mark.parametrize(
    ("chinese", "english"),
    [
        pytest.param("英伟达", "nvidia", id="company"),
        pytest.param("特朗普", "trump", id="person, without years and office"),
        pytest.param("死刑", "penalty", id="word"),
        pytest.param("Reuters", "reuters", id="Latin letters"),
        pytest.param("41.5", "41.5", id="number"),
    ],
)
def test_translates(chinese: str, english: str) -> None:
    assert english in english_terms([(chinese, 1.0)])


def test_two_entries_of_a_word_count_together() -> None:
    assert english_terms([("中巴", 1.0)]).keys() == {"china", "pakistan", "bahamas", "minibus"}


def test_the_longest_word_counts() -> None:
    assert "north" not in english_terms([("北京", 1.0)])


def test_is_a_unit_vector_in_which_titles_weigh_more() -> None:
    terms = english_terms([("英伟达", 2.0), ("黄金", 1.0)])
    assert sum(value**2 for value in terms.values()) == pytest.approx(1.0)
    assert terms["nvidia"] > terms["gold"]


@pytest.mark.parametrize("text", ["", "的了", "。！", "斯塔默", "北", "北\n", "北\t"])
def test_nothing_known_gives_nothing(text: str) -> None:
    assert english_terms([(text, 1.0)]) == {}
