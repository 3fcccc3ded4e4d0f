"""The first long sentences of a text: where they end, which count, and that typography makes no difference."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feeds.dedup import sentences
from feeds.dedup.sentences import first_sentences, folded
from feeds.normalizing.text import words
from tests.tables import table

CRANES = "The port authority will take down both harbour cranes before the end of March"
MUSEUM = "A museum in the old customs house has asked for the hook and the cabin"
WORKERS = "Workers who drove the cranes for thirty years came to watch on Tuesday morning"
LIBRARY = "The new library opened its doors to a queue that reached around the block"
SHORT = "Nobody came"


def low(*sentences: str) -> tuple[str, ...]:
    return tuple(sentence.lower() for sentence in sentences)


TEXTS = {
    "empty": ("", ()),
    "white space": (" \n\t ", ()),
    "marks only": ("... !!! ?", ()),
    "one without a mark": (CRANES, low(CRANES)),
    "full stops": (f"{CRANES}. {MUSEUM}. {WORKERS}.", low(CRANES, MUSEUM, WORKERS)),
    "only the first three": (f"{CRANES}. {MUSEUM}. {WORKERS}. {LIBRARY}.", low(CRANES, MUSEUM, WORKERS)),
    "other marks": (f"{CRANES}! {MUSEUM}?! {WORKERS}", low(CRANES, MUSEUM, WORKERS)),
    "lines": (f"{CRANES}\n{MUSEUM}\n\n{WORKERS}", low(CRANES, MUSEUM, WORKERS)),
    "short ones are passed over": (f"{SHORT}. {CRANES}. {SHORT}! {MUSEUM}.", low(CRANES, MUSEUM)),
    "only short ones": (f"{SHORT}. {SHORT}. {SHORT}.", ()),
    "closing quotes": (f"“{CRANES}.” {MUSEUM}.) {WORKERS}.", low(CRANES, MUSEUM, WORKERS)),
    "title": (f"{CRANES} said Mr. Gull. {MUSEUM}.", low(f"{CRANES} said mr gull", MUSEUM)),
    "country": (f"In the U.S. {CRANES}. {MUSEUM}.", (f"in the u s {CRANES.lower()}", MUSEUM.lower())),
    "example": (f"{CRANES}, e.g. Monday. {MUSEUM}.", low(f"{CRANES} e g monday", MUSEUM)),
    "initials": (f"J. R. Gull says {CRANES}. {MUSEUM}.", low(f"j r gull says {CRANES}", MUSEUM)),
    "initials with a hyphen": (f"J.-P. Gull says {CRANES}. {MUSEUM}.", low(f"j p gull says {CRANES}", MUSEUM)),
    "initials in Cyrillic": (
        "Как пишет А. С. Чайкин, оба портовых крана будут разобраны до конца марта этого года. И всё.",
        ("как пишет а с чайкин оба портовых крана будут разобраны до конца марта этого года",),
    ),
    "decimals": (f"{CRANES} for 3.5 million. {MUSEUM}.", low(f"{CRANES} for 3 5 million", MUSEUM)),
    "year before a full stop": (f"{CRANES} 2026. {MUSEUM}.", low(f"{CRANES} 2026", MUSEUM)),
    "number": (f"Crane No. 5 goes: {CRANES}. {MUSEUM}.", low(f"crane no 5 goes {CRANES}", MUSEUM)),
    "no as a word": (f"{CRANES} or no. {MUSEUM}.", low(f"{CRANES} or no", MUSEUM)),
    "host name": (f"{CRANES} says port.example today. {MUSEUM}.", low(f"{CRANES} says port example today", MUSEUM)),
    "question within": (f"“Why?” asks a driver; {CRANES}. {MUSEUM}.", low(f"why asks a driver {CRANES}", MUSEUM)),
    "ellipsis within": (f"Well... then {CRANES}. {MUSEUM}.", low(f"well then {CRANES}", MUSEUM)),
    "ellipsis at the end": (f"{CRANES}... {MUSEUM}.", low(CRANES, MUSEUM)),
    "no space after a full stop": (f"{CRANES}.{MUSEUM}.", low(f"{CRANES} {MUSEUM}")),
    "capitals and spaces": (f"{CRANES.upper()} .  {MUSEUM}", low(CRANES, MUSEUM)),
    "emoji": (f"🏗️ {CRANES} 🎉. {MUSEUM}.", low(CRANES, MUSEUM)),
    "Arabic": (
        "هل ستزيل سلطة الميناء كلتا الرافعتين القديمتين قبل نهاية شهر مارس المقبل؟ لا.",
        ("هل ستزيل سلطة الميناء كلتا الرافعتين القديمتين قبل نهاية شهر مارس المقبل",),
    ),
}


@table(("text", "expected"), TEXTS.values(), ids=TEXTS)
def test_finds_the_first_long_sentences(text: str, expected: tuple[str, ...]) -> None:
    assert first_sentences(text) == expected


@pytest.mark.parametrize(
    ("n_words", "expected"), [pytest.param(10, 0, id="ten words"), pytest.param(11, 1, id="eleven words")]
)
def test_counts_sentences_of_more_than_ten_words(n_words: int, expected: int) -> None:
    assert len(first_sentences(" ".join(CRANES.split()[:n_words]))) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("港务局宣布将拆除两座起重机。没有人来。", 1, id="Chinese"),
        pytest.param("港务局宣布拆除起重机。", 0, id="Chinese, nine pairs"),
        pytest.param("港務局宣布將拆除兩座起重機！博物館希望得到吊鉤和駕駛室？", 2, id="traditional Chinese"),
        pytest.param("港湾事務所は二基のクレーンを撤去すると発表した。誰も来なかった。", 1, id="Japanese"),
        pytest.param("การท่าเรือจะรื้อเครนเก่าทั้งสองตัวก่อนสิ้นเดือนมีนาคม\nไม่มีใครมา", 1, id="Thai, by lines"),
        pytest.param(
            "항만 당국은 3월 말 전에 낡은 부두 크레인 두 대를 모두 철거할 것이라고 밝혔다. 끝.", 1, id="Korean"
        ),
        pytest.param("बंदरगाह प्राधिकरण मार्च के अंत से पहले दोनों पुरानी क्रेनें हटा देगा। समाप्त।", 1, id="Hindi"),
    ],
)
def test_knows_other_scripts(text: str, expected: int) -> None:
    assert len(first_sentences(text)) == expected


def test_character_pairs_are_the_words_of_chinese() -> None:
    assert first_sentences("港务局将拆除两座旧起重机。") == ("港务 务局 局将 将拆 拆除 除两 两座 座旧 旧起 起重 重机",)


@given(st.text(alphabet='.!?؟。！｡\n\u2028"’) Aa港'))
def test_ends_are_those_of_the_plain_expression(text: str) -> None:
    plain = re.compile(
        r"""(?<![.!?؟۔।])[.!?؟۔।]+(?![.!?؟۔।])["'”’»)\]]*(?!["'”’»)\]])(?=\s|$)|[。！？｡]+|[\n\r\u2028\u2029]+"""
    )
    assert [match.span() for match in sentences._END.finditer(text)] == [match.span() for match in plain.finditer(text)]


def test_n_is_the_most_sentences() -> None:
    text = f"{CRANES}. {MUSEUM}. {WORKERS}. {LIBRARY}."
    assert [len(first_sentences(text, n=n)) for n in (0, 1, 3, 4, 9)] == [0, 1, 3, 4, 4]


@pytest.mark.parametrize(
    ("text", "copy"),
    [
        pytest.param(f"The “city’s” say: {CRANES}.", f'The "city\'s" say - {CRANES}!', id="quotes and dashes"),
        pytest.param(f"Un café à côté: {CRANES}.", f"Un cafe\u0301 a\u0300 co\u0302te\u0301: {CRANES}.", id="accents"),
        pytest.param(
            "２０２６年３月、港湾事務所は二基を撤去する。", "2026年3月、港湾事務所は二基を撤去する。", id="widths"
        ),
    ],
)
def test_typography_makes_no_difference(text: str, copy: str) -> None:
    assert first_sentences(text) == first_sentences(copy) != ()


def test_reads_at_most_20_000_characters() -> None:
    rows = "a b c.\n" * 3_000
    assert first_sentences(rows + CRANES) == ()


@given(st.text(max_size=400) | st.text(alphabet='Aab .!?。\n"’7港', max_size=400))
def test_sentences_come_in_order_and_hold_only_words_of_the_text(text: str) -> None:
    found = first_sentences(text)
    assert len(found) <= 3
    assert all(len(sentence.split(" ")) > 10 for sentence in found)
    assert set(" ".join(found).split()) <= set(words(folded(text)))
