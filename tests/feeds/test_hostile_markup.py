"""No vector of the table survives in a body, whatever parser reads it afterwards."""

import re

import pytest

from feeds.normalizing.html import sanitize_body
from reader.articles.embeds import embeds
from tests.feeds.hostile_markup import VECTORS, Vector
from tests.feeds.html_verdict import by_html5lib, by_lexbor, violations, written_by_html5lib, written_by_lexbor
from tests.tables import table

BASE = "https://paper.example/news/1"
every_vector = table("vector", VECTORS, ids=lambda vector: f"{vector.technique}: {vector.id}")
anywhere = pytest.mark.parametrize(
    "place",
    [
        pytest.param("{}", id="alone"),
        pytest.param("<p>before {} after</p>", id="in a paragraph", marks=pytest.mark.nightly),
        pytest.param("<table><tr><td>{}</table>", id="in a table", marks=pytest.mark.nightly),
        pytest.param("<pre>\n{}", id="in preformatted text", marks=pytest.mark.nightly),
    ],
)


def test_vectors_are_unique() -> None:
    assert len(VECTORS) >= 500
    assert len({(vector.technique, vector.id) for vector in VECTORS}) == len(VECTORS)
    assert len({vector.markup for vector in VECTORS}) == len(VECTORS)


@anywhere
@every_vector
def test_two_parsers_find_only_what_is_listed(vector: Vector, place: str) -> None:
    assert violations(sanitize_body(place.replace("{}", vector.markup), base_url=BASE).html) == []


@anywhere
@every_vector
def test_two_parsers_read_the_same_and_write_what_they_read(vector: Vector, place: str) -> None:
    """Mutation attacks need markup that changes when it is parsed, serialized and parsed again."""
    safe = sanitize_body(place.replace("{}", vector.markup), base_url=BASE).html
    assert list(by_lexbor(safe)) == list(by_html5lib(safe))
    for write in (written_by_lexbor, written_by_html5lib):
        assert list(by_lexbor(write(safe))) == list(by_lexbor(safe))
        assert write(write(safe)) == write(safe)
        assert violations(write(write(safe))) == []
    assert sanitize_body(written_by_lexbor(safe), base_url=BASE).html == safe
    assert sanitize_body(safe, base_url=BASE).html == safe


@every_vector
def test_as_text_nothing_becomes_markup(vector: Vector) -> None:
    output = sanitize_body(vector.markup, base_url=BASE, is_text=True).html
    assert violations(output) == []
    assert set(re.findall(r"<(\w+)", output)) <= {"p", "a", "br"}


@every_vector
def test_its_players_are_links_to_the_web(vector: Vector) -> None:
    for embed in embeds(vector.markup, [], base_url=BASE):
        assert re.match(r"https?://[^\s\"'<>]+\Z", embed.url)
        assert re.match(r"https?://[^\s\"'<>]+\Z", embed.source)
