"""Normalization of an entry: SPEC §5's table, and that it never raises."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feeds.normalizing.draft import PREVIEW, Draft, Media
from feeds.normalizing.entry import FeedContext, content_hash, normalize
from feeds.parsing.feed import ParsedDate, ParsedEntry, ParsedMedia
from tests.tables import table

NOW = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)
PAGE = "https://x.example/p"
FEED = FeedContext(url="https://paper.example/feed.xml", link="https://paper.example/", language="en")
ENTRY = ParsedEntry(
    guid="tag:paper.example,2026:1",
    link="/2026/cranes?utm_source=rss&id=7",
    title="Cranes &amp;amp; <b>docks</b>",
    author="ann@paper.example (Ann Harper)",
    dates=(ParsedDate("Tue, 03 Mar 2026 08:00:00 EST"),),
    markup="<p>The two oldest cranes <script>x()</script>come down.</p><p>Work begins on Monday.</p>",
    categories=("HARBOUR", "tech"),
    media=(ParsedMedia("/crane.jpg", "thumbnail"),),
)


def draft_of(entry: ParsedEntry = ENTRY, feed: FeedContext = FEED, **values: object) -> Draft:
    draft = normalize(replace(entry, **values), feed=feed, now=NOW, synonyms={"tech": "Technology"})  # type: ignore[arg-type]
    assert draft is not None
    return draft


def test_a_whole_entry() -> None:
    draft = draft_of()
    assert draft.title == "Cranes & docks"
    assert draft.url == "https://paper.example/2026/cranes?utm_source=rss&id=7"
    assert draft.canonical_url == "https://paper.example/2026/cranes?id=7"
    assert draft.domain == "paper.example"
    assert draft.author == "Ann Harper"
    assert (draft.published_at, draft.date_uncertain) == (datetime(2026, 3, 3, 13, 0, tzinfo=UTC), False)
    assert draft.text == "The two oldest cranes come down.\nWork begins on Monday."
    assert draft.summary == "The two oldest cranes come down. Work begins on Monday."
    assert draft.markup == ENTRY.markup
    assert draft.categories == ("Harbour", "Technology")
    assert draft.media == (Media("https://paper.example/crane.jpg", "image/jpeg", use=PREVIEW),)
    assert (draft.word_count, draft.reading_seconds, draft.partial_content, draft.language) == (10, 3, False, "en")


@table(
    ("values", "field", "expected"),
    [
        pytest.param({"title": "", "markup": "<p>First.</p><p>Second.</p>"}, "title", "First.", id="title-from-body"),
        pytest.param({"title": "", "markup": "word " * 40}, "title", ("word " * 16).strip(), id="title-of-80"),
        pytest.param({"title": "", "markup": "<img src=x>"}, "title", "Untitled", id="a-picture-alone"),
        pytest.param({"title": "", "markup": "<img alt='A crane'>"}, "title", "A crane", id="a-described-picture"),
        pytest.param({"link": "", "guid": PAGE}, "url", PAGE, id="guid"),
        pytest.param({"link": "", "guid": "tag:paper.example,2026:1"}, "url", "", id="guid that is no URL"),
        pytest.param({"link": "javascript:alert(1)"}, "url", "", id="script-is-no-link"),
        pytest.param({"link": "https://x.example/" + "a" * 3000}, "url", "", id="endless-link"),
        pytest.param({"link": "a", "base": "https://b.example/dir/"}, "url", "https://b.example/dir/a", id="xml-base"),
        pytest.param({"guid": ""}, "guid", "https://paper.example/2026/cranes?id=7", id="guid-from-url"),
        pytest.param({"guid": "", "link": ""}, "guid", "sha:", id="guid-from-title"),
        pytest.param({"guid": "g" * 500}, "guid", "g" * 190 + "…", id="long-guid"),
        pytest.param({"dates": ()}, "published_at", NOW, id="no-date"),
        pytest.param({"dates": (ParsedDate("2026-03-04T18:00"),)}, "date_uncertain", True, id="no-zone"),
        pytest.param({"dates": (ParsedDate("2027-01-01T00:00:00Z"),)}, "published_at", NOW, id="future"),
        pytest.param({"markup": "a\0b\ud800c"}, "text", "abc", id="unstorable"),
        pytest.param({"markup": "今日は港で新しい橋が完成した。" * 3}, "language", "ja", id="language-from-script"),
        pytest.param({"markup": "<p>A short teaser that ends […]</p>"}, "partial_content", True, id="partial"),
        pytest.param({"markup": "1 < 2\n\n& so on", "markup_is_text": True}, "text", "1 < 2\n& so on", id="plain-text"),
        pytest.param({"summary": "<i>Short</i> of it"}, "summary", "Short of it", id="own-summary"),
        pytest.param({"summary": "<p>Short […]</p>"}, "summary", "Short …", id="cut-summary"),
        pytest.param({"markup": "A&nbsp;&amp; B", "markup_is_text": True}, "markup", "A\xa0& B", id="stripped-markup"),
        pytest.param({"markup": "Type &lt; here", "markup_is_text": True}, "text", "Type &lt; here", id="references"),
    ],
)  # fmt: skip
def test_a_field(values: dict[str, object], field: str, expected: object) -> None:
    value = getattr(draft_of(**values), field)
    assert value.startswith(expected) if field == "guid" else value == expected


def test_neither_title_nor_body_is_malformed() -> None:
    for entry in (ParsedEntry(), ParsedEntry(guid="1", link="https://x.example/"), ParsedEntry(markup="<p> </p>")):
        assert normalize(entry, feed=FEED, now=NOW) is None


def test_all_urls_of_a_page_have_one_key() -> None:
    urls = ("https://paper.example/a", "http://www.paper.example/a/?utm_source=x", "HTTPS://PAPER.EXAMPLE:443/a#top")
    assert len({draft_of(link=url).url_key for url in urls}) == 1


def test_without_a_link_the_key_depends_on_the_feed() -> None:
    other = replace(FEED, url="https://other.example/feed.xml")
    keys = {draft_of(link="").url_key, draft_of(link="", guid="2").url_key, draft_of(link="", feed=other).url_key}
    assert len(keys) == 3


def test_markup_alone_does_not_change_the_hash() -> None:
    plain, dressed = draft_of(), draft_of(markup=ENTRY.markup.replace("<p>", "<p class='ad-4711'>"))
    assert plain.content_hash == dressed.content_hash
    assert plain.content_hash != draft_of(title="Other").content_hash
    assert -(2**63) <= content_hash("a", "b") < 2**63


anything = st.text(max_size=60) | st.sampled_from(
    [
        "<p>",
        "&amp;lt;b&amp;gt;",
        "\0",
        "\ud800",
        "https://x.example/a b",
        "http://[::1",
        "//x",
        "<img src=x>",
        "漢字かな",
        "ไทย",
    ]
)
pieces = st.lists(anything, max_size=6).map("".join)
entries = st.builds(
    ParsedEntry,
    guid=pieces,
    link=pieces,
    base=pieces,
    title=pieces,
    author=pieces,
    dates=st.lists(st.builds(ParsedDate, pieces, st.none() | st.datetimes(timezones=st.just(UTC))), max_size=3).map(
        tuple
    ),
    markup=pieces,
    markup_is_text=st.booleans(),
    summary=pieces,
    categories=st.lists(pieces, max_size=3).map(tuple),
    media=st.lists(st.builds(ParsedMedia, pieces, pieces, pieces, st.none() | st.integers()), max_size=3).map(tuple),
    language=pieces,
)


@pytest.mark.slow
@given(entries, st.builds(FeedContext, st.just("https://paper.example/f"), pieces, pieces))
def test_never_raises_and_gives_storable_drafts(entry: ParsedEntry, feed: FeedContext) -> None:
    draft = normalize(entry, feed=feed, now=NOW)
    if draft is None:
        return
    assert draft.title
    assert 1 <= len(draft.guid) <= 255
    assert len(draft.url_key) == 16
    assert len(draft.summary) <= 501
    assert len(draft.author) <= 200
    assert len(draft.language) <= 8
    assert draft.published_at <= NOW + timedelta(hours=24)
    for text in (
        draft.guid,
        draft.url,
        draft.canonical_url,
        draft.base_url,
        draft.title,
        draft.author,
        draft.markup,
        draft.text,
    ):
        assert "\0" not in text
        text.encode()
