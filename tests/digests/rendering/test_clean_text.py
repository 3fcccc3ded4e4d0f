"""External text becomes one clean line, and non-web URLs are dropped."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from digests.edition.document import FeedReport, Finding, Movement, Trend, UnhealthyFeed
from digests.rendering.clean_text import one_line, tidy, web_address
from tests.digests.editions import edition, entry, topic


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("A title", "A title", id="plain"),
        pytest.param("", "", id="empty"),
        pytest.param(" two\r\n lines\tand\u2028more\x0bof\x85them ", "two lines and more of them", id="white space"),
        pytest.param("nul\x00 bell\x07 escape\x1b[31m", "nul bell escape[31m", id="controls"),
        pytest.param("safe\u202egpj.exe\u202c", "safegpj.exe", id="an override of direction"),
        pytest.param("\u2066a\u2067b\u2068c\u2069", "abc", id="isolates, balanced or not"),
        pytest.param("zero\u200bwidth\u2060join\ufeffer", "zerowidthjoiner", id="nothing to be seen"),
        pytest.param("lone\ud800 surrogate\uffff", "lone surrogate", id="what neither UTF-8 nor XML has"),
        pytest.param("می‌خواهم 👩‍🚀", "می‌خواهم 👩‍🚀", id="joiners are writing"),
    ],
)
def test_a_text_becomes_one_line(text: str, expected: str) -> None:
    assert one_line(text) == expected


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        pytest.param("https://paper.example/a?b=1&c=2#d", "https://paper.example/a?b=1&c=2#d", id="as it is"),
        pytest.param(" HTTP://Paper.example/ ", "HTTP://Paper.example/", id="http in capitals"),
        pytest.param("https://paper.example/a_(b),c", "https://paper.example/a_(b),c", id="parentheses"),
        pytest.param("https://paper.example/ä/日本", "https://paper.example/ä/日本", id="other scripts"),
        pytest.param("https://paper.example/a%20b", "https://paper.example/a%20b", id="encoded once"),
        pytest.param(
            'https://paper.example/a b"<c>`\\', "https://paper.example/a%20b%22%3Cc%3E%60%5C", id="no addresses' signs"
        ),
        pytest.param("https://paper.example/a\u202eb", "https://paper.example/a%E2%80%AEb", id="an override"),
        pytest.param("https://paper.example/a\nb\x00c", "https://paper.example/abc", id="controls, as browsers do"),
        pytest.param("javascript:alert(1)", "", id="a script"),
        pytest.param("java\nscript:alert(1)", "", id="a script in two lines"),
        pytest.param(" \x01javascript:alert(1)//http://a.example", "", id="a script behind a control"),
        pytest.param("data:text/html,<script>", "", id="data"),
        pytest.param("ftp://paper.example/", "", id="another scheme"),
        pytest.param("//paper.example/", "", id="no scheme"),
        pytest.param("/relative", "", id="relative"),
        pytest.param("https://", "", id="no host"),
        pytest.param("https://:80/", "", id="a port only"),
        pytest.param("https://[::1", "", id="broken"),
        pytest.param("", "", id="none"),
    ],
)
def test_only_addresses_of_the_web_stay(url: str, expected: str) -> None:
    assert web_address(url) == expected


@given(st.text())
def test_an_address_is_tidied_once_and_for_all(text: str) -> None:
    once = web_address(f"https://a.example/{text}")
    assert web_address(once) == once
    assert not set(once) & set(' \t\n"<>\\`')


@given(st.text(st.characters()))
def test_a_line_is_tidied_once_and_for_all(text: str) -> None:
    once = one_line(text)
    assert one_line(once) == once
    assert len(once.splitlines()) <= 1


def test_every_text_of_an_edition_is_tidied() -> None:
    bad, good = " a\n\u202eb ", "a b"
    hostile = entry(title=bad, source=bad, url="javascript:x", language='"><b>')
    made = edition(
        topic(
            1, label=bad, lead=hostile, related=(hostile,), sources=(bad, "\n"), category=bad, summary=bad, moved=bad
        ),
        report=FeedReport(unhealthy=(UnhealthyFeed(bad, bad),), movements=(Movement(bad, Trend.FADING, 1, 2),)),
        findings=(Finding(bad, True, bad),),
    )
    found = tidy(made)
    assert found.topics[0].lead == entry(title=good, source=good, url="", language="")
    assert found.topics[0].related == (found.topics[0].lead,)
    texts = found.topics[0]
    assert (texts.label, texts.sources, texts.category, texts.summary, texts.moved) == (good, (good,), good, good, good)
    assert found.report.unhealthy == (UnhealthyFeed(good, good),)
    assert found.report.movements == (Movement(good, Trend.FADING, 1, 2),)
    assert found.findings == (Finding(good, True, good),)


def test_an_article_without_title_is_called_so() -> None:
    assert tidy(edition(topic(lead=entry(title="\u200b \n")))).topics[0].lead.title == "Untitled"


@pytest.mark.parametrize("language", ["en", "pt-BR", "zh-Hant-TW", "tlh"])
def test_a_language_tag_stays(language: str) -> None:
    assert tidy(edition(topic(lead=entry(language=language)))).topics[0].lead.language == language
