"""JSON Feed 1.0 and 1.1, and other JSON."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feeds.errors import ParseError
from feeds.parsing import ParsedDate, ParsedEntry, ParsedMedia, parse
from tests.tables import table

URL = "https://site.example/feed.json"


def feed(*items: Any, version: str = "https://jsonfeed.org/version/1.1", **fields: Any) -> bytes:
    return json.dumps({"version": version, "title": "Site", "items": list(items), **fields}).encode()


def test_reads_every_field() -> None:
    item = {
        "id": "https://site.example/1",
        "url": "/1",
        "title": "Title",
        "content_html": "<p>Body</p>",
        "content_text": "Body",
        "summary": "Short",
        "image": "/cover.jpg",
        "date_published": "2026-02-17T10:00:00+09:00",
        "date_modified": "2026-02-18T10:00:00Z",
        "authors": [{"name": "A"}, {"name": "B"}, {"url": "https://c.example"}],
        "tags": ["x", "y", "x", 3],
        "language": "ja",
        "attachments": [{"url": "/a.mp3", "mime_type": "audio/MPEG", "size_in_bytes": 12}],
    }

    parsed = parse(feed(item, home_page_url="https://site.example/", language="en", icon="/i.png"), url=URL)

    assert (parsed.title, parsed.link, parsed.language, parsed.format) == (
        "Site",
        "https://site.example/",
        "en",
        "json11",
    )
    assert parsed.icon == "https://site.example/i.png"
    assert parse(feed(item, icon="https://cdn.example/512.png", favicon="/i.ico"), url=URL).icon.endswith("/i.ico")
    assert parsed.entries == (
        ParsedEntry(
            guid="https://site.example/1",
            link="https://site.example/1",
            title="Title",
            author="A, B",
            dates=(ParsedDate("2026-02-17T10:00:00+09:00"), ParsedDate("2026-02-18T10:00:00Z")),
            markup="<p>Body</p>",
            summary="Short",
            categories=("x", "y"),
            media=(
                ParsedMedia("https://site.example/a.mp3", "enclosure", "audio/mpeg", length=12),
                ParsedMedia("https://site.example/cover.jpg", "thumbnail"),
            ),
            language="ja",
        ),
    )


def test_version_1_has_one_author_and_numbers_for_ids() -> None:
    body = feed({"id": 7, "content_text": "a < b", "author": {"name": "A"}}, version="https://jsonfeed.org/version/1")

    parsed = parse(body, url=URL)

    (entry,) = parsed.entries
    assert parsed.format == "json10"
    assert (entry.guid, entry.author, entry.markup, entry.markup_is_text) == ("7", "A", "a < b", True)


def test_entries_inherit_the_feeds_authors() -> None:
    (entry,) = parse(feed({"id": "1"}, authors=[{"name": "F"}]), url=URL).entries

    assert entry.author == "F"


@pytest.mark.parametrize(
    "item",
    [
        pytest.param({"id": {"a": 1}, "title": ["x"], "url": 5, "tags": "x", "attachments": {}}, id="wrong types"),
        pytest.param({"authors": [None, 3, []], "author": "A", "attachments": [1, {"url": None}]}, id="wrong members"),
        pytest.param({"attachments": [{"url": "/a", "size_in_bytes": 10**400}]}, id="absurd number"),
        pytest.param({"title": "\ud800\x00x"}, id="lone surrogate and NUL"),
        pytest.param({"id": True, "date_published": 5}, id="boolean id"),
        pytest.param({"url": "http://[broken"}, id="broken URL"),
    ],
)
def test_a_hostile_item_affects_only_itself(item: dict[str, Any]) -> None:
    first, second = parse(feed(item, {"id": "ok", "title": "Sound"}), url=URL).entries

    assert (second.guid, second.title) == ("ok", "Sound")
    first.title.encode()
    assert "\0" not in first.title


def test_skips_items_that_are_not_objects() -> None:
    assert [entry.guid for entry in parse(feed(1, None, [], "x", {"id": "1"}), url=URL).entries] == ["1"]


def test_known_items_are_left_out() -> None:
    body = feed({"id": "1"}, {"id": "2"})
    hashes = parse(body, url=URL).raw_hashes

    again = parse(body, url=URL, known_hashes=frozenset(hashes[:1]))

    assert ([entry.guid for entry in again.entries], again.n_known, again.raw_hashes) == (["2"], 1, hashes)


def test_a_truncated_feed_gives_complete_items() -> None:
    body = feed({"id": "1", "title": "世"}, {"id": "2"}, {"id": "3", "title": "long enough to be torn"})

    parsed = parse(body[:-20], url=URL)

    assert [entry.guid for entry in parsed.entries] == ["1", "2"]
    assert (parsed.title, parsed.well_formed) == ("Site", False)


SOUND = '{"version": "https://jsonfeed.org/version/1.1", "title": "T", "items": [%s]}'
MISTAKES = {
    "raw line break": ('{"id": "1", "content_html": "\n<p>One</p>\n"}', "<p>One</p>"),
    "raw tab": ('{"id": "1", "content_html": "a\tb"}', "a\tb"),
    "control character": ('{"id": "1", "content_html": "a\x01b"}', "ab"),
    "comma after the last value": ('{"id": "1", "content_html": "One",},', "One"),
    "commas of a loop": (',{"id": "1",, "content_html": "One"},,', "One"),
    "comments": ('/* the first */ {"id": "1", // its name\n "content_html": "https://a.example/*x*/"}', "https://a.example/*x*/"),
    "unknown escapes": (r'''{"id": "1", "content_html": "It\'s \x26 5\d"}''', r"It's & 5\d"),
    "half a Unicode escape": (r'''{"id": "1", "content_html": "\u00e9 \u12"}''', r"é \u12"),
    "comma in a string": ('{"id": "1", "content_html": "a,] b,,c },{"},', "a,] b,,c },{"),
}  # fmt: skip


@table(("item", "markup"), MISTAKES.values(), ids=MISTAKES)
def test_mistakes_of_templates_lose_nothing(item: str, markup: str) -> None:
    document = SOUND % item

    parsed = parse(document.encode(), url=URL)

    assert [(entry.guid, entry.markup) for entry in parsed.entries] == [("1", markup)]
    assert (parsed.title, parsed.well_formed, parsed.notes) == (
        "T",
        False,
        ("the feed's JSON had errors, which were repaired",),
    )


@pytest.mark.parametrize(
    "document",
    [
        pytest.param("\ufeff" + SOUND % '{"id": "1"}', id="byte-order-mark"),
        pytest.param(SOUND % '{"id": "1"}' + "\n<!-- cached -->", id="text-behind"),
        pytest.param("// generated\n" + SOUND % '{"id": "1"}', id="comment-before"),
        pytest.param(SOUND % '{"id": "1"} {"id": "2"}', id="comma-missing"),
    ],
)
def test_mistakes_around_items_lose_nothing(document: str) -> None:
    assert parse(document.encode(), url=URL).entries[0].guid == "1"


def test_item_that_cannot_be_read_loses_only_itself() -> None:
    items = (
        '{"id": "1"}, {"id": "2", "title": "the "best" one"}, '
        '{"id": "3", "attachments": [{"url": "a"}, {"url": "b"}],}, {"id": "4"}'
    )

    parsed = parse((SOUND % items).encode(), url=URL)

    assert [entry.guid for entry in parsed.entries] == ["1", "3", "4"]
    assert [medium.url for medium in parsed.entries[1].media] == ["https://site.example/a", "https://site.example/b"]
    assert (parsed.title, parsed.notes) == ("T", ("some of the JSON could not be read",))


def test_fullest_text_is_the_body() -> None:
    story = "The ferry sails again from Monday, and the first boat is full."
    body = feed(
        {"id": "1", "content_html": "<p>Ferry</p>", "content_text": story},
        {"id": "2", "content_html": "", "summary": story},
    )

    first, second = parse(body, url=URL).entries

    assert (first.markup, first.markup_is_text) == (story, True)
    assert (second.markup, second.markup_is_text) == (story, True)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        pytest.param(
            b'{"version": "https://jsonfeed.org/version/1", "items": [{"id": "1", "title": "ha',
            "unreadable",
            id="cut off in the first item",
        ),
        pytest.param(b'{"error":"rate limited"}', "json", id="an error"),
        pytest.param(b'{"items":[{"name":"x"}]}', "json", id="some API's items"),
        pytest.param(b"[]", "json", id="an array"),
        pytest.param(b'{"version":"https://jsonfeed.org/version/1"}', "json", id="no items"),
        pytest.param(b"{", "unreadable", id="no JSON"),
        pytest.param(b"[" * 100_000, "unreadable", id="nested deeply"),
    ],
)
def test_rejects_other_json(body: bytes, reason: str) -> None:
    with pytest.raises(ParseError) as refusal:
        parse(body, url=URL)

    assert refusal.value.reason == reason


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)
ITEM_KEYS = st.sampled_from(
    [
        "id",
        "url",
        "title",
        "content_html",
        "content_text",
        "summary",
        "image",
        "date_published",
        "author",
        "authors",
        "tags",
        "attachments",
    ]
)


@given(st.lists(st.dictionaries(ITEM_KEYS, JSON, max_size=5), max_size=3))
def test_any_items_give_as_many_entries(items: list[dict[str, Any]]) -> None:
    assert len(parse(feed(*items), url=URL).entries) == len(items)


def test_attachments_with_one_title_are_forms_of_one_recording() -> None:
    attachments = [
        {"url": "/a.mp3", "mime_type": "audio/mpeg", "title": "Cranes", "duration_in_seconds": 75.5},
        {"url": "/a.ogg", "mime_type": "audio/ogg", "title": "Cranes"},
        {"url": "/b.jpg", "mime_type": "image/jpeg", "title": "Cranes"},
        {"url": "/c.mp3", "mime_type": "audio/mpeg"},
    ]
    [entry] = parse(feed({"id": "1", "attachments": attachments}), url=URL).entries
    assert [(file.group, file.seconds, file.description) for file in entry.media] == [
        (1, 75, "Cranes"),
        (1, None, "Cranes"),
        (0, None, "Cranes"),
        (0, None, ""),
    ]
