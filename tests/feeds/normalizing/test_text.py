import pytest
from hypothesis import given
from hypothesis import strategies as st

from feeds.normalizing.text import (
    clean_excerpt,
    clean_title,
    count_words,
    first_line,
    is_partial,
    reading_seconds,
    shorten,
    split_list,
    words,
)
from tests.tables import table

TITLES = {
    "plain": ("A quiet day", "A quiet day"),
    "white_space": ("  A\n\tquiet \u00a0 day\u3000", "A quiet day"),
    "inline_tags": ("A <b>quiet</b> d<i>a</i>y", "A quiet day"),
    "line_break": ("A<br/>quiet<br>day", "A quiet day"),
    "block_tags": ("<p>A quiet</p><p>day</p>", "A quiet day"),
    "tag_with_attributes": ('<a href="https://example.com/?a=1&b=2">A quiet day</a>', "A quiet day"),
    "comment": ("A <!-- very --> quiet day", "A quiet day"),
    "entity": ("AT&amp;T", "AT&T"),
    "entity_twice_encoded": ("AT&amp;amp;T", "AT&T"),
    "bare_ampersand": ("AT&T, Q&A, R&D", "AT&T, Q&A, R&D"),
    "reference_without_semicolon_stays": ("A&copy=1 &notes", "A&copy=1 &notes"),
    "numeric_entities": ("It&#8217;s &#x2014; caf&eacute;", "It’s — café"),
    "numeric_entity_twice_encoded": ("It&amp;#8217;s", "It’s"),
    "markup_twice_encoded": ("A &lt;b&gt;quiet&lt;/b&gt; day", "A quiet day"),
    "break_twice_encoded": ("A quiet&lt;br /&gt;day", "A quiet day"),
    "title_about_a_tag": ("The &lt;video&gt; tag explained", "The <video> tag explained"),
    "less_than": ("Proof that a < b and b > c", "Proof that a < b and b > c"),
    "template_argument": ("C++ <vector> vs <my_list>", "C++ <vector> vs <my_list>"),
    "template_argument_encoded": ("std::vector&lt;int&gt; is fast", "std::vector<int> is fast"),
    "heart": ("I <3 feeds", "I <3 feeds"),
    "script_with_content": ("News<script>alert(1)</script>", "News"),
    "script_alone": ("<script>alert(1)</script>", ""),
    "script_never_closed": ("News <script>alert(1)", "News"),
    "script_twice_encoded": ("News &lt;script&gt;alert(1)&lt;/script&gt;", "News"),
    "cdata_left_over": ("<![CDATA[A quiet day]]>", "A quiet day"),
    "nul_and_controls": ("A\x00 qu\x07iet\u200b day\ufeff", "A quiet day"),
    "lone_surrogate": ("A \ud83dquiet day", "A quiet day"),
    "direction_override": ("A \u202eteiuq\u202c day", "A teiuq day"),
    "emoji_with_joiner_stays": ("Family 👨‍👩‍👧 day", "Family 👨‍👩‍👧 day"),
    "persian_non_joiner_stays": ("می‌خواهم", "می‌خواهم"),
    "chinese": ("  <em>新华社</em>：今日&amp;新闻 ", "新华社：今日&新闻"),
    "japanese": ("今日の<ruby>天気<rt>てんき</rt></ruby>", "今日の 天気 てんき"),
    "thai": ("<b>ข่าว</b>วันนี้", "ข่าววันนี้"),
    "image_only": ('<img src="a.png">', ""),
    "empty": ("", ""),
}  # fmt: skip


@table(("title", "expected"), TITLES.values(), ids=TITLES)
def test_cleans_titles(title: str, expected: str) -> None:
    assert clean_title(title) == expected


def test_a_title_of_a_megabyte_is_cut_at_a_word() -> None:
    title = clean_title("word " * 200_000)
    assert len(title) == 999
    assert title.endswith(" word")


SHORT = {
    "short_enough": ("one two", 7, "one two"),
    "whole_words": ("one two three", 9, "one two"),
    "exactly_at_a_space": ("one two three", 7, "one two"),
    "one_long_word": ("onetwothree", 5, "onetw"),
    "chinese": ("今天天气很好我们去公园", 5, "今天天气很"),
    "japanese": ("今日は天気がいいから散歩", 6, "今日は天気が"),
    "thai_keeps_marks_with_their_letter": ("น้ำที่นี่", 6, "น้ำที่"),
    "thai_never_splits_a_cluster": ("น้ำที่นี่", 5, "น้ำ"),
    "latin_word_in_chinese": ("我们用Python写", 7, "我们用"),
    "emoji_sequence": ("ab👨‍👩‍👧", 4, "ab"),
    "empty": ("", 5, ""),
}  # fmt: skip


@pytest.mark.parametrize(("text", "limit", "expected"), SHORT.values(), ids=SHORT)
def test_shortens_to_whole_words(text: str, limit: int, expected: str) -> None:
    assert shorten(text, limit) == expected


@given(st.text(), st.integers(1, 50))
def test_a_shortened_text_is_a_prefix_that_fits(text: str, limit: int) -> None:
    short = shorten(text, limit)
    assert len(short) <= limit or short == text
    assert text.startswith(short)


def test_first_line_is_cut_to_whole_words() -> None:
    assert first_line("A day.\nMore of it.") == "A day."
    line = first_line("word " * 40)
    assert line == ("word " * 16).strip()
    assert len(first_line("今天天气很好" * 40)) == 80


WORDS = {
    "english": ("The quick, brown FOX.", "en", ["the", "quick", "brown", "fox"]),
    "apostrophe": ("It's Jane’s", "en", ["it's", "jane’s"]),
    "numbers": ("Rust 1.84 in 2026", "en", ["rust", "1", "84", "in", "2026"]),
    "chinese": ("新华社报道。", "zh", ["新华", "华社", "社报", "报道"]),
    "chinese_one_character": ("好!", "zh", ["好"]),
    "chinese_with_english": ("用Python写代码", "zh", ["用", "python", "写代", "代码"]),
    "japanese": ("東京タワー", "ja", ["東京", "京タ", "タワ", "ワー"]),
    "thai": ("ข่าว ดี", "th", ["ข่", "่า", "าว", "ดี"]),
    "lao": ("ລາວ", "lo", ["ລາ", "າວ"]),
    "khmer": ("ខ្មែរ", "km", ["ខ្", "្ម", "មែ", "ែរ"]),
    "korean_has_spaces": ("한국 뉴스", "ko", ["한국", "뉴스"]),
    "han_in_korean_is_a_word": ("大韓民國 뉴스", "ko", ["大韓民國", "뉴스"]),
    "russian": ("Новости дня", "ru", ["новости", "дня"]),
    "unknown_language": ("新闻 news", "", ["新闻", "news"]),
    "underscores_are_no_words": ("a_b __ c", "en", ["a", "b", "c"]),
    "empty": ("", "en", []),
}  # fmt: skip


@pytest.mark.parametrize(("text", "language", "expected"), WORDS.values(), ids=WORDS)
def test_splits_into_words_or_pairs_of_characters(text: str, language: str, expected: list[str]) -> None:
    assert words(text, language) == expected


@given(st.text(st.characters(max_codepoint=127)) | st.text("aZ9' _.\n"))
def test_ascii_is_split_as_other_text(text: str) -> None:
    assert words(text) == words(f"{text} é")[:-1]


COUNTS = {
    "english": ("one two three", (3, 0)),
    "chinese": ("今天天气很好。", (0, 6)),
    "mixed": ("我们用 Python 写 代码", (1, 6)),
    "japanese": ("今日はいい天気です！", (0, 9)),
    "thai_without_marks": ("น้ำดี", (0, 3)),
    "korean": ("오늘 날씨", (2, 0)),
    "empty": ("", (0, 0)),
}


@pytest.mark.parametrize(("text", "expected"), COUNTS.values(), ids=COUNTS)
def test_counts_words_and_characters(text: str, expected: tuple[int, int]) -> None:
    assert count_words(text) == expected


@pytest.mark.parametrize(
    ("n_words", "n_characters", "seconds"),
    [(238, 0, 60), (119, 0, 30), (0, 500, 60), (238, 500, 120), (1, 0, 0), (0, 0, 0)],
)
def test_reading_time_adds_words_and_characters(n_words: int, n_characters: int, seconds: int) -> None:
    assert reading_seconds(n_words, n_characters) == seconds


PARTIAL = {
    "three_dots": "The minister said on Monday that...",
    "ellipsis": "The minister said on Monday that…",
    "bracketed_dots": "The minister said on Monday [...]",
    "bracketed_ellipsis": "The minister said on Monday […]",
    "ellipsis_in_quotes": "“The minister said…”",
    "read_more": "The minister said it on Monday. Read more",
    "read_more_arrow": "The minister said it on Monday.\nRead More »",
    "continue_reading": "The minister said it on Monday.\nContinue reading →",
    "continue_reading_title": "The minister said it.\nContinue reading The minister’s new hat",
    "wordpress_note": "The minister said […]\nThe post The hat appeared first on The Site.",
    "chinese_dots": "部长周一表示……",
    "chinese_phrase": "部长周一表示。阅读全文",
    "traditional_chinese": "部長週一表示。繼續閱讀 »",
    "japanese": "大臣は月曜日に述べた。続きを読む",
    "japanese_brackets": "大臣は月曜日に述べた。【続きを読む】",
    "german": "Der Minister sagte am Montag. Weiterlesen →",
    "french": "Le ministre l’a dit lundi. Lire la suite",
    "spanish": "El ministro lo dijo el lunes. Leer más",
    "spanish_keep": "El ministro lo dijo el lunes. Seguir leyendo",
    "russian": "Министр сказал в понедельник. Читать далее",
    "thai": "รัฐมนตรีกล่าวเมื่อวันจันทร์ อ่านต่อ",
}  # fmt: skip

WHOLE = {
    "full_stop": "The minister said it on Monday.",
    "dots_in_the_middle": "Well... the minister said it.",
    "prose_about_reading": "He likes to read more.",
    "chinese": "部长周一表示。",
    "wordpress_note": "The minister said it.\nThe post The hat appeared first on The Site.",
    "empty": "",
}


@table("text", PARTIAL.values(), ids=PARTIAL)
def test_recognizes_a_partial_article(text: str) -> None:
    assert is_partial(text, 99)
    assert not is_partial(text, 100)


@pytest.mark.parametrize("text", WHOLE.values(), ids=WHOLE)
def test_recognizes_a_full_article(text: str) -> None:
    assert not is_partial(text, 10)


EXCERPTS = {
    "plain": ("Two cranes come down.", "Two cranes come down."),
    "syndication_note": ("Cranes go.\nThe post Cranes appeared first on The Paper.", "Cranes go."),
    "more_on_its_own_line": ("Cranes go.\nContinue Reading", "Cranes go."),
    "more_after_an_ellipsis": ("Two cranes at the ... Read more", "Two cranes at the …"),
    "more_with_title_and_arrow": ("Two cranes … Continue reading Cranes: the end →", "Two cranes …"),
    "more_and_note": ("Two cranes…\nContinue Reading\nThe post Cranes first appeared on The Paper.", "Two cranes…"),
    "german": ("Zwei Kräne […] Weiterlesen", "Zwei Kräne …"),
    "chinese": ("两台起重机……阅读全文", "两台起重机…"),
    "advice_to_read_on": ("It pays to read on", "It pays to read on"),
    "sentence_about_more": ("Cranes go.\nRead more books. They help.", "Cranes go.\nRead more books. They help."),
    "cut_in_brackets": ("Two cranes and the [...]", "Two cranes and the …"),
    "escaped_link": ('In reply to <a href="https://x.example/#c1">Ann</a>.\nYes.', "In reply to Ann.\nYes."),
    "code": ("Use <b>bold</b> and List<T>", "Use <b>bold</b> and List<T>"),
    "address": ("https://paper.example/1", ""),
    "address_in_a_sentence": ("See https://paper.example/1", "See https://paper.example/1"),
    "empty": ("", ""),
}  # fmt: skip


@table(("text", "expected"), EXCERPTS.values(), ids=EXCERPTS)
def test_cleans_excerpts(text: str, expected: str) -> None:
    assert clean_excerpt(text) == expected


def test_splits_lists_at_the_commas_of_several_scripts() -> None:
    assert split_list("chess, 疫苗、日内瓦，;；\n Geneva ") == ["chess", "疫苗", "日内瓦", "Geneva"]
