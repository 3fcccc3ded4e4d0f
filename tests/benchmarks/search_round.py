"""Indexing, and what a person's searches take: `Installation.run("search_round")` after `readership`.

Half of the feeds are unfollowed first. The articles that are still delivered are indexed and searched; then those of
the other feeds are indexed, too, and the same is asked again: what a person does not follow should cost nothing.

Every twenty-first article is rewritten in Chinese characters, of which the commonest are as common as in texts. Words
are chosen by how many of a thousand articles have them.
"""

import json
import random
from collections import Counter
from itertools import accumulate
from typing import Any

from django.contrib.auth.models import User
from django.db import connection
from django.db.models import F
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from feeds.models import Article
from feeds.search import indexer
from feeds.search.tokenizer import words_of
from reader.models import Delivery
from reader.search.parser import parse
from reader.search.run import Order, search
from tests.benchmarks.clock import milliseconds, spent
from tests.benchmarks.memory import memory
from tests.benchmarks.tidying import tidy

TIMES = 7
CHINESE_EVERY = 21
N_CHARACTERS, ARTICLE_CHARACTERS = 3_000, 400
_SAMPLE = 1_000  # articles


def main() -> None:
    user = User.objects.order_by("pk")[0]
    _write_chinese()
    Delivery.objects.alias(half=F("subscription__feed") % 2).filter(half=1).delete()
    Delivery.objects.update(static_importance=F("article_id") % 60)
    indexing = [_index(0)]
    queries = _queries()
    client = Client(HTTP_HOST="localhost")
    client.force_login(user)
    own = {name: _asked(user, client, query) for name, query in queries.items()}
    n_own = Delivery.objects.values("article").distinct().count()
    indexing.append(_index(1))
    everything = {name: _asked(user, client, query) for name, query in queries.items()}
    print(
        json.dumps(
            {
                "n_own": n_own,
                "n_articles": Article.objects.count(),
                "indexing": indexing,
                "queries": queries,
                "own": own,
                "everything": everything,
                **memory(),
            }
        )
    )


def _write_chinese() -> None:
    chance = random.Random(1)
    characters = [chr(0x4E00 + number) for number in range(N_CHARACTERS)]
    weights = list(accumulate(1 / (rank + 20) for rank in range(N_CHARACTERS)))
    articles = list(Article.objects.alias(every=F("pk") % CHINESE_EVERY).filter(every=0).only("pk"))
    for article in articles:
        text = "".join(chance.choices(characters, cum_weights=weights, k=ARTICLE_CHARACTERS))
        article.title, article.text, article.language = text[:20], text[20:], "zh"
    Article.objects.bulk_update(articles, ["title", "text", "language"], batch_size=200)


def _index(half: int) -> dict[str, float]:
    """Index the articles of one half of the feeds; bytes are what the database grew by."""
    indexer.queue_articles(Article.objects.alias(half=F("feed") % 2).filter(half=half).values_list("pk", flat=True))
    before = _n_bytes()
    with spent() as indexing:
        n_indexed = indexer.index_waiting()
    grown = _n_bytes() - before
    tidy()
    return {"n": n_indexed, "wall": indexing.wall, "cpu": indexing.cpu, "n_bytes": grown}


def _n_bytes() -> int:
    asked = (
        "SELECT SUM(pgsize) FROM dbstat WHERE name LIKE 'feeds_search%%' OR name = 'feeds_word'"
        if connection.vendor == "sqlite"
        else "SELECT pg_total_relation_size('feeds_search') + pg_total_relation_size('feeds_word')"
    )
    with connection.cursor() as cursor:
        cursor.execute(asked)
        return int(cursor.fetchone()[0] or 0)


def _queries() -> dict[str, str]:
    rows = list(
        Article.objects.filter(deliveries__isnull=False).order_by("-pk").values_list("language", "text")[:_SAMPLE]
    )
    english = [words_of(text) for language, text in rows if language == "en"]
    counts = Counter(word for words in english for word in set(words))
    common = [word for word, _ in counts.most_common(200)]
    tenth = min(counts, key=lambda word: abs(counts[word] - len(english) // 10))
    hundredth = min(counts, key=lambda word: abs(counts[word] - len(english) // 100))
    rare = max(counts, key=lambda word: (-counts[word], len(word), word))
    chinese = next(text for language, text in rows if language == "zh")
    return {
        "the commonest word": common[0],
        "a word of one article in ten": tenth,
        "of one in a hundred": hundredth,
        "a rare one": rare,
        "in no article": "zzyzx",
        "ten common words": " ".join(common[:10]),
        "any of ten": " OR ".join(common[20:30]),
        "a common phrase": f'"{" ".join(common[:2])}"',
        "a rare phrase": f'"{" ".join(english[0][20:24])}"',
        "a beginning": f"{common[60][:3]}*",
        "two characters": chinese[50:52],
        "one character": "一",
        "four characters": chinese[60:64],
        "a common word without another": f"{common[0]} -{common[1]}",
        "nothing but without": f"-{tenth}",
        "in the title": f"title:{tenth}",
        "with filters": f'{common[0]} is:unread feed:"paper 1" after:90d',
        "by importance": f"{common[0]} score>50",
        "filters alone": "is:unread score>50 lang:zh",
        "what there is not": f"{common[0]} is:liked",
    }


def _asked(user: User, client: Client, query: str) -> dict[str, Any]:
    """The search alone, in both orders, and the page as a browser gets it, each after one that is not counted."""
    now = timezone.now()
    tree = parse(query, today=timezone.localdate()).tree
    found = search(user, tree, order=Order.BEST, now=now)
    client.get("/search/", {"q": query})
    taken, newest, served = [], [], []
    for _ in range(TIMES):
        with spent() as asking:
            search(user, tree, order=Order.BEST, now=now)
        taken.append(asking)
        with spent() as asking:
            search(user, tree, order=Order.NEWEST, now=now)
        newest.append(asking)
        with spent() as serving:
            answer = client.get("/search/", {"q": query})
        assert answer.status_code == 200, answer.status_code
        served.append(serving)
    with CaptureQueriesContext(connection) as captured:
        client.get("/search/", {"q": query})
    return {
        "n_found": found.n_found,
        "search": milliseconds(taken),
        "newest": milliseconds(newest),
        "served": milliseconds(served),
        "n_statements": len(captured),
    }


if __name__ == "__main__":
    main()
