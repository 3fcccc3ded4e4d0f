"""Layers 1 and 2 as a pure decision: what a page and its parts are, and which of them an entry is."""

from itertools import permutations

import pytest

from feeds.dedup.decision import Decision, KnownArticle, KnownItem
from feeds.dedup.exact_policy import decide
from feeds.normalizing.canonical_url import url_key
from feeds.normalizing.draft import Draft
from feeds.normalizing.identity import fragment_of, part_key
from tests.make_draft import HARBOUR, LIBRARY, draft

PAGE = "https://blog.example/post"
KEY = url_key(PAGE)
PART = "another part of the same page"
COMMENT = "My grandfather drove one for thirty years and always told us how the wind up there sang through the cabin."
REPLY = "Sad news, although nobody has oiled them since I moved here; will any museum take at least the hook?"
CRANES_IN_JAPANESE = "港湾事務所は火曜日、老朽化した二基を撤去すると発表した。"
LIBRARY_IN_JAPANESE = "朝早くから多くの市民が列を作り、新しい閲覧室に見入った。"

POST = draft("post", url=PAGE, title="Cranes come down")
FIRST = draft("c1", url=f"{PAGE}#comment-1", title="By: Graham Morris", text=COMMENT)
SECOND = draft("c2", url=f"{PAGE}#comment-2", title="By: Graham Morris", text=REPLY)
ABOUT = draft("c3", url=f"{PAGE}#comment-3", title="Comment on Cranes come down by Ada", text=COMMENT)
OPENING = draft("opening", url=f"{PAGE}#library", title="New library opened", text=LIBRARY)


def known(existing: Draft, article_id: int = 7) -> KnownArticle:
    """The article stored when another feed delivered `existing`."""
    return KnownArticle(
        article_id,
        existing.content_hash,
        feed_id=2,
        is_own=True,
        word_count=existing.word_count,
        text_length=len(existing.text),
        title=existing.title,
        text=existing.text,
        fragment=fragment_of(existing.url),
    )


def delivered(existing: Draft, *, key: bytes | None = None) -> KnownItem:
    """What the same feed delivered before."""
    return KnownItem(
        5,
        7,
        existing.guid,
        existing.content_hash,
        existing.details_hash,
        key or existing.url_key,
        existing.title,
        existing.text,
        fragment_of(existing.url),
    )


def decided(entry: Draft, articles: dict[bytes, KnownArticle], items: dict[str, KnownItem] | None = None) -> Decision:
    return decide(entry, feed_id=1, is_own=True, items=items or {}, articles=articles)


@pytest.mark.parametrize(
    ("url", "fragment"),
    [
        pytest.param(PAGE, "", id="none"),
        pytest.param("", "", id="linkless"),
        pytest.param(f"{PAGE}#", "", id="empty"),
        pytest.param(f"{PAGE}#comment-1", "comment-1", id="comment"),
        pytest.param(f"{PAGE}?utm_source=x#comment-1", "comment-1", id="utm and comment"),
        pytest.param(f"{PAGE}#鶴", "鶴", id="non-Latin"),
        pytest.param(f"{PAGE}#a#b", "a#b", id="two signs"),
        pytest.param(f"{PAGE}#top", "", id="top of the page"),
        pytest.param(f"{PAGE}#Top", "", id="top in any case"),
        pytest.param(f"{PAGE}#xtor=RSS-3208", "", id="tracker"),
        pytest.param(f"{PAGE}#:~:text=two%20cranes", "", id="text directive"),
        pytest.param(f"{PAGE}#!/news/1", "", id="route with a bang"),
        pytest.param(f"{PAGE}#/news/1", "", id="route with a slash"),
    ],
)
def test_fragment_is_what_names_a_part(url: str, fragment: str) -> None:
    assert fragment_of(url) == fragment


@pytest.mark.parametrize(
    ("existing", "entry"),
    [
        pytest.param(POST, FIRST, id="comment after the post"),
        pytest.param(FIRST, POST, id="post after the comment"),
        pytest.param(FIRST, SECOND, id="two comments of one author"),
        pytest.param(POST, ABOUT, id="comment that names the post"),
        pytest.param(ABOUT, POST, id="post after a comment that names it"),
        pytest.param(POST, OPENING, id="two entries of a single-page blog"),
        pytest.param(OPENING, POST, id="the same, other order"),
        pytest.param(
            POST, draft("x", url=f"{PAGE}?utm_source=x#library", title="New library opened", text=LIBRARY), id="utm"
        ),
        pytest.param(
            POST,
            draft("x", url=f"{PAGE}#library", title="New library opened", text=""),
            id="nothing but an unlike title",
        ),
        pytest.param(
            draft("x", url=f"{PAGE}#一", title="港の古いクレーンを撤去へ", text=CRANES_IN_JAPANESE),
            draft("y", url=f"{PAGE}#二", title="図書館が新装開館", text=LIBRARY_IN_JAPANESE),
            id="Japanese",
        ),
    ],
)
def test_another_part_of_the_page_is_another_article(existing: Draft, entry: Draft) -> None:
    assert decided(entry, {KEY: known(existing)}) == Decision(
        "unique", entry.guid, "url", PART, url_key=part_key(KEY, fragment_of(entry.url))
    )


@pytest.mark.parametrize(
    ("existing", "entry"),
    [
        pytest.param(POST, draft("x", url=f"{PAGE}#read", title="Cranes come down"), id="anchor, same words"),
        pytest.param(POST, draft("x", url=f"{PAGE}#read", title="Harbour: two less"), id="anchor, other title"),
        pytest.param(
            POST, draft("x", url=f"{PAGE}#more-12", title="Cranes come down", text=HARBOUR[:60]), id="number, excerpt"
        ),
        pytest.param(
            POST, draft("x", url=f"{PAGE}#more", title="Cranes come down", text=LIBRARY), id="same title, no number"
        ),
        pytest.param(POST, draft("x", url=f"{PAGE}#more-12", title="Cranes come down", text=""), id="number, no text"),
        pytest.param(POST, draft("x", url=f"{PAGE}#top", title="New library opened", text=LIBRARY), id="top"),
        pytest.param(POST, draft("x", url=PAGE, title="New library opened", text=LIBRARY), id="no fragment in either"),
        pytest.param(
            FIRST, draft("x", url=f"{PAGE}#comment-1", title="Library", text=LIBRARY), id="same comment, rewritten"
        ),
        pytest.param(
            FIRST, draft("x", url=f"{PAGE}?utm_source=x#comment-1", title="By: Graham Morris", text=COMMENT), id="utm"
        ),
        pytest.param(
            POST,
            draft("x", url=f"{PAGE}#xtor=RSS-3208", title="New library opened", text=LIBRARY),
            id="tracker in the fragment",
        ),
        pytest.param(
            POST, draft("x", url=f"{PAGE}#.VtCA1eS6", title="Cranes come down", text=LIBRARY), id="sharing tool"
        ),
    ],
)
def test_same_part_or_similar_words_are_one_article(existing: Draft, entry: Draft) -> None:
    decision = decided(entry, {KEY: known(existing)})
    assert (decision.disposition, decision.layer, decision.article_id, decision.url_key) == (
        "exact_duplicate",
        "url",
        7,
        KEY,
    )


@pytest.mark.parametrize(
    "order", list(permutations((POST, FIRST, SECOND))), ids=lambda order: "-".join(draft.guid for draft in order)
)
def test_a_part_is_found_in_any_order(order: tuple[Draft, ...]) -> None:
    articles: dict[bytes, KnownArticle] = {}
    for article_id, entry in enumerate(order):
        articles[decided(entry, articles).url_key] = known(entry, article_id)
    assert len(articles) == 3
    assert [decided(entry, articles).article_id for entry in order] == [0, 1, 2]


def test_a_part_is_found_by_its_own_key_first() -> None:
    entry = draft("x", url=f"{PAGE}#read", title="Cranes come down")
    articles = {KEY: known(POST), part_key(KEY, "read"): known(OPENING, 8)}
    assert decided(entry, articles).article_id == 8


def test_a_part_outlives_the_article_that_had_the_pages_key() -> None:
    decision = decided(FIRST, {part_key(KEY, "comment-1"): known(FIRST)})
    assert (decision.article_id, decision.evidence) == (7, "same part of the same page")


@pytest.mark.parametrize("url", [PAGE, ""], ids=["link", "linkless"])
def test_an_entry_without_rivals_gets_its_own_key(url: str) -> None:
    entry = draft("g", url=url)
    assert decided(entry, {}) == Decision("unique", "g", url_key=entry.url_key)


def test_an_edited_part_is_a_revision() -> None:
    edited = draft("c1", url=f"{PAGE}#comment-1", title="By: Graham Morris", text=LIBRARY)
    item = delivered(FIRST, key=part_key(KEY, "comment-1"))
    assert decided(edited, {}, {"c1": item}).disposition == "revision"


def test_one_guid_for_all_parts_of_a_page_is_reuse() -> None:
    """As when entries have no guid and the page's URL replaces it."""
    first = draft("page", url=f"{PAGE}#a", title="Cranes come down")
    second = draft("page", url=f"{PAGE}#b", title="New library opened", text=LIBRARY)
    decision = decided(second, {KEY: known(first)}, {"page": delivered(first)})
    assert (decision.disposition, decision.evidence, decision.url_key) == (
        "unique",
        f"guid reused for different content; {PART}",
        part_key(KEY, "b"),
    )


def test_a_topic_that_links_to_its_last_reply_stays_one_article() -> None:
    """The publisher decides by the guid: same guid and title are one entry, even if fragment and text change."""
    first = draft("topic", url=f"{PAGE}#post-1", title="What becomes of the cranes?", text=COMMENT)
    second = draft("topic", url=f"{PAGE}#post-2", title="What becomes of the cranes?", text=REPLY)
    decision = decided(second, {KEY: known(first)}, {"topic": delivered(first)})
    assert (decision.disposition, decision.article_id) == ("revision", 7)
