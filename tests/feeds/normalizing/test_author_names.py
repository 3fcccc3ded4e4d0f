from hypothesis import given
from hypothesis import strategies as st

from feeds.normalizing.author_names import MAX_NAME, clean_author
from tests.tables import table

NAMES = {
    "name": ("Jane Doe", "Jane Doe"),
    "rss_form": ("jane@example.com (Jane Doe)", "Jane Doe"),
    "mail_form": ("Jane Doe <jane@example.com>", "Jane Doe"),
    "mail_form_escaped": ("Jane Doe &lt;jane@example.com&gt;", "Jane Doe"),
    "address_in_brackets": ("Jane Doe (jane@example.com)", "Jane Doe"),
    "address_behind": ("Jane Doe jane@example.com", "Jane Doe"),
    "mailto": ("Jane Doe <mailto:jane@example.com>", "Jane Doe"),
    "address_alone": ("jane@example.com", ""),
    "address_without_dot": ("jane@localhost (Jane Doe)", "Jane Doe"),
    "two_in_rss_form": ("jane@example.com (Jane Doe), john@example.com (John Roe)", "Jane Doe, John Roe"),
    "list": ("Jane Doe, John Roe and Ann Poe", "Jane Doe, John Roe and Ann Poe"),
    "role_in_brackets_stays": ("Jane Doe (Editor) jane@example.com", "Jane Doe (Editor)"),
    "all_in_brackets": ("(Jane Doe)", "Jane Doe"),
    "word_in_place_of_an_address": ("hidden (Jane Doe)", "Jane Doe"),
    "commas_without_spaces": ("Jane Doe ,John Roe,Ann Poe", "Jane Doe, John Roe, Ann Poe"),
    "byline": ("By Jane Doe", "Jane Doe"),
    "byline_upper_case": ("BY JANE DOE", "JANE DOE"),
    "byline_posted": ("Posted by: Jane Doe", "Jane Doe"),
    "byline_with_colon": ("Autor: Juan Pérez", "Juan Pérez"),
    "byline_chinese": ("作者：王小明", "王小明"),
    "byline_japanese": ("文／山田太郎", "山田太郎"),
    "byline_before_chinese": ("By 王小明", "王小明"),
    "by_as_a_word_stays": ("by proxy", "by proxy"),
    "von_begins_a_name": ("Von Trapp", "Von Trapp"),
    "di_begins_a_name": ("Di Stéfano", "Di Stéfano"),
    "par_is_a_name": ("Par Östlund", "Par Östlund"),
    "link": ('<a href="https://example.com/jane">Jane Doe</a>', "Jane Doe"),
    "entity": ("Jane O&#39;Neil", "Jane O'Neil"),
    "apostrophe_and_hyphen": ("Dr. Jane O’Neil-Smith", "Dr. Jane O’Neil-Smith"),
    "white_space": ("  Jane\n\tDoe ", "Jane Doe"),
    "loose_separators": (" , Jane Doe |", "Jane Doe"),
    "japanese": ("山田 太郎", "山田 太郎"),
    "thai": ("สมชาย ใจดี", "สมชาย ใจดี"),
    "nobody": ("admin", ""),
    "url": ("https://example.com/", ""),
    "nul": ("Jane\x00 Doe", "Jane Doe"),
    "empty": ("", ""),
}  # fmt: skip


@table(("raw", "expected"), NAMES.values(), ids=NAMES)
def test_extracts_the_name(raw: str, expected: str) -> None:
    assert clean_author(raw) == expected


def test_cuts_a_long_list_after_a_whole_name() -> None:
    crowd = clean_author("Jane Doe, " * 100)
    assert len(crowd) <= MAX_NAME
    assert crowd.endswith(("Jane", "Doe,"))


@given(st.text() | st.text(alphabet="ab@.<>()[], \x00"))
def test_never_keeps_an_address_or_line_break(raw: str) -> None:
    name = clean_author(raw)
    assert "\n" not in name
    assert "\x00" not in name
    assert "a@b.a" not in name
