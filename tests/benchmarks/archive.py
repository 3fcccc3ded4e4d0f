"""A reader's archive of many articles, written below the ORM: `Installation.run("archive", n, …)`.

What is real: the schema with all indexes; articles, their items, and stories with links (every tenth article), spread
evenly over a year, so that a larger archive is also denser within the window, and its candidate lists longer. For
articles younger than the daily tidying leaves (34 days), whatever comparing can meet: texts of 150 words and all keys,
computed by the policy and by layer 5 from what is stored, and sketches. Keys are written in order of time by the
product's own code, so the index is as scattered as it becomes in use.

What is simulated: the words (`prose`). Older articles have texts of 60 words, for nobody reads them here, and no keys,
as tidied. The vectors of meaning are random: comparing with them costs what it costs, and finds nothing. With
`--all-keys` older articles have keys as if never tidied, made from those of a young one: title and event keys as they
are (so that common words stay common), SimHash keys of a SimHash with six bits changed (so that block values stay as
skewed as real ones), the others random, as those of unlike texts are.

Statistics: none on SQLite, where the product collects none; on PostgreSQL those that autovacuum would have.
"""

import argparse
import json
import random
import sys
import zlib
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from time import perf_counter

import numpy as np
from django.core.management.color import no_style
from django.db import connection, transaction

from feeds.dedup.comparable import BlockingKey
from feeds.dedup.entities import Names
from feeds.dedup.events import LONGEST_APART, event_keys, event_profile_of, meaning_keys
from feeds.dedup.fingerprints import simhash_keys
from feeds.dedup.near_duplicate_policies import Policy
from feeds.dedup.vectors import DIMENSIONS, vector_from
from feeds.models import Article, Feed, Item, Link, Sketch, Source, Story
from feeds.models.fields import CompressedTextField
from feeds.stories import candidates
from feeds.stories.candidates import hour_of
from feeds.stories.comparables import subjects_of
from feeds.stories.engine import CONTENT_KEY_LIFETIME, delete_old_keys, policy
from tests.benchmarks.prose import Prose

NOW = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)
SPAN = timedelta(days=365)
N_FEEDS = 250
TRANSACTION = 50_000  # articles
INDEXED_AT_ONCE = 5_000
YOUNG_WORDS, OLD_WORDS = 150, 60
STORY_EVERY = 10
N_MARKUPS = 200
N_TEMPLATES = 20_000
N_CHANGED_BITS = 6

_DEFLATED_NOTHING = zlib.compress(b"", CompressedTextField.LEVEL)
_ARTICLE = (
    "id", "url_key", "url", "canonical_url", "base_url", "source_id", "feed_id", "title", "author", "published_at",
    "date_uncertain", "first_seen_at", "markup", "markup_is_text", "safe_html", "safe_version", "text", "summary",
    "language", "word_count", "reading_seconds", "partial_content", "categories", "media", "content_hash", "story_id",
)  # fmt: skip
_ITEM = ("feed_id", "article_id", "guid", "published_at", "first_seen_at", "disposition", "layer", "evidence",
         "content_hash")  # fmt: skip
_STORY = ("id", "lead_id", "n_articles", "n_sources", "first_at", "last_at", "is_stale")
_LINK = ("one_id", "other_id", "disposition", "layer", "measure", "closeness", "evidence", "joins")

Row = tuple[bool | int | float | str | bytes | datetime | None, ...]
Keys = list[BlockingKey]


class Archive:
    """Articles numbered from 1, the oldest first, in an empty database."""

    def __init__(self, n_articles: int) -> None:
        self._n = n_articles
        self._random = random.Random(n_articles)
        self._prose = Prose(n_articles)
        markups = (f"<p>{self._prose.story(week=0, n_words=60).text}</p>" for _ in range(N_MARKUPS))
        self._markups = [zlib.compress(markup.encode(), CompressedTextField.LEVEL) for markup in markups]

    @property
    def first_young(self) -> int:
        """The number of the oldest article that the tidying leaves its keys."""
        return next(
            pk for pk in range(1, self._n + 2) if pk > self._n or self.published_at(pk) >= NOW - CONTENT_KEY_LIFETIME
        )

    def published_at(self, pk: int) -> datetime:
        return NOW - SPAN + SPAN * ((pk - 0.5) / self._n)

    def store(self) -> None:
        """Write articles and what belongs to them, without keys."""
        Source.objects.bulk_create([Source(domain=domain_of(n)) for n in range(N_FEEDS)])
        sources = list(Source.objects.filter(domain__in=[domain_of(n) for n in range(N_FEEDS)]).order_by("pk"))
        Feed.objects.bulk_create(_feed(n, source) for n, source in enumerate(sources))
        feeds = list(Feed.objects.order_by("pk").values_list("pk", "source_id"))
        for start in range(1, self._n + 1, TRANSACTION):
            numbers = range(start, min(start + TRANSACTION, self._n + 1))
            with transaction.atomic():
                _insert("feeds_article", _ARTICLE, (self._article(pk, *feeds[pk % N_FEEDS]) for pk in numbers))
                _insert("feeds_item", _ITEM, (self._item(pk, feeds[pk % N_FEEDS][0]) for pk in numbers))
                leads = [pk for pk in numbers if pk % STORY_EVERY == 0]
                _insert("feeds_story", _STORY, map(self._story, leads))
                _insert("feeds_link", _LINK, ((pk - 1, pk, *_LIKENESS) for pk in leads))
            _tell(f"{numbers[-1]:,} articles stored")
        with connection.cursor() as cursor:
            for command in connection.ops.sequence_reset_sql(no_style(), [Article, Item, Story, Link]):
                cursor.execute(command)

    def index(self, chosen: Policy, *, all_keys: bool) -> None:
        """Write the keys and sketches of the young articles, of old ones keys if wanted."""
        first, templates = self.first_young, list[Keys]()
        for start in range(first, self._n + 1, INDEXED_AT_ONCE):
            numbers = range(start, min(start + INDEXED_AT_ONCE, self._n + 1))
            keys = self._keys_of(numbers, chosen)
            self._write_keys(keys)
            templates += list(keys.values())[: N_TEMPLATES - len(templates)] if all_keys else []
        _tell(f"{self._n + 1 - first:,} articles indexed")
        if all_keys and templates:
            self._index_old(range(1, first), templates)
        elif not all_keys:
            delete_old_keys(now=NOW)  # as every night

    def _index_old(self, old: range, templates: Sequence[Keys]) -> None:
        for start in range(0, len(old), INDEXED_AT_ONCE):
            numbers = old[start : start + INDEXED_AT_ONCE]
            self._write_keys({pk: _resalted(self._random.choice(templates), self._random) for pk in numbers})
        _tell(f"{len(old):,} old articles indexed")

    def _write_keys(self, keys: dict[int, Keys]) -> None:
        with transaction.atomic():
            candidates.write_keys(keys, {pk: hour_of(self.published_at(pk)) for pk in keys})

    def _keys_of(self, numbers: range, chosen: Policy) -> dict[int, Keys]:
        """The keys of stored articles; those of layer 5, and sketches, where the policy asks it."""
        keys = {pk: chosen.keys(subject) for pk, subject in subjects_of(numbers).items()}
        if not chosen.names_events:
            return keys
        vectors = np.random.default_rng(numbers[0]).normal(0, 127 / DIMENSIONS**0.5, (len(numbers), DIMENSIONS))
        stored = dict(zip(numbers, np.rint(vectors).astype(np.int8), strict=True))
        sketches = []
        for pk, title, text in Article.objects.filter(pk__in=numbers).values_list("pk", "title", "text"):
            names = _names_in(text)
            profile = event_profile_of(
                title=title,
                text=text,
                language="en",
                names=names,
                vector=vector_from(stored[pk].tobytes()),
                published_at=self.published_at(pk),
            )
            values = event_keys(profile) | meaning_keys(profile)
            keys[pk] += [BlockingKey(value, LONGEST_APART) for value in values]
            sketches.append(Sketch(article_id=pk, names=names.as_json(), vector=stored[pk].tobytes()))
        Sketch.objects.bulk_create(sketches)
        return keys

    def _article(self, pk: int, feed_id: int, source_id: int) -> Row:
        published_at = self.published_at(pk)
        is_young = published_at >= NOW - CONTENT_KEY_LIFETIME
        week = int(published_at.timestamp()) // (7 * 86_400)
        story = self._prose.story(week=week, n_words=YOUNG_WORDS if is_young else OLD_WORDS)
        text, url = story.text, f"https://{domain_of(pk % N_FEEDS)}/{published_at:%Y/%m}/{pk}"
        return (
            pk, _digest(url, 16), url, "", "", source_id, feed_id, story.title, "", _moment(published_at),
            False, _moment(published_at + timedelta(minutes=9)), self._markups[pk % N_MARKUPS], False,
            _DEFLATED_NOTHING, 0, text, text[:200], "en", len(text.split()), 40, False, "[]", "[]", _hash_of(pk),
            self._story_of(pk),
        )  # fmt: skip

    def _item(self, pk: int, feed_id: int) -> Row:
        published_at = _moment(self.published_at(pk))
        disposition = "near_duplicate" if pk % STORY_EVERY == 0 else "unique"
        return feed_id, pk, f"https://{domain_of(pk % N_FEEDS)}/?p={pk}", published_at, published_at, disposition, "", \
            "", _hash_of(pk)  # fmt: skip

    def _story_of(self, pk: int) -> int | None:
        lead = pk if pk % STORY_EVERY == 0 else pk + 1
        return lead // STORY_EVERY if lead % STORY_EVERY == 0 and lead <= self._n else None

    def _story(self, lead: int) -> Row:
        first, last = (_moment(self.published_at(pk)) for pk in (lead - 1, lead))
        return lead // STORY_EVERY, lead, 2, 2, first, last, False


_LIKENESS = ("near_duplicate", "content", 0.9, 0.9, "3-word phrases 90% the same", True)


def domain_of(number: int) -> str:
    """The domain of the publisher with this number, from 0."""
    return f"paper{number}.example"


def feed_url(number: int) -> str:
    return f"https://{domain_of(number)}/feed.xml"


def _feed(number: int, source: Source) -> Feed:
    url = feed_url(number)
    return Feed(url=url, url_key=Feed.key_of(url), source=source, title=f"Paper {number}", language="en")


def _resalted(keys: Keys, source: random.Random) -> Keys:
    """Keys of an article that does not exist, distributed like those of one that does."""
    simhash = next((key.bits for key in keys if not key.is_of_title and key.bits is not None), None)
    changed = [key for key in keys if key.is_of_title]
    if simhash is not None:
        for bit in source.sample(range(64), N_CHANGED_BITS):
            simhash ^= 1 << bit
        changed += [
            BlockingKey(value, CONTENT_KEY_LIFETIME, simhash, is_of_title=False) for value in simhash_keys(simhash)
        ]
    n_others = sum(not key.is_of_title and key.bits is None for key in keys)
    return changed + [
        BlockingKey(source.getrandbits(48), CONTENT_KEY_LIFETIME, None, is_of_title=False) for _ in range(n_others)
    ]


def _names_in(text: str) -> Names:
    """The name that the text begins with, if it has two words: what layer 5 would find in it, near enough."""
    first, second, *_ = text.split(maxsplit=2)
    return Names.from_json({"people": [f"{first} {second}".lower()]} if second.istitle() else {})


def _insert(table: str, columns: Sequence[str], rows: Iterable[Row]) -> None:
    marks = ", ".join(["%s"] * len(columns))
    with connection.cursor() as cursor:
        cursor.executemany(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})", list(rows))  # noqa: S608


def _moment(moment: datetime) -> str | datetime | None:
    """As the database takes it."""
    return connection.ops.adapt_datetimefield_value(moment)


def _digest(text: str, size: int) -> bytes:
    return blake2b(text.encode(), digest_size=size).digest()


def _hash_of(pk: int) -> int:
    return int.from_bytes(_digest(str(pk), 8), "big", signed=True)


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("n_articles", type=int)
    parser.add_argument("--all-keys", action="store_true")
    options = parser.parse_args()
    began = perf_counter()
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:  # for this process, and to no effect on what the file becomes
            cursor.execute("PRAGMA synchronous=OFF")
            cursor.execute("PRAGMA cache_size=-400000")
    archive = Archive(options.n_articles)
    archive.store()
    stored = perf_counter()
    archive.index(policy(), all_keys=options.all_keys)
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")
    print(json.dumps({"store_seconds": stored - began, "index_seconds": perf_counter() - stored}))


if __name__ == "__main__":
    main()
