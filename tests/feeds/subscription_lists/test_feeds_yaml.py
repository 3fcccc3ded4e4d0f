"""Reading feeds.yaml: tabs, sources, limits and skipped entries."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feeds.errors import ImportFileError
from feeds.subscription_lists.detect import decode_list
from feeds.subscription_lists.feeds_yaml import (
    DEFAULT_MAX_ITEMS_PER_FEED,
    MAX_DEPTH,
    MAX_SOURCES,
    MAX_YAML_CHARACTERS,
    read_feeds_yaml,
)
from feeds.subscription_lists.model import ListedFeed, Refusal, SubscriptionList, TabSettings

DOCUMENT = """\
tabs:
  zh_news:
    name: 中文新聞
    item_limit_per_category: 5    # a comment
    max_items_per_feed: 30
    sources:
      - category: 國際
        url: https://zh.example/world
        source_name: 範例通訊社
      - category: 政治
        url: https://zh.example/politics
  en_news:
    name: English
    language: en-GB
    sources:
      - {category: Startup, url: "https://en.example/rss", name: Example}
      - https://plain.example/feed
"""


def read(data: bytes) -> SubscriptionList:
    return read_feeds_yaml(*decode_list(data))


def tab(source: str, *, key: str = "en_news") -> bytes:
    """A file of one tab whose sources begin on line 4 and end with a good one."""
    return f"tabs:\n  {key}:\n    sources:\n{source}\n      - url: https://last.example/\n".encode()


def test_reads_tabs_as_folders_with_language_and_limits() -> None:
    assert read(DOCUMENT.encode()) == SubscriptionList(
        title="",
        feeds=(
            ListedFeed(
                "https://zh.example/world",
                "範例通訊社",
                folder=("中文新聞",),
                language="zh",
                category="國際",
                max_items=30,
                source_name="範例通訊社",
            ),
            ListedFeed(
                "https://zh.example/politics", folder=("中文新聞",), language="zh", category="政治", max_items=30
            ),
            ListedFeed(
                "https://en.example/rss",
                "Example",
                folder=("English",),
                language="en",
                category="Startup",
                max_items=DEFAULT_MAX_ITEMS_PER_FEED,
                source_name="Example",
            ),
            ListedFeed("https://plain.example/feed", folder=("English",), language="en", max_items=20),
        ),
        tabs=(
            TabSettings("中文新聞", "zh_news", "zh", 5, 30),
            TabSettings("English", "en_news", "en", None, 20),
        ),
        updates=True,
    )


@pytest.mark.parametrize(
    ("key", "settings_line", "language"),
    [
        pytest.param("zh_industry", "", "zh", id="prefix zh"),
        pytest.param("ja_news", "", "ja", id="prefix ja"),
        pytest.param("EN-tech", "", "en", id="upper case and hyphen"),
        pytest.param("de", "", "de", id="the language alone"),
        pytest.param("my_news", "", "", id="a prefix that is a word"),
        pytest.param("news", "", "", id="no prefix"),
        pytest.param("english", "", "", id="a word that begins like a language"),
        pytest.param("zh_news", "language: en", "en", id="what is said wins"),
        pytest.param("zh_news", "language: ~", "zh", id="null is not said"),
        pytest.param("news", "language: pt_BR", "pt", id="a region is dropped"),
    ],
)
def test_language_comes_from_the_tab_or_its_key(key: str, settings_line: str, language: str) -> None:
    text = f"tabs:\n  {key}:\n    sources: [{{url: 'https://a.example/'}}]\n    {settings_line}\n"
    parsed = read(text.encode())
    assert (parsed.tabs[0].language, parsed.feeds[0].language) == (language, language)


@pytest.mark.parametrize(
    ("source", "refusal"),
    [
        pytest.param("      - category: 國際", Refusal(4, "國際", "this source has no url"), id="no url"),
        pytest.param("      - url:\n        name: N", Refusal(4, "N", "this source has no url"), id="empty url"),
        pytest.param("      - url: ~", Refusal(4, "", "this source has no url"), id="null url"),
        pytest.param("      - url: [a, b]", Refusal(4, "", "this source has no url"), id="url is a list"),
        pytest.param("      - [https://a.example/]", Refusal(4, "", "this source has no url"), id="source is a list"),
        pytest.param("      -", Refusal(4, "", "this source has no url"), id="nothing"),
        pytest.param(
            "\n\n      - url: not an address",
            Refusal(6, "not an address", "the feed URL is not a valid web address"),
            id="words",
        ),
        pytest.param(
            "      - url: exec:/bin/x",
            Refusal(4, "exec:/bin/x", "it is a command, and commands from a file are never run"),
            id="a command",
        ),
        pytest.param(
            "      - url: https://a.example/\n      - url: http://www.a.example/",
            Refusal(5, "http://www.a.example/", "listed twice, first on line 4"),
            id="listed twice",
        ),
    ],
)
def test_skips_a_bad_source_with_its_line(source: str, refusal: Refusal) -> None:
    parsed = read(tab(source))
    assert parsed.refusals == (refusal,)
    assert parsed.feeds[-1].url == "https://last.example/"


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        pytest.param("  a: 5", Refusal(2, "a", "this tab has no settings and no sources"), id="a number"),
        pytest.param("  a:", Refusal(2, "a", "this tab has no settings and no sources"), id="nothing"),
        pytest.param("  a:\n    name: A", Refusal(3, "a", "this tab has no list of sources"), id="no sources"),
        pytest.param(
            "  a:\n    sources:\n      x: y", Refusal(4, "a", "this tab has no list of sources"), id="a mapping"
        ),
    ],
)
def test_skips_a_bad_tab(text: str, refusal: Refusal) -> None:
    parsed = read(f"tabs:\n{text}\n  b:\n    sources:\n      - url: https://b.example/\n".encode())
    assert parsed.refusals == (refusal,)
    assert [(feed.url, feed.folder) for feed in parsed.feeds] == [("https://b.example/", ("b",))]


@pytest.mark.parametrize(
    ("value", "limit", "notes"),
    [
        pytest.param("7", 7, (), id="a number"),
        pytest.param('"7"', 7, (), id="a quoted number"),
        pytest.param("~", 20, (), id="null"),
        pytest.param("0", 20, ("max_items_per_feed on line 3 is not a number from 1 to 10,000.",), id="zero"),
        pytest.param("-3", 20, ("max_items_per_feed on line 3 is not a number from 1 to 10,000.",), id="negative"),
        pytest.param("many", 20, ("max_items_per_feed on line 3 is not a number from 1 to 10,000.",), id="a word"),
        pytest.param("9" * 30, 20, ("max_items_per_feed on line 3 is not a number from 1 to 10,000.",), id="huge"),
    ],
)
def test_a_limit_is_a_positive_number_or_the_default(value: str, limit: int, notes: tuple[str, ...]) -> None:
    text = f"tabs:\n  a:\n    max_items_per_feed: {value}\n    sources: [{{url: 'https://a.example/'}}]\n"
    parsed = read(text.encode())
    assert (parsed.tabs[0].max_items_per_feed, parsed.feeds[0].max_items, parsed.notes) == (limit, limit, notes)


def test_merge_keys_and_aliases_are_followed() -> None:
    text = """\
defaults: &d {max_items_per_feed: 7, language: ja}
tabs:
  a:
    <<: *d
    language: zh
    sources: &s
      - url: https://a.example/
  b: {sources: *s}
"""
    parsed = read(text.encode())
    assert [(tab.language, tab.max_items_per_feed) for tab in parsed.tabs] == [("zh", 7), ("", 20)]
    assert [refusal.reason for refusal in parsed.refusals] == ["listed twice, first on line 7"]


def test_tags_create_no_objects() -> None:
    text = (
        "tabs:\n  a:\n    sources:\n      - url: !!python/object/apply:os.getcwd []\n      - url: https://a.example/\n"
    )
    parsed = read(text.encode())
    assert [feed.url for feed in parsed.feeds] == ["https://a.example/"]
    assert parsed.refusals == (Refusal(4, "", "this source has no url"),)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("", "The file is empty.", id="empty"),
        pytest.param("a: 1", "This is not a feeds.yaml: it has no `tabs` with sources.", id="no tabs"),
        pytest.param("tabs: []", "This is not a feeds.yaml: it has no `tabs` with sources.", id="tabs a list"),
        pytest.param("- a", "This is not a feeds.yaml: it has no `tabs` with sources.", id="a list"),
        pytest.param("# x", "This is not a feeds.yaml: it has no `tabs` with sources.", id="a comment"),
        pytest.param(
            "tabs: *gone",
            "Line 1 of this YAML cannot be read. The parser says: found undefined alias.",
            id="unknown alias",
        ),
        pytest.param(
            "tabs:\n\ta: 1",
            "Line 2 of this YAML cannot be read. The parser says: found character that cannot start any token.",
            id="tabulator",
        ),
        pytest.param(
            "a: 1\n---\ntabs: {}",
            "Line 2 of this YAML cannot be read. The parser says: but found another document.",
            id="two",
        ),
        pytest.param("tabs: " + "[" * 100_000, f"This YAML is nested deeper than {MAX_DEPTH} levels.", id="deep lists"),
        pytest.param(
            "tabs: " + "{a: " * 100_000, f"This YAML is nested deeper than {MAX_DEPTH} levels.", id="deep mappings"
        ),
        pytest.param(
            "\n".join(
                ["s0: &s0 [{url: https://a.example/}]"]
                + [f"s{n}: &s{n} [{', '.join([f'*s{n - 1}'] * 50)}]" for n in range(1, 9)]
                + ["tabs:"]
                + [f"  t{n}: {{sources: *s8}}" for n in range(1001)]
            ),
            f"The file contains more than {MAX_SOURCES:,} sources.",
            id="alias bomb",
        ),
    ],
)
def test_explains_unreadable_files(text: str, message: str) -> None:
    with pytest.raises(ImportFileError) as refused:
        read(text.encode())
    assert str(refused.value) == message


def test_refuses_a_file_that_is_too_large() -> None:
    with pytest.raises(ImportFileError, match="larger than 4 MiB"):
        read(b"#" * (MAX_YAML_CHARACTERS + 1))


def test_self_referring_aliases_terminate() -> None:
    parsed = read(b"tabs: &t\n  a: &a\n    <<: *a\n    sources: [{url: 'https://a.example/'}, *a]\n")
    assert [feed.url for feed in parsed.feeds] == ["https://a.example/"]


@given(st.text(alphabet="tabs:sourcesurl -[]{}&*<!|>'\"\n\t#%@`,?ab\x85é中", max_size=120))
def test_any_text_is_read_or_rejected(text: str) -> None:
    for document in (text, f"tabs:\n  a:\n    sources: {text}", f"tabs: {{a: {{sources: [{text}]}}}}"):
        try:
            parsed = read(document.encode())
        except ImportFileError:
            continue
        assert all(feed.url.startswith("http") for feed in parsed.feeds)
