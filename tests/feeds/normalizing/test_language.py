"""Languages: the declared one, unless the script contradicts it."""

import pytest

from feeds.normalizing.language import check_language, feed_language, guess_language, primary_language
from feeds.parsing.feed import ParsedEntry, ParsedFeed


@pytest.mark.parametrize(
    ("tag", "code"),
    [("en-US", "en"), ("zh_TW", "zh"), ("zh-Hant-HK", "zh"), ("JA", "ja"), ("jp", "ja"), ("iw", "he"), ("", ""),
     ("english", ""), ("e", ""), ("<b>", "")],
)  # fmt: skip
def test_primary_language(tag: str, code: str) -> None:
    assert primary_language(tag) == code


@pytest.mark.parametrize(
    ("declared", "text", "code"),
    [
        pytest.param("en", "The harbour office said so on Tuesday", "en", id="as-declared"),
        pytest.param("de", "Der Hafenmeister sagte es am Dienstag", "de", id="latin-is-believed"),
        pytest.param("en", "今天下午两点，市政府宣布新的港口计划。", "zh", id="chinese-sold-as-english"),
        pytest.param("en", "東京の港で、新しい橋が完成した。", "ja", id="japanese-sold-as-english"),
        pytest.param("zh", "東京の港で、新しい橋が完成した。", "ja", id="japanese-sold-as-chinese"),
        pytest.param("ja", "東京新聞社会部", "ja", id="a-japanese-headline-without-kana"),
        pytest.param("", "서울시는 화요일에 새로운 항구 계획을 발표했다", "ko", id="korean"),
        pytest.param("", "ท่าเรือใหม่เปิดทำการในวันอังคาร", "th", id="thai"),
        pytest.param("uk", "Портова служба повідомила у вівторок", "uk", id="ukrainian-is-believed"),
        pytest.param("en", "Портовая служба сообщила во вторник", "ru", id="cyrillic-sold-as-english"),
        pytest.param("fa", "بندر جدید روز سه‌شنبه افتتاح شد", "fa", id="persian-is-believed"),
        pytest.param("zh", "The harbour office said so on Tuesday", "", id="english-sold-as-chinese"),
        pytest.param("zh", "iPhone 17", "zh", id="too-short-to-contradict"),
        pytest.param("en", "He said 東京 is the capital of Japan, as everybody knows", "en", id="a-foreign-word"),
        pytest.param("", "", "", id="nothing"),
    ],
)
def test_checked_language(declared: str, text: str, code: str) -> None:
    assert check_language(declared, text) == code


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Der Hafenmeister sagte am Dienstag, dass die beiden ältesten Kräne abgebaut werden", "de"),
        ("Le port a annoncé mardi la fermeture de ses deux plus vieilles grues", "fr"),
        ("El puerto anunció el martes el cierre de sus dos grúas más antiguas", "es"),
        ("新しい橋が東京の港で完成したと市が発表した。利用は来月から始まる。", "ja"),
        ("ok", ""),
        ("Two ships / Deux bateaux / Zwei Schiffe / Dos barcos / Dwa statki / Två skepp", ""),
    ],
)
def test_guessed_language(text: str, code: str) -> None:
    assert guess_language(text) == code


def test_guesses_the_feed_language_from_all_entries() -> None:
    entries = tuple(ParsedEntry(title=title, markup="<p class='the and of'>kurz</p>") for title in (
        "Die Kräne kommen weg", "Bücherei öffnet wieder", "Streit um die Brücke geht weiter", "Was heute wichtig ist",
    ))  # fmt: skip
    assert feed_language(ParsedFeed(title="Elbufer", entries=entries)) == "de"
    assert feed_language(ParsedFeed()) == ""
