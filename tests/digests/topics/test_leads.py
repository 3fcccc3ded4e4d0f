"""Who leads a topic."""

import pytest

from digests.topics import Document, cluster_documents, lead_of

PAIR = [Document("Storm hits Cuba", "", "en"), Document("Storm floods Havana", "", "en")]


@pytest.mark.parametrize(
    ("importances", "tiers", "lead"),
    [
        pytest.param([50, 60], [1, 5], 1, id="more important"),
        pytest.param([60, 50], [5, 1], 0, id="more important before better tier"),
        pytest.param([50, 50], [3, 2], 1, id="better tier"),
        pytest.param([50, 50], [2, 2], 0, id="first"),
    ],
)
def test_two_articles_are_equally_near_their_mean(importances: list[float], tiers: list[int], lead: int) -> None:
    clustered = cluster_documents(PAIR)
    for group in ((0, 1), (1, 0)):
        assert lead_of(clustered, group, importances=importances, tiers=tiers) == lead


def test_sorts_by_centroid_before_importance() -> None:
    documents = [
        Document("Storm Cuba tourists stranded beaches", "", "en"),
        Document("Storm Cuba Havana flood", "", "en"),
        Document("Storm Cuba Havana flood rescue", "", "en"),
    ]
    clustered = cluster_documents(documents)
    mean = clustered.vectors.toarray().mean(axis=0)
    nearest = int((clustered.vectors @ mean).argmax())
    importances = [0.0 if n == nearest else 90.0 for n in range(3)]
    assert nearest == 1
    assert lead_of(clustered, (0, 1, 2), importances=importances, tiers=[1, 5, 1]) == nearest


def test_copies_of_the_nearest_are_its_equals() -> None:
    documents = [*PAIR, PAIR[0], PAIR[0]]
    assert lead_of(cluster_documents(documents), (0, 1, 2, 3), importances=[1, 99, 3, 2], tiers=[1] * 4) == 2


def test_an_article_alone_leads() -> None:
    assert lead_of(cluster_documents(PAIR), (1,), importances=[0, 0], tiers=[1, 1]) == 1


def test_articles_without_words_are_led_by_the_most_important() -> None:
    clustered = cluster_documents([Document("", story=1), Document("", story=1)])
    assert lead_of(clustered, (0, 1), importances=[10, 20], tiers=[1, 1]) == 1


def test_an_empty_topic_has_no_lead() -> None:
    with pytest.raises(ValueError, match="empty topic"):
        lead_of(cluster_documents(PAIR), (), importances=[0, 0], tiers=[1, 1])
