"""What comes up, grows and goes down against the window before."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from digests.assembly.trends import TopicTrends, topic_trends, trend_of
from digests.edition.document import Trend
from digests.topics import Document, cluster_documents
from tests.tables import table

WORDS = {
    "a": "alder aspen acacia almond apple",
    "b": "bronze basalt boron brass beryl",
    "c": "canoe cutter catamaran clipper coracle",
    "ab": "alder aspen acacia almond bronze",  # near a, far from b
    "q": "alder aspen acacia quartz quarry",  # similar to a, though not near
}
EMERGING, TRENDING, FADING = Trend.EMERGING, Trend.TRENDING, Trend.FADING

EDGES = [
    pytest.param(0, 1, None, id="0 to 1"),
    pytest.param(0, 2, None, id="0 to 2"),
    pytest.param(0, 3, EMERGING, id="0 to 3"),
    pytest.param(1, 1, None, id="1 to 1"),
    pytest.param(1, 2, TRENDING, id="1 to 2"),
    pytest.param(2, 3, TRENDING, id="2 to 3"),
    pytest.param(3, 4, None, id="3 to 4"),
    pytest.param(3, 5, TRENDING, id="3 to 5"),
    pytest.param(4, 5, None, id="4 to 5"),
    pytest.param(4, 6, TRENDING, id="4 to 6"),
    pytest.param(2, 1, FADING, id="2 to 1"),
    pytest.param(3, 2, None, id="3 to 2"),
    pytest.param(3, 1, FADING, id="3 to 1"),
    pytest.param(4, 3, None, id="4 to 3"),
    pytest.param(4, 2, FADING, id="4 to 2"),
    pytest.param(5, 3, None, id="5 to 3"),
    pytest.param(5, 2, FADING, id="5 to 2"),
    pytest.param(7, 7, None, id="7 to 7"),
]


def window(described: str) -> list[Document]:
    """Of `a2 b3/7` two articles with the words of a and three with those of b, of story 7."""
    documents = []
    for part in described.split():
        kind, _, story = part.partition("/")
        words, n = WORDS[kind.rstrip("0123456789")], int(kind.lstrip("abcq"))
        documents += [Document(words, "", "", int(story) if story else None)] * n
    return documents


def between(documents: list[Document], earlier: list[Document], n_topics: int | None = None) -> TopicTrends:
    now, before = (cluster_documents(each, n_topics=n_topics) for each in (documents, earlier))
    return topic_trends(now, documents, before, earlier)


def trends(before: str, now: str) -> TopicTrends:
    documents = window(now)
    return between(documents, window(before))


def told(found: TopicTrends) -> list[tuple[int, int, Trend | None]]:
    """Articles before and now, and the trend, of each topic now."""
    return [(topic.n_before, topic.n_now, topic.trend) for topic in found.topics]


@pytest.mark.parametrize(("n_before", "n_now", "expected"), EDGES)
def test_trends_by_the_letter(n_before: int, n_now: int, expected: Trend | None) -> None:
    assert trend_of(n_now, n_before, was_there=bool(n_before)) is expected


@pytest.mark.parametrize("n_now", [1, 3, 30])
def test_split_topic_is_not_new_and_has_no_trend(n_now: int) -> None:
    assert trend_of(n_now, 0, was_there=True) is None


@table("story", ["", "/7"], ids=["similar", "one story"])
@table(("n_before", "n_now", "expected"), EDGES)
def test_topics_are_compared_by_their_articles(n_before: int, n_now: int, expected: Trend | None, story: str) -> None:
    found = trends(f"a{n_before}{story} b2", f"a{n_now}{story} b2")
    assert told(found) == [(n_before, n_now, expected), (2, 2, None)]
    assert found.faded == ()
    assert found.topics[0].before == tuple(range(n_before))


@pytest.mark.parametrize(
    ("before", "now", "expected", "faded"),
    [
        pytest.param("", "a3 b2", [(0, 3, EMERGING), (0, 2, None)], [], id="nothing before"),
        pytest.param("a3 b1 c4", "", [], [4, 3, 1], id="nothing now"),
        pytest.param("", "", [], [], id="nothing at all"),
        pytest.param("a3", "b3", [(0, 3, EMERGING)], [3], id="one went, one came"),
        pytest.param("b2/1", "a2/1 b2", [(2, 2, None), (0, 2, None)], [], id="a story wins over similarity"),
        pytest.param("b2/1", "a2/1 b3", [(2, 2, None), (0, 3, None)], [], id="similar to what went elsewhere: not new"),
        pytest.param("a2/1 a2/2", "a2/1 c2/2", [(2, 2, None), (2, 2, None)], [], id="split by stories"),
        pytest.param("a2/1 c2/2", "a3/1 a3/2", [(4, 6, TRENDING)], [], id="merged by stories"),
        pytest.param("a2/1 c4/2", "a1/1 a2/2", [(6, 3, FADING)], [], id="merged and fading"),
        pytest.param("ab2 a2", "a4", [(4, 4, None)], [], id="what is near was one topic"),
        pytest.param("a2/1 b2/1 c3", "a1/1", [(4, 1, FADING)], [3], id="a story's other words go with it"),
        pytest.param("a1/1 a4", "a2/1 b2", [(5, 2, FADING), (0, 2, None)], [], id="others of the topic follow"),
        pytest.param("a1/1 b1/1 b4/2 a4/3", "a2/1", [(10, 2, FADING)], [], id="ended stories of the topic follow"),
        pytest.param("q3 c4", "a3 c4", [(3, 3, None), (4, 4, None)], [], id="similar enough"),
        pytest.param("q2 a2 c4", "a4 c4", [(4, 4, None), (4, 4, None)], [], id="two similar ones merged"),
        pytest.param("a4 c4", "q3 a4 c4", [(0, 3, None), (4, 4, None), (4, 4, None)], [], id="split off, nearest wins"),
        pytest.param("b3", "ab3", [(0, 3, EMERGING)], [3], id="not similar enough"),
        pytest.param("a2/1", "a2/2", [(2, 2, None)], [], id="another story on the same"),
        pytest.param("a1", "a1", [(1, 1, None)], [], id="one article is a topic"),
    ],
)
def test_follows_topics(before: str, now: str, expected: list[tuple[int, int, Trend | None]], faded: list[int]) -> None:
    found = trends(before, now)
    assert told(found) == expected
    assert [len(group) for group in found.faded] == faded


def test_articles_of_an_ended_story_follow_the_nearest() -> None:
    """One topic before by its story, two now: what has no story now goes where its words are."""
    before = [*window("a1/1 b1/2"), *(Document(each.title, "", "", 3) for each in window("a2 b1"))]
    glue = [Document(f"{WORDS['a']} {WORDS['b']}", "", "", story) for story in (1, 2, 3)]
    documents = window("a2/1 b2/2")
    found = between(documents, [*before, *glue])
    assert len(found.before.groups) == 1
    assert [topic.before for topic in found.topics] == [(0, 2, 3, 5, 7), (1, 4, 6)]


def test_faded_groups_are_of_the_window_before() -> None:
    found = trends("c1 b3 a2", "ab1")
    assert [found.before.top_terms(group, 1)[0][0] for group in found.faded] == ["basalt", "cano"]
    assert found.faded == ((1, 2, 3), (0,))
    assert found.topics[0].before == (4, 5)


def test_the_window_before_is_gathered_into_as_many_topics() -> None:
    documents = window("a3 b3")
    found = between(documents, window("a1 b1 c1"), n_topics=1)
    assert [len(group) for group in found.before.groups] == [3]
    assert told(found) == [(3, 6, TRENDING)]


def test_the_same_windows_have_the_same_trends() -> None:
    one, again = (trends("a3/1 b2 c4", "a4/1 b3 q3") for _ in range(2))
    assert one == again
    assert one.before is not again.before
    assert one != trends("a3/1 b2 c4", "a4/1 b2 q3")


PARTS = st.lists(
    st.tuples(st.sampled_from(sorted(WORDS)), st.integers(1, 4), st.sampled_from(["", "/1", "/2", "/3"])), max_size=6
).map(lambda parts: " ".join(f"{kind}{n}{story}" for kind, n, story in parts))


@given(PARTS, PARTS)
def test_every_article_before_counts_once_or_has_faded(before: str, now: str) -> None:
    found = trends(before, now)
    counted = [n for topic in found.topics for n in topic.before]
    faded = [n for group in found.faded for n in group]
    assert sorted([*counted, *faded]) == list(range(len(window(before))))
    assert sum(topic.n_now for topic in found.topics) == len(window(now))
    for topic in found.topics:
        assert topic.trend is trend_of(topic.n_now, topic.n_before, was_there=topic.was_there)
        assert topic.was_there or not topic.before


@given(PARTS, PARTS)
def test_one_topic_alone_has_the_same_trend(before: str, now: str) -> None:
    documents, earlier = cluster_documents(window(now)), cluster_documents(window(before))
    for number, topic in enumerate(trends(before, now).topics):
        alone = topic_trends(documents, window(now), earlier, window(before), only={number})
        assert alone.topics[number] == topic


@given(PARTS, PARTS, st.randoms(use_true_random=False))
def test_the_order_of_the_articles_changes_no_number(before: str, now: str, chance: random.Random) -> None:
    documents, earlier = window(now), window(before)
    shuffled = chance.sample(documents, len(documents)), chance.sample(earlier, len(earlier))
    one = between(documents, earlier)
    other = between(*shuffled)
    assert sorted(map(len, one.faded)) == sorted(map(len, other.faded))
    assert sorted(told(one), key=str) == sorted(told(other), key=str)
