"""The learned terms that a person would name as an interest, and how they are written.

Learning counts words, and most words of an article are no interests. A term is named once it was read three times, in
two articles; words of time, order and measure are never named. Whether another word is an interest isn't a property of
the word, so no list decides it. The vocabulary comes from the user's own recent articles: the names
recognized in them, and the categories that publishers gave them. A phrase belongs to it if two publishers use it, or,
for names in an article that the user acted on, if the title has it. A term is written as the whole phrase only if two
articles they acted on have that phrase; else it must be a phrase by itself.

Known misses: common nouns that no publisher uses as a category stay unnamed. They still count in scores.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache

from django.contrib.auth.models import User

from feeds.dedup.entities import displayed, is_name
from feeds.models import Article
from feeds.models.matching import Sketch
from feeds.normalizing.text import words
from reader.interests.learning.features import hash_feature, unpack
from reader.interests.learning.stop_words import stop_words
from reader.interests.topic_names import NO_TOPICS, UNNAMED_WORDS
from reader.models import ArticleFeatures, Delivery, Engagement

RECENT = 1000  # delivered articles that the vocabulary is taken from
ACTED_ON = 200  # latest articles that the user acted on
MIN_SOURCES = 2
MIN_READINGS = 3  # of a term; one in a title counts twice
MIN_ARTICLES = 2  # that it was read in
MAX_PHRASE = 3  # words
KNOWN_TEXTS = 2**13  # names and categories of which the words are remembered, about 3 MB
MIN_LENGTH = 3  # of a word in a script with spaces; shorter ones are initials or parts of names

Phrases = dict[tuple[str, ...], str]


def names_of_terms(user: User, terms: Collection[str]) -> dict[str, str]:
    """The terms that are fit to be named, each as it is written; a fixed number of queries."""
    acted_on = list(Engagement.active.filter(user=user).order_by("-pk").values_list("article_id", flat=True)[:ACTED_ON])
    recent = list(Delivery.objects.filter(user=user).order_by("-pk").values_list("article_id", flat=True)[:RECENT])
    read = _read_often(terms, acted_on)
    if not read:
        return {}
    vocabulary, own = _vocabulary({*recent, *acted_on}, frozenset(acted_on))
    return name_terms(read, vocabulary, own)


def _read_often(terms: Collection[str], acted_on: Collection[int]) -> list[str]:
    """The terms that occur often enough in articles that the user acted on."""
    readings, articles = Counter[int](), Counter[int]()
    for stored in ArticleFeatures.objects.filter(pk__in=acted_on).values_list("terms", flat=True):
        for index, n in unpack(bytes(stored)):
            readings[index] += n
            articles[index] += 1
    indices = {term: hash_feature(term) for term in terms if term not in UNNAMED_WORDS}
    return [
        term for term, index in indices.items() if readings[index] >= MIN_READINGS and articles[index] >= MIN_ARTICLES
    ]


def name_terms(
    terms: Iterable[str], vocabulary: Mapping[tuple[str, ...], str], own: Mapping[tuple[str, ...], str]
) -> dict[str, str]:
    """The named terms: by the longest phrase of `own` that has the term, else by the phrase that it is."""
    by_word: defaultdict[str, list[tuple[str, ...]]] = defaultdict(list)
    for phrase in own:
        for word in phrase:
            by_word[word].append(phrase)
    named = {}
    for term in terms:
        phrase = tuple(words(term))
        longest = max(by_word.get(term, ()), key=lambda other: (len(other), other), default=phrase)
        written = own.get(longest) or vocabulary.get(longest)
        if written:
            named[term] = written
    return named


def _vocabulary(article_ids: Collection[int], acted_on: Collection[int]) -> tuple[Phrases, Phrases]:
    """The phrases of these articles, and those of the articles acted on."""
    written: Phrases = {}
    sources: defaultdict[tuple[str, ...], set[object]] = defaultdict(set)
    own: Counter[tuple[str, ...]] = Counter()
    titled: set[tuple[str, ...]] = set()
    names = dict(Sketch.objects.filter(pk__in=article_ids).values_list("pk", "names"))
    rows = Article.objects.filter(pk__in=article_ids).values_list("pk", "title", "language", "source", "categories")
    for pk, title, language, source, categories in rows:
        texts = [(category, False) for category in categories if isinstance(category, str)]
        texts += [(_written(name), True) for several in names.get(pk, {}).values() for name in several]
        phrases: set[tuple[str, ...]] = set()
        for text, is_from_text in texts:
            phrase = _topic_words(text, language)
            if not phrase:
                continue
            written.setdefault(phrase, text)
            sources[phrase].add(source)
            if pk in acted_on:
                own[phrase] += phrase not in phrases
                phrases.add(phrase)
                if is_from_text and text.lower() in title.lower():
                    titled.add(phrase)
    known = {phrase: written[phrase] for phrase in written if len(sources[phrase]) >= MIN_SOURCES or phrase in titled}
    return known, {phrase: known[phrase] for phrase, n in own.items() if n >= MIN_ARTICLES and phrase in known}


# An article's page names terms, and each page would take the same thousand articles apart again.
@lru_cache(maxsize=KNOWN_TEXTS)
def _written(name: str) -> str:
    """The name as it is displayed, "" if it is none."""
    return displayed(name) if is_name(name) else ""


@lru_cache(maxsize=KNOWN_TEXTS)
def _topic_words(text: str, language: str) -> tuple[str, ...]:
    """The words of a text that can be a topic; empty if it can't."""
    phrase = tuple(words(text, language))
    if not 0 < len(phrase) <= MAX_PHRASE or text.lower() in NO_TOPICS:
        return ()
    ignored = stop_words(language) | UNNAMED_WORDS
    is_vague = all(
        word in ignored or word.isdecimal() or (word.isascii() and len(word) < MIN_LENGTH) for word in phrase
    )
    return () if is_vague else phrase
