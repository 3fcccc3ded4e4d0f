"""Reads articles from the database in the shapes that deduplication compares: subjects and profiles."""

from collections import defaultdict
from collections.abc import Collection

from django.db.models import Value
from django.db.models.functions import Left

from feeds.dedup.comparable import Subject, subject_of, versions_of
from feeds.dedup.entities import Names
from feeds.dedup.events import READ_CHARACTERS, EventProfile, event_profile_of
from feeds.dedup.fingerprints import COMPARED_CHARACTERS
from feeds.dedup.vectors import vector_from
from feeds.models import Article, Item, Sketch, Source
from feeds.storage.origins import PUBLISHER_COLUMNS, publisher, publishers_of

CHUNK = 50  # texts in memory at once


def subjects_of(article_ids: Collection[int], *, with_text: bool = True) -> dict[int, Subject]:
    """Subjects by article id; without text they have no fingerprint.

    An article's publisher is the site it links to, not the feed that delivered it: two links of an aggregator to
    reports on one event count as two publishers.
    """
    publishers = publishers_of(article_ids)
    names = dict(Source.objects.filter(domain__in=set(publishers.values())).values_list("domain", "name"))
    guids: dict[int, list[str]] = defaultdict(list)
    with_fragment = (
        Item.objects.filter(article__in=article_ids, guid__contains="#") if with_text else Item.objects.none()
    )
    for pk, guid in with_fragment.values_list("article_id", "guid"):
        guids[pk].append(guid)
    text = Left("text", COMPARED_CHARACTERS) if with_text else Value("")
    rows = Article.objects.filter(pk__in=publishers).values_list(
        "pk", "title", text, "language", "published_at", "url", "feed__title"
    )
    return {
        pk: subject_of(
            title=title,
            text=text,
            language=language,
            publisher=publishers[pk],
            source_names=tuple(filter(None, (names.get(publishers[pk]), feed, publishers[pk]))),
            published_at=published_at,
            versions=versions_of(url, guids.get(pk, ())),
        )
        for pk, title, text, language, published_at, url, feed in rows.iterator(chunk_size=CHUNK)
    }


def event_profiles_of(article_ids: Collection[int], *, with_meaning: bool = True) -> dict[int, EventProfile]:
    """Accounts by article id, for those articles that have a sketch."""
    rows = Sketch.objects.filter(article__in=article_ids).values_list("article_id", "names", "vector")
    sketches = {pk: (names, bytes(vector) if with_meaning else b"") for pk, names, vector in rows}
    articles = Article.objects.filter(pk__in=sketches).values_list(
        "pk", "title", Left("text", READ_CHARACTERS), "language", "published_at", *PUBLISHER_COLUMNS
    )
    return {
        pk: event_profile_of(
            title=title,
            text=text,
            language=language,
            names=Names.from_json(sketches[pk][0]),
            vector=vector_from(sketches[pk][1]),
            published_at=published_at,
            publisher=publisher(*published_by),
        )
        for pk, title, text, language, published_at, *published_by in articles
    }
