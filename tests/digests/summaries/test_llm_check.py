"""Whether what a model wrote may be shown: its form, its length, its language, and that it invents nothing cheaply."""

import pytest

from digests.edition.kinds import Words
from digests.summaries.llm_check import clean_answer, objection_to
from tests.tables import table

WORDS = Words(15, 30)
TITLE = "Harbour bridge to close for two years"
TEXT = (
    "The old harbour bridge in Rosefield will close to all traffic for two years from Monday, the council answer. "
    "Inspectors found cracks in 14 of its 22 steel arches during a routine check in January. Mayor Ann Lee answer the "
    "repair would cost 1.2 million francs, a fifth of the yearly budget. Ferries run by Norgrid will carry 3,500 "
    "people a day. The transport union answer five more would be needed by 2027."
)
GOOD = (
    "The old harbour bridge in Rosefield will close for two years from Monday, after inspectors found cracks in 14 of "
    "its 22 arches, Mayor Ann Lee answer."
)


def objection(summary: str, *, text: str = TEXT, title: str = TITLE, language: str = "en", words: Words = WORDS) -> str:
    return objection_to(summary, title=title, text=text, language=language, words=words)


def test_a_good_summary_may_be_shown() -> None:
    assert objection(GOOD) == ""


@pytest.mark.parametrize(
    ("answer", "summary"),
    [
        pytest.param(GOOD, GOOD, id="plain"),
        pytest.param(f"  {GOOD}\n", GOOD, id="white-space"),
        pytest.param(f"<think>Fifteen words?\nYes.</think>\n\n{GOOD}", GOOD, id="thoughts"),
        pytest.param(f"```\n{GOOD}\n```", GOOD, id="fence"),
        pytest.param(f"```text\n{GOOD}\n```", GOOD, id="fence-with-a-name"),
        pytest.param(f"Here is the summary:\n\n{GOOD}", GOOD, id="heading"),
        pytest.param(f"Summary: {GOOD}", GOOD, id="label"),
        pytest.param(f"**Summary:**\n{GOOD}", GOOD, id="bold-heading"),
        pytest.param(f'"{GOOD}"', GOOD, id="straight-quotes"),
        pytest.param(f"“{GOOD}”", GOOD, id="quotes"),
        pytest.param('"We left," she answer. "All of us."', '"We left," she answer. "All of us."', id="two-quotations"),
        pytest.param("One.\u202e Two.\x00", "One. Two.", id="hidden-characters"),
        pytest.param("One.\n\nTwo.", "One.\nTwo.", id="paragraphs"),
        pytest.param("", "", id="nothing"),
        pytest.param("<think>never done", "", id="thoughts-alone"),
    ],
)
def test_strips_wrapping_around_an_answer(answer: str, summary: str) -> None:
    assert clean_answer(answer) == summary


@table(
    ("summary", "reason"),
    [
        pytest.param("", "was empty", id="empty"),
        pytest.param("word " * 1000, "was far too long", id="endless"),
        pytest.param("Too short.", "had 2 words where 15 are needed", id="short"),
        pytest.param(" ".join([GOOD] * 2), "had 54 words where 30 are allowed", id="long"),
        pytest.param(GOOD.removesuffix("."), "did not end with a whole sentence", id="cut-off"),
        pytest.param(f"{GOOD[:-1]}…", "did not end with a whole sentence", id="ellipsis"),
        pytest.param(f"“{GOOD}", "did not end with a whole sentence", id="half-a-quotation"),
        pytest.param("One.\nTwo.", "had more than one paragraph", id="paragraphs"),
        pytest.param(f"**The** {GOOD}", "contained markup or an address", id="bold"),
        pytest.param(f"- {GOOD}", "contained markup or an address", id="item"),
        pytest.param(f"# {GOOD}", "contained markup or an address", id="heading"),
        pytest.param(f"<p>{GOOD}</p>.", "contained markup or an address", id="tag"),
        pytest.param(f"See [this](x). {GOOD}", "contained markup or an address", id="link"),
        pytest.param(f"See https://evil.example. {GOOD}", "contained markup or an address", id="address"),
        pytest.param(f"See evil.com. {GOOD}", "contained markup or an address", id="bare-address"),
        pytest.param(f"Write to a@b.example. {GOOD}", "contained markup or an address", id="mail"),
        pytest.param(
            "I'm sorry, but I can't summarize that.", "addressed the reader or mentioned itself", id="refusal"
        ),
        pytest.param(
            "As an AI language model, I have no opinion.", "addressed the reader or mentioned itself", id="as-an-ai"
        ),
        pytest.param(f"{GOOD} Let me know if you need more.", "addressed the reader or mentioned itself", id="offer"),
        pytest.param(f"{GOOD} (27 words)", "addressed the reader or mentioned itself", id="count"),
        pytest.param("Es tut mir leid, das geht nicht.", "addressed the reader or mentioned itself", id="de-refusal"),
        pytest.param("抱歉，我无法提供摘要。", "addressed the reader or mentioned itself", id="zh-refusal"),
        pytest.param("申し訳ありませんが、できません。", "addressed the reader or mentioned itself", id="ja-refusal"),
        pytest.param(
            "The article describes the closing of a bridge.",
            "described the article instead of summarizing it",
            id="of-the-article",
        ),
        pytest.param(
            "Der Artikel beschreibt eine Brücke.",
            "described the article instead of summarizing it",
            id="de-of-the-article",
        ),
    ],
)
def test_refuses_malformed_input(summary: str, reason: str) -> None:
    assert objection(summary) == reason


@pytest.mark.parametrize("n_words", [13, 14, 30, 31])
def test_word_limits_are_strict_above_loose_below(n_words: int) -> None:
    summary = " ".join(["bridge"] * n_words).capitalize() + "."
    assert (objection(summary) == "") is (14 <= n_words <= 30)


@pytest.mark.parametrize(
    ("summary", "reason"),
    [
        pytest.param(
            "Die Brücke wird ab Montag für zwei Jahre gesperrt, weil die Risse in den Bögen nicht von selbst heilen.",
            "was not in the language of the article",
            id="another-language",
        ),
        pytest.param(
            "Старый мост закроют на два года с понедельника, потому что в его арках нашли трещины в январе.",
            "was not in the language of the article",
            id="another-script",
        ),
        pytest.param(
            "Stock markets fell on fears of rising rates while investors sold shares of banks and bought gold instead.",
            "used too few of the article's own words",
            id="another-subject",
        ),
    ],
)
def test_refuses_another_language_and_another_subject(summary: str, reason: str) -> None:
    assert objection(summary) == reason


ZH = (
    "上海市政府五日宣布，旧港大桥从下周一起封闭两年，进行全面维修。检查人员在桥拱中发现裂缝。"
    "渡船将每10分钟一班，由东海公司运营。"
)
JA = (
    "東京都は五日、旧港大橋を来週月曜日から二年間閉鎖すると発表した。点検でアーチに亀裂が見つかった。"
    "渡し船は十分おきに運航される。"
)


@pytest.mark.parametrize(
    ("summary", "text", "language", "reason"),
    [
        pytest.param("旧港大桥从下周一起封闭两年进行维修，检查人员发现裂缝。", ZH, "zh", "", id="zh"),
        pytest.param(
            "旧港大桥从下周一起封闭两年进行维修のため。",
            ZH,
            "zh",
            "was not in the language of the article",
            id="zh-kana",
        ),
        pytest.param(
            "大桥从下周一起封闭两年，据OpenAI说检查人员发现裂缝。",
            ZH,
            "zh",
            'contained the name "OpenAI", which is not in the article',
            id="zh-name",
        ),
        pytest.param(
            "大桥从下周一起封闭99年，检查人员发现裂缝，进行维修。",
            ZH,
            "zh",
            "contained the number 99, which is not in the article",
            id="zh-number",
        ),
        pytest.param("旧港大桥", ZH, "zh", "did not end with a whole sentence", id="zh-no-end"),
        pytest.param("旧港大桥封闭两年。", ZH, "zh", "had 8 characters where 15 are needed", id="zh-short"),
        pytest.param("東京都は旧港大橋を来週から二年間閉鎖する。亀裂が見つかった。", JA, "ja", "", id="ja"),
        pytest.param(
            "東京都は旧港大橋を閉鎖するとマイクロソフトが発表した。",
            JA,
            "ja",
            "contained a name that is not in the article",
            id="ja-name",
        ),
    ],
)
def test_checks_chinese_and_japanese_as_well(summary: str, text: str, language: str, reason: str) -> None:
    assert objection(summary, text=text, title="", language=language) == reason


def filled(sentence: str) -> str:
    """A sentence with as much as it takes to be long enough."""
    return f"{sentence} The old harbour bridge will close to all traffic from Monday, the city council answer."


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        pytest.param("It has 22 arches.", "", id="number"),
        pytest.param("It has 23 arches.", "contained the number 23, which is not in the article", id="invented-number"),
        pytest.param("It costs 1.2 million.", "", id="decimal"),
        pytest.param("It costs 12 million.", "contained the number 12, which is not in the article", id="decimal-lost"),
        pytest.param("It carries 3500 people.", "", id="thousands-without-a-comma"),
        pytest.param("It needs 5 ferries.", "", id="words-as-figures"),
        pytest.param("It closes for 2 years.", "", id="more-words-as-figures"),
        pytest.param(
            "It closes for three years.", "contained the number 3, which is not in the article", id="number-word"
        ),
        pytest.param("It costs 1.2 billion.", "contained the number billion, which is not in the article", id="unit"),
        pytest.param("It opens in 2027.", "", id="year"),
        pytest.param("Mayor Ann Lee agreed.", "", id="name"),
        pytest.param("Lee's council agreed.", "", id="possessive"),
        pytest.param(
            "Mayor Anna Lee agreed.", 'contained the name "Anna", which is not in the article', id="name-changed"
        ),
        pytest.param(
            "Mayor Joe Biden agreed.", 'contained the name "Joe", which is not in the article', id="invented-name"
        ),
        pytest.param(
            "Microsoft agreed.", 'contained the name "Microsoft", which is not in the article', id="name-first"
        ),
        pytest.param("Officials agreed.", "", id="common-word-first"),
        pytest.param("However, nobody disagreed.", "", id="connective-first"),
        pytest.param("The NASA agreed.", 'contained the name "NASA", which is not in the article', id="abbreviation"),
    ],
)
def test_numbers_and_names_must_be_in_the_article(sentence: str, reason: str) -> None:
    assert objection(filled(sentence)) == reason


def test_title_facts_are_allowed() -> None:
    assert objection(filled("Norway agreed."), title="Norway closes bridge 99") == ""
    assert objection(filled("Norway agreed to 99."), title="Norway closes bridge 99") == ""


DE = (
    "Die alte Elbbrücke in Hamburg wird ab Montag für zwei Jahre gesperrt, wie die Stadt mitteilte. Prüfer fanden "
    "Risse in 14 von 22 Bögen. Bürgermeisterin Karla Voss rechnet mit Kosten von 80 Millionen Euro."
)


@pytest.mark.parametrize(
    ("summary", "reason"),
    [
        pytest.param(
            "Die Elbbrücke in Hamburg wird ab Montag für zwei Jahre gesperrt, weil Prüfer Risse in den Bögen fanden.",
            "",
            id="good",
        ),
        pytest.param(
            "Die Elbbrücke in Hamburg wird ab Montag wegen Schäden für zwei Jahre gesperrt, wie die Stadt mitteilte.",
            "",
            id="another-noun",
        ),
        pytest.param(
            "Die Elbbrücke wird ab Montag für zwei Jahre gesperrt, wie die Stadt und Erika Muster mitteilte.",
            'contained the name "Erika", which is not in the article',
            id="another-name",
        ),
    ],
)
def test_german_nouns_are_no_names(summary: str, reason: str) -> None:
    assert objection(summary, text=DE, title="Brücke gesperrt", language="de") == reason


def test_russian_names_may_be_inflected() -> None:
    text = "Мэр Ростова Анна Петрова закроет старый мост на два года. Инспекторы нашли трещины в арках моста в январе."
    summary = (
        "По словам Анны Петровой, старый мост в Ростове закроют на два года, так как инспекторы нашли трещины в арках."
    )
    assert objection(summary, text=text, title="Мост", language="ru") == ""
    other = summary.replace("Петровой", "Ивановой")
    assert objection(other, text=text, title="Мост", language="ru") == (
        'contained the name "Ивановой", which is not in the article'
    )
