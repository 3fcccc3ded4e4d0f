"""No vector of the table leaves anything in a body, however it is read afterwards."""

import re

import pytest

from feeds.normalizing.html import sanitize
from reader.embeds import embeds
from tests.feeds.hostile_markup import VECTORS, Vector
from tests.feeds.html_verdict import by_html5lib, by_lexbor, violations, written_by_html5lib, written_by_lexbor

BASE = "https://paper.example/news/1"
every_vector = pytest.mark.parametrize("vector", VECTORS, ids=lambda each: f"{each.technique}: {each.id}")


def around(markup: str) -> tuple[str, ...]:
    """The markup alone, and in places where it would mean something else."""
    return (markup, f"<p>before {markup} after</p>", f"<table><tr><td>{markup}</table>", f"<pre>\n{markup}")


def test_the_table_is_a_table() -> None:
    assert len(VECTORS) >= 300
    assert len({(vector.technique, vector.id) for vector in VECTORS}) == len(VECTORS)
    assert len({vector.markup for vector in VECTORS}) == len(VECTORS)


@every_vector
def test_two_parsers_find_only_what_is_listed(vector: Vector) -> None:
    for markup in around(vector.markup):
        assert violations(sanitize(markup, base_url=BASE)) == []


@every_vector
def test_two_parsers_read_the_same_and_write_what_they_read(vector: Vector) -> None:
    """Mutations live where reading, writing and reading again gives something else."""
    for markup in around(vector.markup):
        safe = sanitize(markup, base_url=BASE)
        assert list(by_lexbor(safe)) == list(by_html5lib(safe))
        for write in (written_by_lexbor, written_by_html5lib):
            assert list(by_lexbor(write(safe))) == list(by_lexbor(safe))
            assert write(write(safe)) == write(safe)
            assert violations(write(write(safe))) == []
        assert sanitize(written_by_lexbor(safe), base_url=BASE) == safe
        assert sanitize(safe, base_url=BASE) == safe


@every_vector
def test_as_text_it_is_text(vector: Vector) -> None:
    output = sanitize(vector.markup, base_url=BASE, is_text=True)
    assert violations(output) == []
    assert set(re.findall(r"<(\w+)", output)) <= {"p", "a", "br"}


@every_vector
def test_its_players_are_links_to_the_web(vector: Vector) -> None:
    for embed in embeds(vector.markup, [], base_url=BASE):
        assert re.match(r"https?://[^\s\"'<>]+\Z", embed.url)
        assert re.match(r"https?://[^\s\"'<>]+\Z", embed.source)
