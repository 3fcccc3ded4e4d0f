"""Phrases and dates that indicate how fast an article ages, in seven languages."""

from collections import Counter
from datetime import UTC, datetime

import pytest

from reader.scoring.sensitivity.cues import FALLBACK, _rows, detect_language, find_cues
from reader.scoring.sensitivity.dates import find_dates
from reader.scoring.sensitivity.features import READ_CHARACTERS, extract_features, extract_words

PUBLISHED_AT = datetime(2026, 2, 17, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "language", "found"),
    [
        pytest.param("", "en", [], id="empty"),
        pytest.param("Plain prose", "en", [], id="nothing to find"),
        pytest.param("A Short History of glue", "en", [("history", "Short History")], id="as the text writes it"),
        pytest.param("Live updates", "en", [("live", "Live updates")], id="two words"),
        pytest.param("the last decade", "en", [("years", "last decade")], id="the longest, once"),
        pytest.param("police evacuated", "en", [("said", "police"), ("alert", "evacuated")], id="beginning of a word"),
        pytest.param("12 ways", "en", [("howto", "12 ways")], id="a number"),
        pytest.param("1,200 ways", "en", [], id="half a number is none"),
        pytest.param("Live. Updates", "en", [], id="no phrase goes across a sentence"),
        pytest.param("alertness", "en", [], id="no part of a word"),
        pytest.param("Beginner’s guide", "en", [("explainer", "Beginner’s guide")], id="typographic apostrophe"),
        pytest.param("İstanbul: breaking", "en", [("breaking", "breaking")], id="letters that grow in lower case"),
        pytest.param("Tin slips at the open", "en", [("prices", "at the open")], id="a price"),
        pytest.param("恒指午间休盘", "zh", [("prices", "午间休盘")], id="a price in Chinese"),
        pytest.param("突发:多地停电", "zh", [("breaking", "突发"), ("outage", "停电")], id="Chinese"),
        pytest.param("津波警報", "ja", [("alert", "津波"), ("alert", "警報")], id="Japanese"),
        pytest.param("Eilmeldung: Urteil", "de", [("breaking", "Eilmeldung"), ("justice", "Urteil")], id="German"),
        pytest.param("Recette en direct", "fr", [("recipe", "Recette"), ("live", "en direct")], id="French"),
        pytest.param("Última hora", "es", [("breaking", "Última hora")], id="Spanish"),
        pytest.param("Срочно: пожары", "ru", [("breaking", "Срочно"), ("casualty", "пожары")], id="Russian"),
    ],
)
def test_finds_cues(text: str, language: str, found: list[tuple[str, str]]) -> None:
    assert [(one.cue, one.words) for one in find_cues(text, language)] == found


def test_each_phrase_has_one_cue() -> None:
    phrases = [(language, phrase) for _, language, its in _rows() for phrase in its]
    assert [phrase for phrase, n in Counter(phrases).items() if n > 1] == []


@pytest.mark.parametrize(
    ("declared", "title", "language"),
    [
        pytest.param("", "", FALLBACK, id="nothing"),
        pytest.param("de", "Ein Titel", "de", id="declared"),
        pytest.param("nl", "Een titel", FALLBACK, id="without phrases of its own"),
        pytest.param("zh", "An English title", FALLBACK, id="script contradicts"),
        pytest.param("en", "津波のニュース", "ja", id="kana"),
        pytest.param("", "突发新闻", "zh", id="Han"),
        pytest.param("ja", "首相辞任", "ja", id="Han, declared Japanese"),
        pytest.param("", "Новости", "ru", id="Cyrillic"),
        pytest.param("fr", "L’été arrive", "fr", id="accents"),
    ],
)
def test_reads_in_a_language(declared: str, title: str, language: str) -> None:
    assert detect_language(declared, title, "") == language


@pytest.mark.parametrize(
    ("text", "spaceless", "found"),
    [
        pytest.param("no figures here", False, [], id="none"),
        pytest.param("At 7:45 p.m. on", False, [("clock", "7:45 p.m.")], id="clock"),
        pytest.param("ab 9 Uhr", False, [("clock", "9 Uhr")], id="German clock"),
        pytest.param("on 16 February", False, [("today", "16 February")], id="the day before"),
        pytest.param("on March 3", False, [("upcoming", "March 3")], id="ahead"),
        pytest.param("le 3 décembre 2019", False, [("past_year", "3 décembre 2019")], id="years back"),
        pytest.param("12 января", False, [("day", "12 января")], id="weeks back"),
        pytest.param("2026-02-18", False, [("today", "2026-02-18")], id="ISO"),
        pytest.param("30 February", False, [("day", "30 February")], id="no such day"),
        pytest.param("in 1887", False, [("past_year", "1887")], id="a year gone"),
        pytest.param("in 2026", False, [], id="this year"),
        pytest.param("the highest since 2007", False, [], id="a record is news"),
        pytest.param("2007年以来", True, [], id="a record in Chinese"),
        pytest.param("costs $1850", False, [], id="money is no year"),
        pytest.param("二月十六日", True, [("today", "二月十六日")], id="Chinese numerals"),
        pytest.param("2月18日午後3時", True, [("today", "2月18日"), ("clock", "3時")], id="Japanese"),
        pytest.param("十七日夜", True, [("day", "十七日")], id="a day without its month"),
        pytest.param("三日間、一時停止", True, [], id="lengths are no dates"),
        pytest.param("1887年", True, [("past_year", "1887年")], id="year"),
    ],
)
def test_finds_dates_against_publication(text: str, spaceless: bool, found: list[tuple[str, str]]) -> None:
    dates = find_dates(text, spaceless=spaceless, published_at=PUBLISHED_AT)
    assert [(one.cue, one.words) for one in dates] == found


def test_dates_are_neutral_without_publication_date() -> None:
    assert [one.cue for one in find_dates("16 February, after 2004", spaceless=False, published_at=None)] == [
        "day",
        "past_year",
    ]


def test_distinguishes_title_from_text() -> None:
    reading = extract_features("Live: the vote", "Refresh for more", language="en")
    assert reading.phrases["title:running"] == "Live:"
    assert reading.phrases["text:updating"] == "Refresh"
    assert "text:none" not in reading.values


@pytest.mark.parametrize(
    ("title", "mark"),
    [
        pytest.param("Is it?", "question", id="question"),
        pytest.param("\u5417\uff1f", "question", id="wide question"),
        pytest.param("\u6ce8\u610f\uff01", "exclamation", id="wide exclamation"),
        pytest.param("\u3010\u901f\u5831\u3011", "label", id="brackets"),
        pytest.param("Harbour talks live: envoys arrive", "running", id="live in the middle"),
        pytest.param("Envoys arrive \u2013 harbour live", "running", id="live at the end"),
        pytest.param("Watch live: envoys arrive", "running", id="live pictures"),
        pytest.param("Harbour updates: envoys arrive", "running", id="updates"),
        pytest.param("Envoys arrive \u2013 as it happened", "running", id="as it happened"),
        pytest.param("City 3-1 Rovers", "score", id="score"),
        pytest.param("Up 4\uff05", "percent", id="wide percent"),
        pytest.param("Tool 2.3.1", "release", id="version"),
        pytest.param("9 ideas", "list", id="list"),
        pytest.param("TAKE COVER NOW please", "capitals", id="capitals"),
    ],
)
def test_finds_style_features(title: str, mark: str) -> None:
    assert f"title:{mark}" in extract_features(title, "").values


@pytest.mark.parametrize("title", ["Where to live: a guide", "A live album", "They live on", "Loan update: no change"])
def test_not_every_live_is_live_coverage(title: str) -> None:
    assert "title:running" not in extract_features(title, "").values


def test_training_prefers_the_title_and_cues() -> None:
    values = extract_features("breaking slates", "breaking slates", language="en").values
    assert values["title:breaking"] > values["text:breaking"] > values["word:slates"]
    assert "word:slates" not in extract_features("x", "breaking slates", language="en").values


def test_second_cue_counts_less_than_the_first() -> None:
    features = extract_features("", "breaking " * 2 + "x", language="en").values
    assert features["text:breaking"] == pytest.approx(1.585, abs=0.001)


def test_dateline_indicates_a_report() -> None:
    assert extract_features("x", "OSLO (Wire) - The king", language="en").phrases["text:said"] == "OSLO (Wire)"


def test_reads_only_the_beginning() -> None:
    assert "text:breaking" not in extract_features("x", "." * READ_CHARACTERS + " breaking", language="en").values


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("Two two, a 3", {"two"}, id="once, letters only"),
        pytest.param("東京でXML", {"東京", "京で", "xml"}, id="pairs of characters"),
    ],
)
def test_splits_words(text: str, words: set[str]) -> None:
    assert extract_words(text) == words
