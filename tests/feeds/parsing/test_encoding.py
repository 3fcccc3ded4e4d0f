"""Bytes are decoded correctly, whatever the declaration says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feeds.parsing.encoding import codec_named, decode
from tests.tables import table

HEADLINES = {
    "ja": "東京都内で震度4の地震、津波の心配なし",
    "ja short": "日本の首都",
    "zh-hans": "中国新闻网今日报道",
    "zh-hans short": "联通发布新产品",
    "zh-hant": "經濟部長宣布新政策",
    "ko": "한국 경제 성장률 발표",
    "ko short": "오늘의 뉴스 속보",
    "ru": "Россия и мир сегодня",
    "ru word": "Заголовок",
    "el": "Ελληνικές ειδήσεις σήμερα",
    "he": "חדשות היום בישראל",
    "ar": "أخبار اليوم في العالم",
    "th": "ข่าววันนี้ประเทศไทย",
    "cs": "Příliš žluťoučký kůň",
    "pl": "Zażółć gęślą jaźń",
    "tr": "Türkiye bugün ışık şöyle",
    "fr": "café à Paris, naïve façade",
    "de": "Müller grüßt – „hallo“",
    "es": "Español: ¿qué pasó?",
    "en": "It’s 5 o’clock — “quoted”",
}
LEGACY = [
    *(("ja", codec) for codec in ("cp932", "euc_jp", "iso2022_jp")),
    *(("ja short", codec) for codec in ("cp932", "euc_jp", "iso2022_jp")),
    *(("zh-hans", codec) for codec in ("gb18030",)),
    *(("zh-hans short", codec) for codec in ("gb18030",)),
    *(("zh-hant", codec) for codec in ("big5", "gb18030")),
    *((ko, "cp949") for ko in ("ko", "ko short")),
    *((ru, codec) for ru in ("ru", "ru word") for codec in ("cp1251", "koi8_r", "iso8859_5")),
    *((("el", "cp1253")), ("he", "cp1255"), ("ar", "cp1256"), ("th", "cp874"), ("tr", "cp1254")),
    *((language, codec) for language in ("cs", "pl") for codec in ("cp1250", "iso8859_2")),
    *((language, "cp1252") for language in ("fr", "de", "es", "en")),
]


def document(title: str, declaration: str = "") -> str:
    declared = f' encoding="{declaration}"' if declaration else ""
    return f'<?xml version="1.0"{declared}?><rss><channel><title>{title}</title></channel></rss>'


def ids(rows: list[tuple[str, str]]) -> list[str]:
    return [f"{language} in {codec}" for language, codec in rows]


@table(("language", "codec"), LEGACY, ids=ids(LEGACY))
@table("declared", ["", "utf-8"], ids=["undeclared", "declared as UTF-8"])
def test_detects_the_encoding_of_one_headline(language: str, codec: str, declared: str) -> None:
    text = document(HEADLINES[language], declared)

    assert decode(text.encode(codec)).text == text


@table(("language", "codec"), LEGACY, ids=ids(LEGACY))
def test_reads_correctly_declared_encodings(language: str, codec: str) -> None:
    text = document(HEADLINES[language], codec)

    assert decode(text.encode(codec)).text == text
    assert decode(document(HEADLINES[language]).encode(codec), codec).text == document(HEADLINES[language])


@table("declared", ["iso-8859-1", "gb2312", "shift_jis", "windows-1251", "utf-16", "bogus"])
@table("language", HEADLINES)
def test_valid_utf8_is_utf8_whatever_is_declared(language: str, declared: str) -> None:
    text = document(HEADLINES[language], declared)

    decoded = decode(text.encode())

    assert (decoded.text, decoded.encoding) == (text, "utf_8")


@table("codec", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "utf-8"])
@table("mark", ["\ufeff", ""], ids=["mark", "no mark"])
@table("declared", ["", "utf-8", "iso-8859-1", "utf-16"])
def test_detects_unicode_by_its_bytes(codec: str, mark: str, declared: str) -> None:
    text = document(HEADLINES["zh-hans"], declared)

    decoded = decode((mark + text).encode(codec), declared)

    assert (decoded.text, decoded.encoding) == (text, codec.replace("-", "_"))


@pytest.mark.parametrize(
    ("declared", "codec", "title"),
    [
        pytest.param("gb2312", "gb18030", "镕基与囧", id="GB2312 that is GBK"),
        pytest.param("gbk", "gb18030", "中国𠮷野家新闻", id="GBK that is GB18030"),
        pytest.param("shift_jis", "cp932", "髙島屋と①～⑳の新製品", id="Shift_JIS that is cp932"),
        pytest.param("iso-8859-1", "cp1252", "“quoted” – €6", id="ISO-8859-1 that is windows-1252"),
        pytest.param("euc-kr", "cp949", "똠방각하 방송 오늘", id="EUC-KR that is cp949"),
        pytest.param("big5", "big5hkscs", "香港嘅新聞", id="Big5 that is Big5-HKSCS"),
    ],
)
def test_reads_the_superset_of_the_declared_encoding(declared: str, codec: str, title: str) -> None:
    text = document(title, declared)

    decoded = decode(text.encode(codec))

    assert (decoded.text, decoded.encoding) == (text, codec)


def test_http_charset_overrides_the_xml_declaration() -> None:
    text = document(HEADLINES["ru"], "koi8-r")

    assert decode(text.encode("cp1251"), "windows-1251").text == text


def test_ignores_a_blanket_latin1_declaration() -> None:
    text = document(HEADLINES["zh-hans"], "gb2312")

    assert decode(text.encode("gb18030"), "ISO-8859-1").text == text


def test_the_declared_language_decides_between_near_equals() -> None:
    text = "<rss><channel><language>tr</language><title>ışık ve şeker</title></channel></rss>"

    assert decode(text.encode("cp1254"), "iso-8859-1").text == text


@pytest.mark.parametrize("codec", ["utf-8", "gb18030", "cp932", "euc_jp", "cp949"])
def test_drops_only_a_character_cut_at_the_end(codec: str) -> None:
    title = HEADLINES["ko" if codec == "cp949" else "ja" if codec in ("cp932", "euc_jp") else "zh-hans"]
    text = document(title, codec).partition("</title>")[0]

    decoded = decode(text.encode(codec)[:-1])

    assert decoded.text == text[:-1]
    assert "the document ends in the middle of a character" in decoded.notes


@pytest.mark.parametrize(
    ("body", "text"),
    [
        pytest.param("新闻报道".encode() + b"\xe4\xb8" + "今日".encode(), "新闻报道今日", id="text cut by bytes"),
        pytest.param("naïve à façade ".encode() + b"it\x92s", "naïve à façade it’s", id="pasted windows-1252 quote"),
        pytest.param("Größe, Füße, Äpfel ".encode() + b"M\xfcller", "Größe, Füße, Äpfel Müller", id="a latin-1 name"),
    ],
)
def test_utf8_with_a_few_broken_bytes_stays_utf8(body: bytes, text: str) -> None:
    decoded = decode(b"<title>" + body + b"</title>", "utf-8")

    assert (decoded.text, decoded.encoding) == (f"<title>{text}</title>", "utf_8")


@pytest.mark.parametrize("wrong_codec", ["latin-1", "cp1252"])
def test_text_encoded_twice_is_decoded_twice(wrong_codec: str) -> None:
    text = document("Café – naïve")
    twice = text.encode().decode(wrong_codec).encode()

    decoded = decode(twice)

    assert decoded.text == text
    assert "text was encoded as UTF-8 twice" in decoded.notes


def test_keeps_an_article_about_mojibake() -> None:
    text = document("Why ‘Ã©’ appears where é was meant")

    assert decode(text.encode()).text == text


@pytest.mark.parametrize("label", ["zlib", "rot13", "unicode_escape", "punycode", "idna", "", "no such thing", "\0"])
def test_ignores_charsets_that_are_not_text(label: str) -> None:
    assert codec_named(label) == ""


@given(st.binary(max_size=300), st.text(max_size=12))
def test_never_raises(body: bytes, charset: str) -> None:
    assert isinstance(decode(body, charset).text, str)


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=200))
def test_any_text_survives_as_utf8_with_bom(text: str) -> None:
    mojibake_free = text if text.isascii() else text + "世"

    assert decode(b"\xef\xbb\xbf" + mojibake_free.encode()).text == mojibake_free.removeprefix("\ufeff")
