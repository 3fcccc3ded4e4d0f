from unittest.mock import patch

import pytest
import spacy

from feeds.dedup import entity_models
from feeds.dedup.entities import Names
from feeds.dedup.entity_models import has_model, names_of
from feeds.dedup.entity_rules import rule_names

needs_english = pytest.mark.skipif(not has_model("en"), reason="the spaCy model for English is not installed")
needs_french = pytest.mark.skipif(not has_model("fr"), reason="the spaCy model for French is not installed")


def names(people: str = "", organizations: str = "", places: str = "") -> Names:
    """Names given as strings with commas."""
    return Names(*(frozenset(filter(None, kind.split(", "))) for kind in (people, organizations, places)))


RUSSIAN = ("", "Вчера на заводе побывал Иван Кузнецов из Самары.", "ru")
ENGLISH = ("Quake in Chile", "A strong earthquake shook northern Chile on Monday, officials in Santiago said.", "en")
FRENCH = ("", "Emmanuel Macron a rencontré Olaf Scholz à Berlin.", "fr")

ENGLISH_ARTICLES = {
    "kinds": (
        "Merkel meets Macron", "German Chancellor Angela Merkel met Emmanuel Macron in Paris on Monday.",
        names("angela merkel, emmanuel macron", "", "germany, paris"),
    ),
    "people_for_country": (
        "", "Israeli and Palestinian officials met Republican senators in Cairo.",
        names("", "", "israel, palestine, cairo"),
    ),
    "agency_left_out": (
        "", "Siemens will cut jobs in Germany, chief executive Roland Busch told Reuters on Friday.",
        names("roland busch", "siemens", "germany"),
    ),
    "title_repeated_by_text": (
        "Boeing sued in Seattle.", "Boeing sued in Seattle. The company declined to comment.",
        names("", "boeing", "seattle"),
    ),
    "two_names_in_one": (
        "", "The deal was first reported by Bloomberg's Mark Gurman in California.",
        names("mark gurman", "", "california"),
    ),
    "empty": ("", "", names()),
}  # fmt: skip


@needs_english
@pytest.mark.parametrize(("title", "text", "expected"), ENGLISH_ARTICLES.values(), ids=ENGLISH_ARTICLES)
def test_finds_names_in_english(title: str, text: str, expected: Names) -> None:
    assert names_of([(title, text, "en")]) == [expected]


FRENCH_ARTICLES = {
    "kinds": (
        "", "Le président Emmanuel Macron a rencontré Olaf Scholz à Berlin, selon l'AFP.",
        names("emmanuel macron, olaf scholz", "", "berlin"),
    ),
    "country_by_its_english_name": ("", "Le train relie la France à l'Espagne.", names("", "", "france, spain")),
    "empty": ("", "", names()),
}  # fmt: skip


@needs_french
@pytest.mark.parametrize(("title", "text", "expected"), FRENCH_ARTICLES.values(), ids=FRENCH_ARTICLES)
def test_finds_names_in_french(title: str, text: str, expected: Names) -> None:
    assert names_of([(title, text, "fr")]) == [expected]


@needs_english
@needs_french
def test_keeps_the_order_of_mixed_languages() -> None:
    documents = [RUSSIAN, ENGLISH, FRENCH, ("", "", ""), ENGLISH, RUSSIAN]
    assert names_of(documents, batch_size=2) == [names_of([document])[0] for document in documents]


def test_reads_other_languages_by_rules() -> None:
    assert names_of([RUSSIAN]) == [rule_names(*RUSSIAN)] == [names("", "иван кузнецов, самары")]


def test_no_documents_have_no_names() -> None:
    assert names_of([]) == []


def test_reads_by_rules_where_no_model_is_installed() -> None:
    with patch.object(entity_models, "has_model", return_value=False):
        assert names_of([ENGLISH]) == [rule_names(*ENGLISH)]


@needs_english
def test_reads_undeclared_text_as_english_when_its_words_are() -> None:
    title, text, _ = ENGLISH_ARTICLES["kinds"]
    text += " It was the first of three meetings that are to be held by the end of this year."
    assert names_of([(title, text, "")]) == names_of([(title, text, "en")])


def test_undeclared_non_english_text_uses_rules() -> None:
    document = ("", "Ayer llegaron a Sevilla los ministros.", "")
    assert names_of([document]) == [rule_names(*document)]


@pytest.mark.parametrize(
    ("language", "tagging"),
    [
        pytest.param("en", ["tok2vec", "tagger", "attribute_ruler"], marks=needs_english),
        pytest.param("fr", ["tok2vec", "morphologizer", "attribute_ruler"], marks=needs_french),
    ],
)
def test_loads_only_what_is_needed(language: str, tagging: list[str]) -> None:
    recognizer, tagger = entity_models._recognizer(language), entity_models._tagger(language)
    assert recognizer.component_names == ["ner"]  # including disabled components
    assert tagger.component_names == tagging
    trained_on = {"president", "maire"}
    assert not any(word in nlp.vocab.strings for nlp in (recognizer, tagger) for word in trained_on)


@needs_english
def test_loads_a_model_once() -> None:
    entity_models._recognizer.cache_clear()
    with patch.object(spacy, "load", wraps=spacy.load) as load:
        names_of([ENGLISH])
        names_of([ENGLISH, ENGLISH])
    assert load.call_count == 1


@needs_english
def test_reads_no_further_than_the_beginning() -> None:
    text = "Nothing else happened. " * 100 + "Angela Merkel was in Paris."
    assert names_of([("", text, "en")]) == [names()]


@needs_english
def test_title_case_adds_no_longer_form_of_a_name() -> None:
    title = "Angela Merkel Walks Through Lisbon Again"
    text = "The former chancellor Angela Merkel was seen on a walk in Lisbon, her office said."
    assert names_of([(title, text, "en")]) == [names("angela merkel", "", "lisbon")]
