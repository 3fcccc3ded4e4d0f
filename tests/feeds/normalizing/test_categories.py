"""Categories: case, duplicates, synonyms."""

import pytest

from feeds.normalizing.entry import clean_categories

SYNONYMS = {"tech": "Technology", "科技": "Technology"}


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        pytest.param((), (), id="none"),
        pytest.param(("", "  "), (), id="empty"),
        pytest.param(("TECHNOLOGY",), ("Technology",), id="shouted"),
        pytest.param(("science",), ("Science",), id="whispered"),
        pytest.param(("AI", "NASA", "iOS", "New York"), ("AI", "NASA", "iOS", "New York"), id="acronyms-and-names"),
        pytest.param(("Science", "SCIENCE", "science"), ("Science",), id="once"),
        pytest.param(("tech", "Tech", "科技", "Technology"), ("Technology",), id="synonyms"),
        pytest.param(("  climate \n change ",), ("Climate change",), id="white-space"),
        pytest.param(("國際", "日本"), ("國際", "日本"), id="chinese"),
        pytest.param(("x" * 200,), ("X" + "x" * 99,), id="long"),
    ],
)
def test_categories(raw: tuple[str, ...], expected: tuple[str, ...]) -> None:
    assert clean_categories(raw, SYNONYMS) == expected


def test_limits_categories_to_forty() -> None:
    assert len(clean_categories(tuple(f"Category {n}" for n in range(100)), {})) == 40
