"""Known entries are left out before parsing, and nothing else changes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feeds.parsing import parse
from feeds.parsing.entry_splitting import split_entries
from tests.tables import table

URL = "https://site.example/feed.xml"
ITEM = "<item><title>{0}</title><link>https://site.example/{0}</link></item>"
RSS = '<rss version="2.0"><channel><title>t</title><link>https://site.example/</link>{}</channel></rss>'
ATOM = '<feed xmlns="http://www.w3.org/2005/Atom"><title>t</title>{}</feed>'
PREFIXED_ATOM = '<a:feed xmlns:a="http://www.w3.org/2005/Atom"><a:title>t</a:title>{}</a:feed>'
RDF = (
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">'
    "<channel><title>t</title><items><rdf:Seq><rdf:li/></rdf:Seq></items></channel>{}</rdf:RDF>"
)
ENTRY = "<entry><title>{0}</title><id>urn:{0}</id></entry>"
PREFIXED_ENTRY = "<a:entry><a:title>{0}</a:title></a:entry>"

FORMATS = [
    pytest.param(RSS, ITEM, id="RSS"),
    pytest.param(ATOM, ENTRY, id="Atom"),
    pytest.param(PREFIXED_ATOM, PREFIXED_ENTRY, id="Atom with a prefix"),
    pytest.param(RDF, ITEM, id="RDF, whose <items> is no item"),
]


def titles(body: str, known: frozenset[int] = frozenset()) -> list[str]:
    return [entry.title for entry in parse(body.encode(), url=URL, known_hashes=known).entries]


@table(("feed", "entry"), FORMATS)
@table("known_at", [(), (0,), (1,), (2,), (0, 2), (0, 1, 2)], ids=str)
def test_known_entries_are_left_out_and_counted(feed: str, entry: str, known_at: tuple[int, ...]) -> None:
    body = feed.format("\n".join(entry.format(name) for name in ("one", "two", "three")))
    hashes = parse(body.encode(), url=URL).raw_hashes

    again = parse(body.encode(), url=URL, known_hashes=frozenset(hashes[index] for index in known_at))

    names = [name for index, name in enumerate(("one", "two", "three")) if index not in known_at]
    assert [item.title for item in again.entries] == names
    assert (again.n_known, again.raw_hashes) == (len(known_at), hashes)
    assert again.title == "t"


@pytest.mark.parametrize(
    "item",
    [
        pytest.param("<item><title><![CDATA[</item><item>]]></title></item>", id="end tag in CDATA"),
        pytest.param("<item><!-- </item> <item> --><title>x</title></item>", id="end tag in a comment"),
        pytest.param("<item><?php </item> ?><title>x</title></item>", id="end tag in an instruction"),
        pytest.param('<item note="a > b"><title>x</title></item >', id="greater-than in an attribute"),
        pytest.param("<item><itemX>1</itemX><title>x</title></item>", id="a longer name"),
        pytest.param("<item>&#10;<title>x</title></item>", id="references"),
    ],
)
def test_splits_only_at_real_tags(item: str) -> None:
    body = RSS.format(ITEM.format("before") + item + ITEM.format("after"))
    hashes = parse(body.encode(), url=URL).raw_hashes

    assert len(hashes) == 3
    assert titles(body, frozenset({hashes[1]})) == ["before", "after"]


@pytest.mark.parametrize(
    "inner",
    [
        pytest.param("<item><item><title>x</title></item></item>", id="nested"),
        pytest.param("<item/>", id="empty-element tag"),
        pytest.param(
            "<item><title>x</title></item><ttl>5</ttl>" + ITEM.format("y"), id="the feed's own between entries"
        ),
        pytest.param('<item xmlns="urn:other"><title>x</title></item>', id="an item of another vocabulary"),
    ],
)
def test_parses_unsafe_documents_whole(inner: str) -> None:
    body = RSS.format(ITEM.format("before") + inner)

    feed = parse(body.encode(), url=URL)

    assert feed.raw_hashes == ()
    assert feed.entries[0].title == "before"


def test_a_truncated_document_has_no_hashes() -> None:
    feed = parse(RSS.format(ITEM.format("one") + ITEM.format("two")).encode()[:-40], url=URL)

    assert (feed.raw_hashes, [entry.title for entry in feed.entries]) == ((), ["one"])


def test_splits_a_repaired_document() -> None:
    body = RSS.format(ITEM.format("a&b") + ITEM.format("two"))
    hashes = parse(body.encode(), url=URL).raw_hashes

    assert len(hashes) == 2
    assert titles(body, frozenset({hashes[1]})) == ["a&b"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("<rss ", '<rss xml:base="https://other.example/" ', id="xml:base"),
        pytest.param("<rss ", '<rss xml:lang="de" ', id="xml:lang"),
        pytest.param("<rss ", '<rss xmlns:x="urn:x" ', id="namespaces"),
        pytest.param("https://site.example/<", "https://moved.example/<", id="the site's link"),
        pytest.param("<title>t", "<managingEditor>An Editor</managingEditor><title>t", id="the inherited author"),
        pytest.param("<title>t", "<language>ja</language><title>t", id="the language"),
    ],
)
def test_inherited_values_are_part_of_the_hashes(before: str, after: str) -> None:
    body = RSS.format(ITEM.format("one"))
    changed = body.replace(before, after, 1)

    assert parse(body.encode(), url=URL).raw_hashes != parse(changed.encode(), url=URL).raw_hashes


@pytest.mark.parametrize(
    "addition",
    [
        pytest.param("<lastBuildDate>Fri, 20 Nov 2026 00:00:00 GMT</lastBuildDate>", id="a date of the feed"),
        pytest.param("<ttl>60</ttl>", id="ttl"),
        pytest.param(ITEM.format("new"), id="another entry"),
    ],
)
def test_hashes_ignore_values_that_change_every_poll(addition: str) -> None:
    old = parse(RSS.format(ITEM.format("one")).encode(), url=URL).raw_hashes
    new = parse(RSS.format(addition + ITEM.format("one")).encode(), url=URL).raw_hashes

    assert old[0] in new


def test_hashes_are_unsigned_64_bit_and_stable() -> None:
    (value,) = parse(RSS.format(ITEM.format("one")).encode(), url=URL).raw_hashes

    assert 0 <= value < 2**64
    assert parse(RSS.format(ITEM.format("one")).encode("utf-16"), url=URL).raw_hashes == (value,)


def test_does_not_split_without_a_feed_root() -> None:
    assert split_entries("<opml><item></item></opml>", url=URL) is None


TEXTS = st.sampled_from(
    [
        "plain",
        "<![CDATA[<b>bold</b></item>]]>",
        "<!-- <item> -->text",
        "&lt;p&gt;x&lt;/p&gt;",
        "世界 &amp; é",
        "<b>x</b>",
        "",
    ]
)
ENTRIES = st.builds(
    "<item{}><title>{}</title><guid>{}</guid><description>{}</description>{}</item>{}".format,
    st.sampled_from(["", " ", ' a=">"', " xml:lang='fr'"]),
    TEXTS,
    st.integers(0, 5),
    TEXTS,
    st.sampled_from(
        [
            "",
            "<author>a@b.example (A)</author>",
            "<itemList/>",
            '<dc:creator xmlns:dc="http://purl.org/dc/elements/1.1/">D</dc:creator>',
        ]
    ),
    st.sampled_from(["", "\n", " "]),
)


@given(st.lists(ENTRIES, max_size=6), st.data())
def test_splitting_equals_parsing_all_minus_known(entries: list[str], data: st.DataObject) -> None:
    body = RSS.format("".join(entries)).encode()
    whole = parse(body, url=URL)
    known = data.draw(st.frozensets(st.sampled_from(whole.raw_hashes))) if whole.raw_hashes else frozenset()

    rest = parse(body, url=URL, known_hashes=known)

    expected = [entry for entry, value in zip(whole.entries, whole.raw_hashes, strict=True) if value not in known]
    assert list(rest.entries) == expected
    assert rest.n_known == len(whole.entries) - len(expected)
