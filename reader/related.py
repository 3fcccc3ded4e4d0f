"""What else a person has on the matter of an article, beyond its story: by the words of its title.

Words weigh by how rare they are among the newest articles that have any of them, so that what an article is about
counts and what many titles say does not. Two words in common at least, and a good part of the weight of all: better
nothing than something far-fetched.
"""

import math
from collections import Counter
from collections.abc import Mapping
from datetime import datetime

from django.contrib.auth.models import User

from feeds.models import Article
from feeds.normalizing.stemming import stemmer_of
from feeds.search.words import words_of
from reader.learning.stop_words import stop_words
from reader.queries import Row, rows_of
from reader.search.language import parse
from reader.searching import newest

MOST = 5
CANDIDATES = 200  # the newest that have one of the words
MOST_WORDS = 10  # of a title
LEAST_WORDS = 2
LEAST_SHARE = 0.35  # of the weight of all words of the title


def related_to(user: User, article: Article, *, now: datetime) -> tuple[Row, ...]:
    """The most alike, the most alike first; at most `MOST`."""
    asked = _words_asked(article)
    if len(asked) < LEAST_WORDS:
        return ()
    tree = parse(" OR ".join(asked), today=now.date()).tree
    dates = {pk: at for at, pk in newest(user, tree, CANDIDATES, now=now) if pk != article.pk}
    if article.story_id is not None:
        for pk in Article.objects.filter(story=article.story_id, pk__in=dates).values_list("pk", flat=True):
            del dates[pk]
    shared = _shared(frozenset(_stems(asked, article.language)), list(dates))
    best = sorted(_scores(shared).items(), key=lambda each: (-each[1], -each[0]))[:MOST]
    return rows_of(user, [(pk, dates[pk]) for pk, _ in best], now=now)


def _words_asked(article: Article) -> list[str]:
    """What its title is about: its words without those that say nothing, each once, in their order."""
    said_by_all = stop_words(article.language)
    words = [word for word in words_of(article.title) if len(word) > 1 and word not in said_by_all]
    return list(dict.fromkeys(words))[:MOST_WORDS]


def _stems(words: list[str], language: str) -> list[str]:
    stemmer = stemmer_of(language)
    return stemmer.stemWords(words) if stemmer else words


def _shared(wanted: frozenset[str], ids: list[int]) -> dict[int, frozenset[str]]:
    """Which of the wanted stems each article has in its title or summary; of those that have any."""
    rows = Article.objects.filter(pk__in=ids).values_list("pk", "title", "summary", "language")
    found = {
        pk: wanted.intersection(_stems(words_of(f"{title} {summary}"), language))
        for pk, title, summary, language in rows
    }
    return {pk: stems for pk, stems in found.items() if stems}


def _scores(shared: Mapping[int, frozenset[str]]) -> dict[int, float]:
    """The weight of what each article has in common, of those that have enough."""
    counts = Counter(stem for stems in shared.values() for stem in stems)
    weights = {stem: math.log(1 + len(shared) / n) for stem, n in counts.items()}
    least = LEAST_SHARE * sum(weights.values())
    scores = {pk: sum(weights[stem] for stem in stems) for pk, stems in shared.items() if len(stems) >= LEAST_WORDS}
    return {pk: score for pk, score in scores.items() if score >= least}
