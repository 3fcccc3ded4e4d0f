"""Related articles outside an article's story, found by the words of its title.

The rarer a word is among the newest articles with any of the words, the more it weighs. Related articles share at least
two words and `MIN_SHARE` of the total weight: no result is better than a far-fetched one.
"""

import math
from collections import Counter
from collections.abc import Mapping
from datetime import datetime

from django.contrib.auth.models import User

from feeds.models import Article
from feeds.normalizing.stemming import get_stemmer
from feeds.search.tokenizer import words_of
from reader.interests.learning.stop_words import stop_words
from reader.lists.queries import Row, rows_of
from reader.search.parser import parse
from reader.search.run import newest

MAX_RELATED = 5
CANDIDATES = 200  # the newest that have one of the words
MAX_WORDS = 10  # of a title
MIN_WORDS = 2
MIN_SHARE = 0.35  # of the weight of all words of the title


def related_to(user: User, article: Article, *, now: datetime) -> tuple[Row, ...]:
    """Related articles, most similar first, at most `MAX_RELATED`."""
    words = title_words(article)
    if len(words) < MIN_WORDS:
        return ()
    tree = parse(" OR ".join(words), today=now.date()).tree
    dates = {pk: at for at, pk in newest(user, tree, CANDIDATES, now=now) if pk != article.pk}
    if article.story_id is not None:
        for pk in Article.objects.filter(story=article.story_id, pk__in=dates).values_list("pk", flat=True):
            del dates[pk]
    shared = _shared(frozenset(_stems(words, article.language)), list(dates))
    best = sorted(_scores(shared).items(), key=lambda item: (-item[1], -item[0]))[:MAX_RELATED]
    return rows_of(user, [(pk, dates[pk]) for pk, _ in best], now=now)


def title_words(article: Article) -> list[str]:
    """The distinct words of the title without stop words, in order."""
    common = stop_words(article.language)
    words = [word for word in words_of(article.title) if len(word) > 1 and word not in common]
    return list(dict.fromkeys(words))[:MAX_WORDS]


def _stems(words: list[str], language: str) -> list[str]:
    stemmer = get_stemmer(language)
    return stemmer.stemWords(words) if stemmer else words


def _shared(wanted: frozenset[str], ids: list[int]) -> dict[int, frozenset[str]]:
    """The wanted stems in the title or summary of each article that has any."""
    rows = Article.objects.filter(pk__in=ids).values_list("pk", "title", "summary", "language")
    found = {
        pk: wanted.intersection(_stems(words_of(f"{title} {summary}"), language))
        for pk, title, summary, language in rows
    }
    return {pk: stems for pk, stems in found.items() if stems}


def _scores(shared: Mapping[int, frozenset[str]]) -> dict[int, float]:
    """The total weight of the shared stems of each article that shares enough."""
    counts = Counter(stem for stems in shared.values() for stem in stems)
    weights = {stem: math.log(1 + len(shared) / n) for stem, n in counts.items()}
    least = MIN_SHARE * sum(weights.values())
    scores = {pk: sum(weights[stem] for stem in stems) for pk, stems in shared.items() if len(stems) >= MIN_WORDS}
    return {pk: score for pk, score in scores.items() if score >= least}
