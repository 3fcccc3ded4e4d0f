"""Summaries of articles of our own, exactly; and what holds for any text whatever."""

import re
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from digests.edition.kinds import Words
from digests.summaries import count, one_line, summarize
from digests.summaries.sentences import sentences
from tests.digests.summary_files import FILES, SummaryFile
from tests.tables import table

MORNING = Words(50, 75)
SUMMARIES = [
    pytest.param(file, words, expected, id=f"{name}-{words.least}")
    for name, file in FILES.items()
    for words, expected in file.summaries
]


def plain(text: str) -> str:
    return re.sub(r"\s+", " ", text)


@table(("file", "words", "expected"), SUMMARIES)
def test_gives_the_summary_of_the_file(file: SummaryFile, words: Words, expected: str) -> None:
    assert summarize(file.title, file.text, file.language, words=words) == expected


@table("file", FILES.values(), ids=FILES)
def test_gives_the_line_of_the_file(file: SummaryFile) -> None:
    assert one_line(file.title, file.text, file.language) == file.line


@table(("file", "words", "expected"), SUMMARIES)
def test_expected_summaries_follow_the_rules(file: SummaryFile, words: Words, expected: str) -> None:
    assert expected
    assert count(expected, file.language) <= words.most
    assert not any(phrase in expected for phrase in file.never)
    text = plain(file.text)
    places = [text.find(sentence.text) for sentence in sentences(expected, file.language)]
    assert min(places) >= 0
    assert places == sorted(places)


def test_there_are_enough_files_in_seven_languages() -> None:
    assert len(FILES) >= 25
    assert {file.language for file in FILES.values()} == {"en", "de", "fr", "es", "ru", "zh", "ja", ""}


PLANT = (
    "Carla Voss opened the new plant in Rosefield on Monday after two years of work. "
    "She said it would make cement without coal. "
    "The furnace reaches 1,450 degrees with power from the dam. "
    "Farmers along the river fear for their water."
)


def test_a_pronoun_needs_the_sentence_before() -> None:
    assert summarize("Cement", PLANT, "en", words=Words(19, 19)) == (
        "The furnace reaches 1,450 degrees with power from the dam. Farmers along the river fear for their water."
    )
    assert summarize("Cement", PLANT, "en", words=Words(20, 24)) == (
        "Carla Voss opened the new plant in Rosefield on Monday after two years of work. "
        "She said it would make cement without coal."
    )


def test_the_topic_decides_among_sentences_as_good() -> None:
    text = "The council met on Monday evening. Ferries run every ten minutes now. Trams run every five minutes now."
    words = Words(10, 12)

    def for_topic(terms: Mapping[str, float]) -> str:
        return summarize("T", text, "en", words=words, topic_terms=terms)

    assert for_topic({"tram": 1.0}).endswith("Trams run every five minutes now.")
    assert for_topic({"ferri": 1.0}).endswith("Ferries run every ten minutes now.")


@pytest.mark.parametrize(
    ("title", "text", "expected"),
    [
        pytest.param("T", "", "", id="empty"),
        pytest.param("T", "Read more\nSubscribe to our newsletter now.", "", id="boilerplate-alone"),
        pytest.param("T", "Did you know? Why is that so?", "", id="questions-alone"),
        pytest.param("T", "1\n2\n3", "", id="numbers-alone"),
        pytest.param("T", "var x = 1;\nfor i in x: print(i)", "", id="code-alone"),
        pytest.param(
            "T", "He was a painter and died on Monday.", "He was a painter and died on Monday.", id="leaning-alone"
        ),
        pytest.param("Rovers win the cup", "Rovers win the cup.", "Rovers win the cup.", id="title-alone"),
        pytest.param(
            "T",
            "Police say that three people died in the fire on Monday night",
            "Police say that three people died in the fire on Monday night",
            id="without-an-end",
        ),
        pytest.param("T", "A ship in the harbour", "", id="caption-without-an-end"),
        pytest.param(
            "T",
            "Police say that three people died in the fire on Monday night and that [&hellip;]",
            "",
            id="markup-at-the-end",
        ),
        pytest.param(
            "T",
            "Police say that three people died in the fire on Monday night and that [...]",
            "",
            id="cut-off",
        ),
        pytest.param("T", "The mayor spoke. <script>alert(1)</script> is bad.", "The mayor spoke.", id="script"),
        pytest.param("T", "The mayor\u202e spoke at\u2066 noon.", "The mayor spoke at noon.", id="direction-marks"),
    ],
)
def test_takes_what_there_is(title: str, text: str, expected: str) -> None:
    assert summarize(title, text, "en", words=MORNING) == expected


def test_title_repeats_only_fill_the_minimum() -> None:
    title, rest = "Volcano erupts on the island of Terra", "Ash rose eight kilometres into the sky on Saturday."
    text = f"Volcano erupts on the island of Terra. {rest}"
    assert summarize(title, text, "en", words=Words(5, 20)) == rest
    assert summarize(title, text, "en", words=Words(12, 20)) == text


def test_a_title_that_runs_into_the_text_is_cut_off() -> None:
    title = "Volcano erupts on the island of Terra"
    assert summarize(title, f"{title} Ash rose eight kilometres on Saturday.", "en", words=MORNING) == (
        "Ash rose eight kilometres on Saturday."
    )
    assert summarize(f"{title} (Pacific)", f"{title} (Pacific).", "en", words=MORNING) == f"{title} (Pacific)."
    assert summarize(title, f"{title} again and again.", "en", words=MORNING) == f"{title} again and again."


LONG = (
    "The council, which met for the first time since the storm, voted on Monday to rebuild the harbour wall, the old "
    "market hall and two bridges, to move the fish market to the north bank, and to ask the state for a loan."
)


def test_a_sentence_that_is_too_long_is_left_out() -> None:
    assert summarize("T", LONG, "en", words=Words(15, 25)) == ""
    assert summarize("T", f"{LONG} Nobody spoke against it.", "en", words=Words(15, 25)) == "Nobody spoke against it."


@pytest.mark.parametrize(
    ("text", "language", "n"),
    [
        pytest.param("", "en", 0, id="empty"),
        pytest.param("It’s 3.5 percent — no more.", "en", 6, id="between-spaces"),
        pytest.param("今天天气很好。", "zh", 6, id="zh-characters"),
        pytest.param("OpenAI发布新模型。", "zh", 6, id="zh-with-a-latin-word"),
        pytest.param("今日は晴れです。", "ja", 7, id="ja-characters"),
        pytest.param("한국은 大韓民國 이다", "ko", 3, id="ko-words"),
    ],
)
def test_counts_words_or_characters_without_spaces(text: str, language: str, n: int) -> None:
    assert count(text, language) == n


@pytest.mark.parametrize(
    ("title", "text", "language", "expected"),
    [
        pytest.param("T", "", "en", "", id="empty"),
        pytest.param(
            "T", "Sign up now for more.\nThe council met on Monday.", "en", "The council met on Monday.", id="first"
        ),
        pytest.param(
            "T",
            "He left. The council met on Monday evening.",
            "en",
            "The council met on Monday evening.",
            id="standing",
        ),
        pytest.param(
            "T",
            "Nobody came. The council met on Monday evening.",
            "en",
            "The council met on Monday evening.",
            id="long-enough",
        ),
        pytest.param("T", "Nobody came home. They left.", "en", "Nobody came home.", id="short-if-nothing-else"),
        pytest.param("T", "word " * 39 + "end.", "en", "", id="without-capitals"),
        pytest.param("T", "Word" + " word" * 35 + " end.", "en", "Word" + " word" * 35 + " end.", id="a-little-longer"),
        pytest.param("T", "Word" + " word" * 39 + " end.", "en", "", id="too-long"),
        pytest.param("题", "字" * 80 + "。", "zh", "", id="zh-too-long"),
    ],
)
def test_gives_one_line(title: str, text: str, language: str, expected: str) -> None:
    assert one_line(title, text, language) == expected


WORDS = st.sampled_from(
    ["council", "ferry", "bridge", "mayor", "river", "storm", "harbour", "market", "island", "winter", "school"]
)


@st.composite
def articles(draw: st.DrawFn) -> tuple[str, list[str]]:
    """A text of plain sentences, all of which may be shown, and these."""
    found = []
    for n in range(draw(st.integers(1, 12))):
        words = draw(st.lists(WORDS, min_size=4, max_size=24))
        found.append(f"Sentence{chr(97 + n)} {' '.join(words)}.")
    return draw(st.sampled_from([" ", "\n"])).join(found), found


@given(articles(), st.sampled_from([Words(30, 50), MORNING, Words(100, 150), Words(8, 12)]))
def test_consists_of_whole_sentences_in_order(article: tuple[str, list[str]], words: Words) -> None:
    text, given_ = article
    summary = summarize("Of the town", text, "en", words=words)
    assert summary == summarize("Of the town", text, "en", words=words)
    assert count(summary, "en") <= words.most
    assert not summary.endswith("…")
    shown = [sentence.text for sentence in sentences(summary, "en")]
    places = [given_.index(each) for each in shown]
    assert places == sorted(set(places))
    reachable = {0}
    for each in given_:
        reachable |= {n + count(each, "en") for n in reachable}
    if any(words.least <= n <= words.most for n in reachable):
        assert count(summary, "en") >= words.least
    else:
        assert count(summary, "en") == max(n for n in reachable if n <= words.most)


@given(
    st.text(alphabet='aB9 .!?…,;:"“”‘’«»()「」。！？\n—He But 和のЯ<>/&#', max_size=300),
    st.sampled_from(["", "en", "de", "fr", "es", "ru", "zh", "ja", "th", "ko"]),
)
def test_any_text_gives_plain_text_on_one_line_within_the_words(text: str, language: str) -> None:
    for summary in (summarize(text[:40], text, language, words=MORNING), one_line(text[:40], text, language)):
        assert "\n" not in summary
        assert summary == summary.strip()
        assert count(summary, language) <= MORNING.most + 2
        assert not re.search(r"</?[a-zA-Z]", summary)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("a" * 200_000, id="one-word"),
        pytest.param("word " * 40_000, id="words-without-end"),
        pytest.param("A word stands here. " * 10_000, id="one-line"),
        pytest.param("“" * 20_000, id="opening-marks"),
        pytest.param("He. " * 50_000, id="pronouns"),
        pytest.param("A word stands here.\n" * 10_000, id="lines"),
        pytest.param("和" * 100_000, id="han"),
        pytest.param("=== --- *** " * 10_000, id="marks"),
        pytest.param("\ud800\x00\u202e" * 1000 + "A word stands here.", id="broken"),
    ],
)
def test_huge_and_broken_texts_give_a_short_summary(text: str) -> None:
    assert count(summarize("T", text, "", words=MORNING), "") <= MORNING.most
    assert count(one_line("T", text, ""), "") <= 60


def test_only_what_another_report_says_about_the_lead_is_used() -> None:
    round_up = (
        "The mayor who rebuilt the harbour was a patient woman, writes one columnist in a long obituary. "
        "Rents have doubled since spring, says another, and nobody in the council seems to mind at all. "
        "The harbour was her life, and those who worked there will miss her for a long time to come. "
    )
    about = "Mayor of the harbour town dies at 84"
    summary = summarize("Three columns of today", round_up, "en", words=MORNING, about=about)
    assert "harbour was her life" in summary
    assert "Rents" not in summary
    assert "Rents" in summarize("Three columns of today", round_up, "en", words=MORNING)
