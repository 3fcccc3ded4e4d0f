"""No relevant feedparser or W3C test fails, except those where we want a different result, each with a reason."""

import pytest

from tests.feeds import conformance

pytestmark = [
    pytest.mark.skipif(not conformance.ARCHIVES.exists(), reason="../shared/data is not here"),
    pytest.mark.slow,
]

EXCEPTIONS = {
    "encoding/bozo_bogus_encoding.xml": "an unknown encoding's name is no damage when the text is plain ASCII",
    "encoding/bozo_http_text_plain.xml": "the Content-Type does not decide what a feed is (SPEC §4)",
    "encoding/bozo_http_text_plain_charset.xml": "the Content-Type does not decide what a feed is (SPEC §4)",
    "encoding/http_text_atom_xml_encoding.xml": "without HTTP charset the declaration counts for text/* (RFC 7303)",
    "encoding/http_text_rss_xml_encoding.xml": "without HTTP charset the declaration counts for text/* (RFC 7303)",
    "encoding/http_text_xml_epe_encoding.xml": "without HTTP charset the declaration counts for text/* (RFC 7303)",
    "entities/lang.xml": "HTML5 made &lang; U+27E8, where HTML 4 had U+2329",
    "entities/rang.xml": "HTML5 made &rang; U+27E9, where HTML 4 had U+232A",
    "wellformed/atom10/entry_category_term.xml": "a category's label, made for people, goes before its term",
    "wellformed/atom10/entry_category_term_non_ascii.xml": "a category's label, made for people, goes before its term",
    "wellformed/atom10/entry_content_base64.xml": "a body of type application/octet-stream is not text to read",
    "wellformed/atom10/entry_content_base64_2.xml": "a body of type application/octet-stream is not text to read",
    "wellformed/atom10/entry_content_src.xml": "content that is elsewhere is no content of the feed",
    "wellformed/rss/item_description_and_summary.xml": "the description is the body (SPEC §5)",
}
NOT_WELL_FORMED = {"atom/must/feed_copyright_is_inline.xml", "atom/must/feed_copyright_is_inline_2.xml"}
"""Valid but for their tags, and without an entry: nothing can be read from them."""


@pytest.fixture(scope="module")
def outcomes() -> list[conformance.Outcome]:
    return conformance.run_feedparser()


def test_feedparsers_own_tests_fail_only_where_explained(outcomes: list[conformance.Outcome]) -> None:
    failed = {outcome.name for outcome in outcomes if outcome.verdict == "fails"}

    assert failed == EXCEPTIONS.keys()


def test_seven_hundred_of_feedparsers_own_tests_hold(outcomes: list[conformance.Outcome]) -> None:
    assert sum(outcome.verdict == "holds" for outcome in outcomes) >= 700


def test_detected_encodings_of_feedparsers_tests_are_right() -> None:
    bodies = dict(conformance.archive_files("kurtmckee+feedparser.tar.gz", "tests"))
    names = {"big5": "big5hkscs", "eucjp": "euc_jp", "koi8r": "koi8_r"}

    detected = {
        name: conformance.parse(bodies[f"illformed/chardet/{name}.xml"], url="http://a.example/").encoding
        for name in names
    }

    assert detected == names


def test_every_feed_that_the_w3c_validator_calls_valid_parses() -> None:
    outcomes = conformance.run_w3c()

    assert len(outcomes) > 600
    assert {outcome.name for outcome in outcomes if outcome.verdict == "fails"} == NOT_WELL_FORMED


@pytest.mark.parametrize(
    "expression",
    [
        pytest.param("__import__('os')", id="call"),
        pytest.param("entries.__class__", id="attribute"),
        pytest.param("[x for x in entries]", id="comprehension"),
        pytest.param("open", id="unknown name"),
    ],
)
def test_expectations_cannot_run_code(expression: str) -> None:
    tree = conformance.ast.parse(expression, mode="eval")

    with pytest.raises(conformance.NotCarriedError):
        conformance.evaluate(tree.body, {"entries": []})
