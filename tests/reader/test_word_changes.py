"""Word-level differences as they are read: `[-out-]`, `[+in+]`, `…n…` for what is not shown."""

import pytest

from reader.word_changes import MOST_WORDS, Kind, Piece, word_changes

LONG = " ".join(f"w{n}" for n in range(50))


def told(before: str, after: str) -> str:
    marks = {Kind.KEPT: ("", ""), Kind.REMOVED: ("[-", "-]"), Kind.ADDED: ("[+", "+]")}
    return "".join(
        f"…{each.n_words}… " if each.kind == Kind.GAP else each.text.join(marks[each.kind])
        for each in word_changes(before, after).pieces
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
def test_tells_what_was_taken_out_and_put_in(before: str, after: str, expected: str) -> None:
    assert told(before, after) == expected


def test_leaves_out_what_is_far_from_a_change() -> None:
    after = LONG.replace("w40 ", "new ")
    around = " ".join(f"w{n}" for n in range(28, 40))
    assert told(LONG, after) == f"…28… {around} [-w40 -][+new +]{' '.join(f'w{n}' for n in range(41, 50))}"


def test_counts_words_and_not_marks() -> None:
    changes = word_changes("Yes, it is.", "Yes! It was, then, late.")
    assert (changes.n_removed, changes.n_added, changes.are_none) == (2, 4, False)
    assert word_changes("Same", "Same ").are_none


def test_a_text_beyond_the_bound_is_compared_as_far_as_it_goes() -> None:
    text = " ".join(f"w{n}" for n in range(MOST_WORDS))
    changes = word_changes(text, f"First {text}")
    assert changes.is_cut
    assert changes.pieces[0] == Piece(Kind.ADDED, "First ", 1)
    assert not word_changes("w " * (MOST_WORDS // 2), "w").is_cut


def test_words_that_repeat_without_end_are_taken_out_and_put_in_whole() -> None:
    assert [each.kind for each in word_changes("a b " * 1000, "b a " * 1000).pieces] == [Kind.REMOVED, Kind.ADDED]


def test_what_is_kept_and_put_in_is_the_new_text() -> None:
    before, after = "One two three four five six", "One too three four fife six seven"
    pieces = word_changes(before, after).pieces
    assert "".join(each.text for each in pieces if each.kind != Kind.REMOVED) == after
