"""Categories: normal case, each once, synonyms mapped."""

import pytest

from feeds.normalizing.categories import categories_of

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
    assert categories_of(raw, SYNONYMS) == expected


def test_no_entry_has_more_than_forty() -> None:
    assert len(categories_of(tuple(f"Category {n}" for n in range(100)), {})) == 40
