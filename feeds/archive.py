"""The archive in order of publication, a chunk at a time, as the layers of deduplication see it. Reads only."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db.models import F, QuerySet
from django.db.models.functions import Left

from feeds.dedup.events import READ_CHARACTERS, Account, account_of
from feeds.dedup.names import Names
from feeds.dedup.subject import Subject, subject_of
from feeds.dedup.vectors import vector_from
from feeds.models import Article, Sketch

CHUNK = 400  # articles whose texts are in memory at once


@dataclass(frozen=True, slots=True)
class Chunk:
    """Articles in a row, by id. `accounts`: of those that were enriched, none where nobody asks for events."""

    subjects: dict[int, Subject]
    accounts: dict[int, Account]
    last_at: datetime


def published(*, since: datetime | None = None, before: datetime | None = None) -> QuerySet[Article]:
    """The articles published in a time, both ends open where None."""
    chosen = Article.objects.all()
    if since is not None:
        chosen = chosen.filter(published_at__gte=since)
    return chosen if before is None else chosen.filter(published_at__lt=before)


def walk(chosen: QuerySet[Article], *, with_events: bool, with_meaning: bool = True) -> Iterator[Chunk]:
    """The chosen articles, the earliest first; those of one moment in order of their ids."""
    ordered, rest = chosen.order_by("published_at", "pk"), chosen.order_by("published_at", "pk")
    while places := list(rest.values_list("published_at", "pk")[:CHUNK]):
        ids = [pk for _, pk in places]
        accounts = accounts_of(ids, with_meaning=with_meaning) if with_events else {}
        last_at, last_id = places[-1]
        yield Chunk(subjects_of(ids), accounts, last_at)
        rest = ordered.filter(published_at__gte=last_at).exclude(published_at=last_at, pk__lte=last_id)


def subjects_of(article_ids: Collection[int], *, with_text: bool = True) -> dict[int, Subject]:
    """The articles as the layers see them, by id; without text they have no fingerprint."""
    rows = Article.objects.filter(pk__in=article_ids).values_list(
        "pk",
        "title",
        F("text") if with_text else F("language"),
        "language",
        "published_at",
        "source__domain",
        "source__name",
        "feed__title",
    )
    return {
        pk: subject_of(
            title=title,
            text=text if with_text else "",
            language=language,
            domain=domain or "",
            source_names=tuple(filter(None, (name, feed, domain))),
            published_at=published_at,
        )
        for pk, title, text, language, published_at, domain, name, feed in rows
    }


def accounts_of(article_ids: Collection[int], *, with_meaning: bool = True) -> dict[int, Account]:
    """The accounts of those articles that were enriched, by id, out of what was kept of them."""
    kept = Sketch.objects.filter(article__in=article_ids).values_list("article_id", "names", "vector")
    sketches = {pk: (names, bytes(vector) if with_meaning else b"") for pk, names, vector in kept}
    rows = Article.objects.filter(pk__in=sketches).values_list(
        "pk", "title", Left("text", READ_CHARACTERS), "language", "published_at"
    )
    return {
        pk: account_of(
            title=title,
            text=text,
            language=language,
            names=Names.from_json(sketches[pk][0]),
            vector=vector_from(sketches[pk][1]),
            published_at=published_at,
        )
        for pk, title, text, language, published_at in rows
    }
