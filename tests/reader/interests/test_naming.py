"""Which learned terms are named, and how."""

import pytest

from reader.interests.article_features import pack_features
from reader.interests.naming import name_terms, names_of_terms
from reader.models import ArticleFeatures
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


def act(world: World, *titles: str, **values: object) -> None:
    """Open articles with these titles, each of a source of its own."""
    for title in titles:
        article = make.article(title=title, text="", language="en", source=make.source(), **values)
        make.delivery(world.subscription, article)
        packed = pack_features(article)
        ArticleFeatures.objects.create(article=article, terms=packed.terms, attributes=packed.attributes)
        make.engagement(world.user, article)


@pytest.mark.django_db
def test_names_nothing_read_in_one_article(world: World) -> None:
    act(world, "Vaccines, vaccines and vaccines", categories=["Vaccines"])
    act(world, "A harbor", "A bridge", categories=["Vaccines"])
    assert names_of_terms(world.user, ["vaccines"]) == {}
    act(world, "Vaccines for all")
    assert names_of_terms(world.user, ["vaccines"]) == {"vaccines": "Vaccines"}


@pytest.mark.django_db
def test_names_no_words_of_time_order_and_measure(world: World) -> None:
    words = ["week", "tenth", "degrees", "woche", "vaccines"]
    act(world, *2 * [" ".join(words)], categories=words)
    assert names_of_terms(world.user, words) == {"vaccines": "vaccines"}


@pytest.mark.django_db
def test_vocabulary_needs_two_publishers(world: World) -> None:
    act(world, "Water, basics and news", "Water, basics and news")
    one = make.source()
    for source, categories in (
        (one, ["Water", "Basics"]),
        (one, ["Basics", "News"]),
        (make.source(), ["water", "News"]),
    ):
        make.delivery(world.subscription, make.article(source=source, categories=categories))
    assert names_of_terms(world.user, ["water", "basics", "news"]) == {"water": "Water"}
