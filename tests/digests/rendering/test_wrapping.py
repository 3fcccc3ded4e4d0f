"""Lines as wide as a terminal shows them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from digests.rendering.wrapping import shortened, width, wrapped


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", 0),
        ("abc", 3),
        ("日本", 4),
        ("ｱ", 1),
        ("Ａ", 2),
        ("é", 1),
        ("e\u0301", 1),
        ("น้ำ", 2),
        ("\u2068הארץ\u2069", 4),
        ("한국", 4),
        ("😀", 2),
        ("…–“", 3),
    ],
)
def test_width_is_counted_in_columns(text: str, expected: int) -> None:
    assert width(text) == expected


@pytest.mark.parametrize(
    ("text", "columns", "expected"),
    [
        pytest.param("", 10, [], id="nothing"),
        pytest.param("one two three", 20, ["one two three"], id="it fits"),
        pytest.param("one two three", 13, ["one two three"], id="it just fits"),
        pytest.param("one two three", 12, ["one two", "three"], id="at a space"),
        pytest.param("日銀は金利を据え置いた", 10, ["日銀は金利", "を据え置い", "た"], id="between characters"),
        pytest.param("日銀は金利、据え置き", 10, ["日銀は金", "利、据え置", "き"], id="not before a comma"),
        pytest.param("日銀の声（金利）は", 10, ["日銀の声", "（金利）は"], id="not after a parenthesis"),
        pytest.param("반도체 수출 증가", 12, ["반도체 수출", "증가"], id="Korean at spaces"),
        pytest.param("กรมอุตุฯ เตือน", 8, ["กรมอุตุฯ", "เตือน"], id="Thai, marks take no room"),
        pytest.param("NHKニュース放送", 8, ["NHK", "ニュース", "放送"], id="not before small and long marks"),
        pytest.param("abcdefghij", 4, ["abcd", "efgh", "ij"], id="a word longer than a line"),
        pytest.param(
            "See https://a.example/long/path now", 10, ["See", "https://a.example/long/path", "now"], id="an address"
        ),
        pytest.param("cafe\u0301 au lait", 7, ["cafe\u0301 au", "lait"], id="a combining accent"),
    ],
)
def test_text_is_wrapped(text: str, columns: int, expected: list[str]) -> None:
    assert wrapped(text, columns) == expected


TEXTS = st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "Zs", "Mn", "So")), max_size=200)


@given(TEXTS, st.integers(min_value=4, max_value=80))
def test_wrapping_loses_nothing_and_keeps_within_columns(text: str, columns: int) -> None:
    lines = wrapped(text, columns)
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert all(line == line.strip() for line in lines)
    assert all(width(line) <= columns or line.lower().startswith("http") for line in lines)


@pytest.mark.parametrize(
    ("text", "columns", "expected"),
    [
        pytest.param("short", 5, "short", id="it fits"),
        pytest.param("one two three", 9, "one two…", id="between words"),
        pytest.param("one, two", 6, "one…", id="no comma before the ellipsis"),
        pytest.param("日本日本", 6, "日本…", id="wide"),
        pytest.param("abcdefgh", 4, "abc…", id="within a word"),
        pytest.param("https://a.example/long", 10, "…", id="no part of an address"),
    ],
)
def test_a_text_is_shortened(text: str, columns: int, expected: str) -> None:
    assert shortened(text, columns) == expected
    assert width(expected) <= columns
