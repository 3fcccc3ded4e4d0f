"""Grouping documents in memory, as evaluations do."""

from feeds.dedup.in_memory import Document, group


def test_documents_without_a_usable_address_are_pages_of_their_own() -> None:
    titles = ["Ferry aground off Port Mellow", "Library opens in Lindham", "Whale seen near the quay"]
    for url in ("", "urn:uuid:1", "mailto:desk@paper.example", "/news/1"):
        stories = group([Document(title, url=url) for title in titles], policy="layered", events=False)
        assert len(set(stories)) == 3, url
    page = "https://paper.example/1"
    assert group([Document(title, url=page) for title in titles], policy="layered", events=False) == [0, 0, 0]
