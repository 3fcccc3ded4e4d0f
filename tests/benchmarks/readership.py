"""Articles and the people they were brought to, none assessed or rated: `Installation.run("readership", n, users)`.

What is real: the schema with all indexes; every article's text of 150 words, its markup with links, lists and tables,
its item, and a tenth of stories of two articles, of which one is folded. What is simulated: what it says (`topics`),
and vectors of meaning, kept with the sketch as deduplication leaves them. Articles are spread evenly over `--days` to
now; every user follows all feeds, and has read nothing.

The guid of an article's item ends with the number of its topic: what rounds know and learning does not.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from datetime import datetime, timedelta
from hashlib import blake2b
from itertools import pairwise
from time import perf_counter

from django.contrib.auth.models import User
from django.db import connection, transaction
from django.db.models import Max
from django.utils import timezone

from feeds.models import Article, Disposition, Feed, FeedKind, Item, Link, Sketch, Source, Story
from reader.models import Quiet, Subscription
from tests.benchmarks.tidying import tidy
from tests.benchmarks.topics import Piece, Topics, vectors

N_FEEDS = 250  # unless told otherwise
N_AUTHORS = 500
AT_ONCE = 5_000  # articles
STORY_EVERY = 10
NAMED_CATEGORY = 0.6  # share of articles that name their topic's section; the others have none
KINDS = (FeedKind.BREAKING, FeedKind.MAJOR, FeedKind.MAJOR, FeedKind.BLOG, FeedKind.NEWSLETTER)

_DELIVER = f"""
INSERT INTO reader_delivery (
    user_id, folder_id, subscription_id, article_id, published_at, date_uncertain,
    is_read, is_folded, is_folded_in_folder, is_seen, is_rated, quiet
)
SELECT
    s.user_id, s.folder_id, s.id, a.id, a.published_at, a.date_uncertain,
    %s, a.id %% {STORY_EVERY} = {STORY_EVERY - 1}, %s, %s, %s, {Quiet.NOT:d}
FROM feeds_article a JOIN reader_subscription s ON s.feed_id = a.feed_id
ORDER BY a.id, s.id
"""  # noqa: S608


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("n_articles", type=int)
    parser.add_argument("n_users", type=int)
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument("--feeds", type=int, default=N_FEEDS)
    options = parser.parse_args()
    began = perf_counter()
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:  # for this process, and to no effect on what the file becomes
            cursor.execute("PRAGMA synchronous=OFF")
            cursor.execute("PRAGMA cache_size=-400000")
    feeds = _feeds(options.feeds)
    _articles(options.n_articles, feeds, span=timedelta(days=options.days), now=timezone.now())
    _people(options.n_users, feeds)
    tidy()
    print(json.dumps({"seconds": perf_counter() - began}))


def _feeds(n_feeds: int) -> list[Feed]:
    Source.objects.bulk_create([Source(domain=f"paper{n}.example", tier=1 + n % 5) for n in range(n_feeds)])
    urls = {source: f"https://{source.domain}/feed.xml" for source in Source.objects.filter(domain__startswith="paper")}
    Feed.objects.bulk_create(
        [
            Feed(url=url, url_key=Feed.key_of(url), source=source, title=f"Paper {n}", language="en",
                 kind=KINDS[n % len(KINDS)], health_score=1 - n % 7 / 10)
            for n, (source, url) in enumerate(urls.items())
        ]
    )  # fmt: skip
    return list(Feed.objects.order_by("pk").select_related("source"))


def _articles(n: int, feeds: Sequence[Feed], *, span: timedelta, now: datetime) -> None:
    topics = Topics(n)
    for start in range(0, n, AT_ONCE):
        numbers = range(start + 1, min(start + AT_ONCE, n) + 1)
        pieces = [topics.piece() for _ in numbers]
        moments = [now - span + span * ((number - 0.5) / n) for number in numbers]
        with transaction.atomic():
            articles = [_article(*each, feeds, topics) for each in zip(numbers, pieces, moments, strict=True)]
            Article.objects.bulk_create(articles)
            Item.objects.bulk_create(map(_item, articles, pieces))
            Sketch.objects.bulk_create(
                Sketch(article=article, vector=vector)
                for article, vector in zip(articles, vectors(pieces, start), strict=True)
            )
            _stories(articles)
        print(f"{numbers[-1]:,} articles stored", file=sys.stderr, flush=True)


def _article(number: int, piece: Piece, moment: datetime, feeds: Sequence[Feed], topics: Topics) -> Article:
    feed = feeds[number % len(feeds)]
    url = f"https://paper{number % len(feeds)}.example/{moment:%Y/%m}/{number}"
    has_category = number % 100 < 100 * NAMED_CATEGORY
    return Article(
        url_key=_digest(url, 16), url=url, feed=feed, source=feed.source, title=piece.title,
        author=f"Author {number % N_AUTHORS}", published_at=moment, first_seen_at=moment + timedelta(minutes=9),
        markup=_markup(number, piece.text), text=piece.text, summary=piece.text[:200], language="en",
        word_count=len(piece.text.split()), reading_seconds=40, partial_content=number % 3 == 0,
        categories=[topics.words[piece.topic][0]] if has_category else [],
        content_hash=int.from_bytes(_digest(url, 8), "big", signed=True),
    )  # fmt: skip


def _markup(number: int, text: str) -> str:
    """The text in paragraphs, two of three with links, one of five with a list, one of twenty with a table."""
    paragraphs = [f"<p>{sentence}.</p>" for sentence in text.rstrip(".").split(". ")]
    if number % 3:
        paragraphs[1] += f'<p><a href="https://cited{number % 97}.example/a">As told</a> and <a href="/b">here</a></p>'
    if number % 5 == 0:
        paragraphs[2] += "<ul><li>One thing</li><li>Another thing</li><li>A third, 45 %</li></ul>"
    if number % 20 == 0:
        paragraphs[3] += "<table><tr><td>Share</td><td>45 %</td></tr><tr><td>Rest</td><td>55 %</td></tr></table>"
    return "\n".join(paragraphs)


def _item(article: Article, piece: Piece) -> Item:
    folded = article.pk % STORY_EVERY == STORY_EVERY - 1
    return Item(
        feed=article.feed, article=article, guid=f"{article.pk} {piece.topic}", published_at=article.published_at,
        first_seen_at=article.first_seen_at, content_hash=article.content_hash,
        disposition=Disposition.NEAR_DUPLICATE if folded else Disposition.UNIQUE,
    )  # fmt: skip


def _stories(articles: Sequence[Article]) -> None:
    """Every tenth article leads a story, and the one before it stands under it."""
    pairs = [
        pair for pair in pairwise(articles) if pair[1].pk % STORY_EVERY == 0
    ]  # ids count from 1: no batch tears one
    stories = Story.objects.bulk_create(
        Story(lead=lead, n_articles=2, n_sources=2, first_at=copy.published_at, last_at=lead.published_at)
        for copy, lead in pairs
    )
    for story, pair in zip(stories, pairs, strict=True):
        for article in pair:
            article.story = story
    Article.objects.bulk_update([article for pair in pairs for article in pair], ["story"], batch_size=200)
    Link.objects.bulk_create(
        Link(one=copy, other=lead, disposition=Disposition.NEAR_DUPLICATE, layer="content", measure=0.9, closeness=0.9,
             evidence="3-word phrases 90% the same", joins=True)
        for copy, lead in pairs
    )  # fmt: skip


def _people(n: int, feeds: Sequence[Feed]) -> None:
    User.objects.bulk_create([User(username=f"reader{number}") for number in range(1, n)])
    newest = Item.objects.aggregate(newest=Max("pk"))["newest"] or 0
    Feed.objects.update(newest_item_id=newest)
    Subscription.objects.bulk_create(
        Subscription(user=user, feed=feed, delivered_item_id=newest, unread_count=100)
        for user in User.objects.order_by("pk")
        for feed in feeds
    )
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_DELIVER, [False] * 4)
        print(f"{cursor.rowcount:,} deliveries made", file=sys.stderr, flush=True)


def _digest(text: str, size: int) -> bytes:
    return blake2b(text.encode(), digest_size=size).digest()


if __name__ == "__main__":
    main()
