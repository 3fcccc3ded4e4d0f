"""Which learned terms are named, and how."""

import pytest

from reader.interests.naming import name_terms, names_of_terms
from tests import make
from tests.reader.conftest import World

OWN = {("federal", "reserve"): "Federal Reserve", ("water",): "Water"}
VOCABULARY = OWN | {("city",): "City", ("northern", "lights"): "Northern lights"}


def test_names_terms_by_longest_phrase_they_acted_on() -> None:
    terms = ["federal", "reserve", "water", "city", "lights", "week"]
    assert name_terms(terms, VOCABULARY, OWN) == {
        "federal": "Federal Reserve",
        "reserve": "Federal Reserve",
        "water": "Water",
        "city": "City",
    }


@pytest.mark.django_db
def test_vocabulary_needs_two_publishers(world: World) -> None:
    one = make.source()
    for source, categories in (
        (one, ["Water", "Basics"]),
        (one, ["Basics", "News"]),
        (make.source(), ["water", "News"]),
    ):
        make.delivery(world.subscription, make.article(source=source, categories=categories))
    assert names_of_terms(world.user, ["water", "basics", "news"]) == {"water": "Water"}
