"""Documents into topics."""

import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from digests.topics import Clustering, Document, cluster_documents

STORM = [
    Document("Storm hits Cuba", "The storm made landfall in Cuba, flooding Havana.", "en"),
    Document("Cuba storms: Havana flooded", "A storm flooded Havana as it hit Cuba.", "en"),
]
TAX = [
    Document("Senate votes on the tax bill", "Senators voted for the tax bill.", "en"),
    Document("Tax bill passes Senate vote", "The Senate passed the tax bill by one vote.", "en"),
]
CHESS = Document("Chess champion resigns", "The champion gave up the title without a game.", "en")


def told(clustered: Clustering, documents: Sequence[Document]) -> set[frozenset[Document]]:
    return {frozenset(documents[n] for n in group) for group in clustered.groups}


def test_articles_that_share_words_form_a_topic() -> None:
    documents = [STORM[0], TAX[0], CHESS, STORM[1], TAX[1]]
    assert cluster_documents(documents).groups == ((0, 3), (1, 4), (2,))


def test_words_are_compared_by_their_stems() -> None:
    documents = [Document("Flooded streets", "", "en"), Document("Flooding of a street", "", "en")]
    assert cluster_documents(documents).groups == ((0, 1),)


def test_chinese_is_compared_by_pairs_of_characters() -> None:
    documents = [
        Document("中国经济增长放缓", "", "zh"),
        Document("台风登陆日本九州", "", "zh"),
        Document("中国经济增长", "", "zh"),
    ]
    assert cluster_documents(documents).groups == ((0, 2), (1,))


def test_a_story_is_never_parted() -> None:
    documents = [Document(each.title, each.text, "en", story=7) for each in (STORM[0], TAX[0], CHESS)]
    assert cluster_documents(documents).groups == ((0, 1, 2),)
    assert cluster_documents(documents, n_topics=3).groups == ((0, 1, 2),)


def test_a_story_takes_its_neighbour_with_it() -> None:
    """The odd article of a story is in the topic of whoever is near the story."""
    odd = Document("Weather in brief", "", "en", story=1)
    documents = [*(Document(each.title, each.text, "en", story=1) for each in STORM), odd, STORM[0], TAX[0]]
    assert cluster_documents(documents).groups == ((0, 1, 2, 3), (4,))


def test_stories_do_not_chain_by_their_oddest_articles() -> None:
    """Two stories of three, with an article each that is near the other's."""
    first = [Document(f"Storm {word}", "", "en", story=1) for word in ("Cuba flood", "Havana flood", "budget")]
    second = [Document(f"Tax {word}", "", "en", story=2) for word in ("senate vote", "senators vote", "storm budget")]
    both = [*first, *second]
    assert cluster_documents(both).groups == ((0, 1, 2), (3, 4, 5))
    assert (2, 5) in cluster_documents([Document(each.title, "", "en") for each in both]).groups


def test_articles_without_a_story_are_not_of_one_story() -> None:
    assert cluster_documents([CHESS, TAX[0]]).groups == ((0,), (1,))


@pytest.mark.parametrize("n_topics", [None, 3], ids=["as many as there are", "three"])
def test_nothing_gives_no_topics(n_topics: int | None) -> None:
    assert cluster_documents([], n_topics=n_topics).groups == ()


@pytest.mark.parametrize("n_topics", [None, 1, 3])
def test_one_article_is_one_topic(n_topics: int | None) -> None:
    assert cluster_documents([CHESS], n_topics=n_topics).groups == ((0,),)


def test_articles_all_alike_are_one_topic() -> None:
    assert cluster_documents([STORM[0]] * 300).groups == (tuple(range(300)),)


def test_articles_without_words_are_single() -> None:
    empty = Document("", "", "en")
    assert cluster_documents([empty, Document("The 2024", "of 12", "en"), STORM[0], empty]).groups == (
        (0,),
        (1,),
        (2,),
        (3,),
    )


def test_vectors_are_in_document_order() -> None:
    clustered = cluster_documents([TAX[0], STORM[0], Document("")])
    words = [
        {clustered.vocabulary[column] for column in clustered.vectors[[n]].indices}
        for n in range(clustered.vectors.shape[0])
    ]
    assert words[0] == {"senat", "vote", "tax", "bill"}
    assert words[1] == {"storm", "hit", "cuba", "landfal", "flood", "havana"}
    assert words[2] == set()
    assert ((clustered.vectors**2).sum(axis=1)).tolist() == pytest.approx([1, 1, 0], abs=1e-6)


def test_top_terms_are_the_heaviest_of_the_centroid() -> None:
    documents = [Document("Storm storm Cuba", "", "en"), Document("Storm Havana", "", "en"), CHESS]
    clustered = cluster_documents(documents)
    mean = clustered.vectors[[0, 1]].toarray().mean(axis=0)
    assert clustered.centroid((0, 1)).toarray()[0] == pytest.approx(mean)
    terms = clustered.top_terms((0, 1), 2)
    assert [term for term, _ in terms] == ["storm", "havana"]
    assert terms[0][1] == pytest.approx(mean[clustered.vocabulary.index("storm")], abs=1e-6)


def test_equal_terms_are_alphabetical() -> None:
    clustered = cluster_documents([Document("Havana Cuba Storm", "", "en")])
    assert [term for term, _ in clustered.top_terms((0,), 9)] == ["cuba", "havana", "storm"]


@pytest.mark.parametrize("n_topics", [0, -1])
def test_no_topics_at_all_is_refused(n_topics: int) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        cluster_documents([CHESS], n_topics=n_topics)


WORDS = ["storm", "flood", "cuba", "havana", "tax", "bill", "senate", "vote", "chess", "game", "中国经济", "2024"]
TITLES = st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join)
DOCUMENTS = st.lists(
    st.builds(Document, TITLES, TITLES, st.sampled_from(["en", "zh", ""]), st.one_of(st.none(), st.integers(1, 4))),
    max_size=14,
)


@given(DOCUMENTS, st.one_of(st.none(), st.integers(1, 6)))
def test_documents_of_a_story_share_one_topic(documents: list[Document], n_topics: int | None) -> None:
    groups = cluster_documents(documents, n_topics=n_topics).groups
    assert sorted(n for group in groups for n in group) == list(range(len(documents)))
    for group in groups:
        stories = {documents[n].story for n in group} - {None}
        assert {n for n, each in enumerate(documents) if each.story in stories} <= set(group)
    n_stories = len({document.story for document in documents} - {None}) + sum(
        document.story is None for document in documents
    )
    assert n_topics is None or len(groups) == min(n_topics, n_stories)


@given(DOCUMENTS, st.sampled_from([None, 2, 4]), st.randoms(use_true_random=False))
def test_the_order_of_the_documents_changes_nothing(
    documents: list[Document], n_topics: int | None, chance: random.Random
) -> None:
    """Told by what the documents say: those that say the same, story and all, stand in for each other."""
    shuffled = chance.sample(documents, len(documents))
    one, other = cluster_documents(documents, n_topics=n_topics), cluster_documents(shuffled, n_topics=n_topics)
    assert told(one, documents) == told(other, shuffled)
