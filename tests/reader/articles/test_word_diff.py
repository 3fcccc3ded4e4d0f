"""Word diffs as displayed: `[-removed-]`, `[+added+]`, `…n…` for hidden words."""

import pytest

from reader.articles.word_diff import MAX_WORDS, Kind, Piece, word_diff

LONG = " ".join(f"w{n}" for n in range(50))


def diff_text(before: str, after: str) -> str:
    marks = {Kind.KEPT: ("", ""), Kind.REMOVED: ("[-", "-]"), Kind.ADDED: ("[+", "+]")}
    return "".join(
        f"…{piece.n_words}… " if piece.kind == Kind.GAP else piece.text.join(marks[piece.kind])
        for piece in word_diff(before, after).pieces
    )


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param("", "", "", id="nothing"),
        pytest.param("", "One two", "[+One two+]", id="all is new"),
        pytest.param("One two", "", "[-One two-]", id="all is gone"),
        pytest.param("The cat sat.", "The cat sat.", "The cat sat.", id="the same"),
        pytest.param("One  two", "One two\n", "One  two", id="white space is no change"),
        pytest.param("The cat sat on it.", "The dog sat on it.", "The [-cat -][+dog +]sat on it.", id="a word"),
        pytest.param("We saw 1,200 dead", "We saw 1,250 dead", "We saw [-1,200 -][+1,250 +]dead", id="a number"),
        pytest.param("It isn't so", "It isn’t so", "It [-isn't -][+isn’t +]so", id="an apostrophe is of its word"),
        pytest.param("a big cat ran", "one big dog ran", "[-a big cat -][+one big dog +]ran", id="no shreds between"),
        pytest.param("三人死亡。", "五人死亡。", "[-三-][+五+]人死亡。", id="Chinese by character"),
        pytest.param("東京で地震 M5", "大阪で地震 M5", "[-東京-][+大阪+]で地震 M5", id="Japanese beside Latin"),
        pytest.param("Привет мир сей", "Привет мой сей", "Привет [-мир -][+мой +]сей", id="Cyrillic"),
        pytest.param("a b\n\nc d", "a b\n\nnew one\n\nc d", "a b\n\n[+new one\n\n+]c d", id="a paragraph put in"),
        pytest.param("a b\n\nold one\n\nc d", "a b\n\nc d", "a b\n\n[-old one\n\n-]c d", id="a paragraph taken out"),
        pytest.param("One two now", "One two", "One two [-now-]", id="the last word is gone"),
        pytest.param("a\n\nb c", "a", "a[-\n\nb c-]", id="the last paragraph is gone"),
        pytest.param("<b>x</b> y z", "<i>x</i> y z", "<[-b>x</b-][+i>x</i+]> y z", id="markup is text"),
    ],
)  # fmt: skip
def test_shows_removed_and_added_words(before: str, after: str, expected: str) -> None:
    assert diff_text(before, after) == expected


def test_hides_words_far_from_a_change() -> None:
    after = LONG.replace("w40 ", "new ")
    around = " ".join(f"w{n}" for n in range(28, 40))
    assert diff_text(LONG, after) == f"…28… {around} [-w40 -][+new +]{' '.join(f'w{n}' for n in range(41, 50))}"


def test_counts_words_without_punctuation() -> None:
    diff = word_diff("Yes, it is.", "Yes! It was, then, late.")
    assert (diff.n_removed, diff.n_added, diff.is_empty) == (2, 4, False)
    assert word_diff("Same", "Same ").is_empty


def test_compares_only_the_beginning_of_long_texts() -> None:
    text = " ".join(f"w{n}" for n in range(MAX_WORDS))
    diff = word_diff(text, f"First {text}")
    assert diff.is_cut
    assert diff.pieces[0] == Piece(Kind.ADDED, "First ", 1)
    assert not word_diff("w " * (MAX_WORDS // 2), "w").is_cut


def test_finds_one_change_among_repeated_words() -> None:
    kinds = [piece.kind for piece in word_diff("a b " * 1000, "b a " * 1000).pieces]
    assert kinds == [Kind.ADDED, Kind.KEPT, Kind.GAP, Kind.KEPT, Kind.REMOVED]


def test_shows_changed_punctuation() -> None:
    diff = word_diff("Let's eat, Grandma", "Let's eat Grandma")
    assert (diff.is_empty, diff.n_added, diff.n_removed) == (False, 0, 0)
    assert diff_text("Let's eat, Grandma", "Let's eat Grandma") == "Let's eat [-, -]Grandma"


def test_unchanged_and_added_words_make_up_the_new_text() -> None:
    before, after = "One two three four five six", "One too three four fife six seven"
    pieces = word_diff(before, after).pieces
    assert "".join(piece.text for piece in pieces if piece.kind != Kind.REMOVED) == after
