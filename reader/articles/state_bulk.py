"""Reads and writes everything users did with articles, in bulk: for export and import.

Import is a union: what is read, starred or tagged on either side is so afterwards, and actions that are already logged
aren't added again. Nothing is learned from it; interests are imported separately (`reader.interests.import_export`).
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from feeds.models import Article
from reader.articles.read_state import mark_read
from reader.articles.saved_items import add_saved, saved_items, saved_times
from reader.articles.tags import tags_named
from reader.limits import HIGHLIGHTS, TAGS
from reader.models import (
    ArticleState,
    Delivery,
    Engagement,
    EngagementSource,
    Highlight,
    PlaybackPosition,
    Tag,
    TaggedArticle,
)

_BATCH = 200  # rows per statement


@dataclass(frozen=True, slots=True)
class Act:
    """An entry of the log that wasn't undone."""

    kind: str
    at: datetime
    source: str = EngagementSource.READER


@dataclass(frozen=True, slots=True)
class Tagged:
    name: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Position:
    """Playback position in seconds; `file` is the key of the file (`reader.articles.enclosures`)."""

    file: str
    seconds: int
    at: datetime


@dataclass(frozen=True, slots=True)
class Highlighted:
    """A highlight, as `reader.models.Highlight` stores it."""

    quote: str
    prefix: str
    suffix: str
    note: str
    at: datetime


@dataclass(slots=True)
class State:
    """What a user did with an article. `starred_at` may be None for a starred one if unknown. `saved_at`: when they
    saved it as a page."""

    is_read: bool = False
    is_seen: bool = False
    is_starred: bool = False
    starred_at: datetime | None = None
    tags: list[Tagged] = field(default_factory=list)
    acts: list[Act] = field(default_factory=list)
    positions: list[Position] = field(default_factory=list)
    highlights: list[Highlighted] = field(default_factory=list)
    saved_at: datetime | None = None

    @property
    def is_kept(self) -> bool:
        """Whether the user wants to keep the article: starred, tagged, highlighted or saved."""
        return self.is_starred or self.saved_at is not None or bool(self.tags or self.highlights)


def articles_with_states(user: User) -> QuerySet[Article]:
    """Articles that the user has any state of; indexed queries only."""
    mine = [
        ArticleState.objects.filter(user=user),
        Engagement.objects.filter(user=user),
        TaggedArticle.objects.filter(user=user),
        PlaybackPosition.objects.filter(user=user),
        Highlight.objects.filter(user=user, article__isnull=False),
        Delivery.objects.filter(user=user, is_seen=True),
        saved_items(user),
    ]
    ids = [rows.order_by().values("article_id") for rows in mine]
    return Article.objects.filter(pk__in=ids[0].union(*ids[1:]))


def states_of(user: User, article_ids: Collection[int]) -> dict[int, State]:
    """The state of each of these articles that has one; seven queries."""
    found: dict[int, State] = defaultdict(State)
    for row in ArticleState.objects.filter(user=user, article__in=article_ids):
        state = found[row.article_id]
        state.is_read, state.is_starred, state.starred_at = row.is_read, row.is_starred, row.starred_at
    seen = Delivery.objects.filter(user=user, article__in=article_ids, is_seen=True)
    for pk in seen.values_list("article_id", flat=True):
        found[pk].is_seen = True
    tagged = TaggedArticle.objects.filter(user=user, article__in=article_ids).order_by("tag__key")
    for pk, name, at in tagged.values_list("article_id", "tag__name", "tagged_at"):
        found[pk].tags.append(Tagged(name, at))
    for pk, act in _acts(user, article_ids):
        found[pk].acts.append(act)
    positions = PlaybackPosition.objects.filter(user=user, article__in=article_ids).order_by("file")
    for pk, file, seconds, at in positions.values_list("article_id", "file", "seconds", "saved_at"):
        found[pk].positions.append(Position(file, seconds, at))
    marked = Highlight.objects.filter(user=user, article__in=article_ids).order_by("made_at", "pk")
    fields = ("article_id", "quote", "prefix", "suffix", "note", "made_at")
    for pk, quote, prefix, suffix, note, at in marked.values_list(*fields):
        found[pk].highlights.append(Highlighted(quote, prefix, suffix, note, at))
    for pk, at in saved_times(user, article_ids).items():
        found[pk].saved_at = at
    return {pk: state for pk, state in found.items() if state != State()}


def add_states(user: User, states: Mapping[int, State]) -> None:
    """Add these states to the user's articles; the caller checks which articles are theirs.

    A fixed number of queries per 200 articles; can be repeated.
    """
    with transaction.atomic():
        _star(user, states)
        _tag(user, states)
        _log(user, states)
        _highlight(user, states)
        saved = {pk: state.saved_at for pk, state in states.items() if state.saved_at}
        add_saved(user, saved, now=timezone.now())
        rows = [
            PlaybackPosition(
                user=user, article_id=pk, file=position.file, seconds=position.seconds, saved_at=position.at
            )
            for pk, state in states.items()
            for position in state.positions
        ]
        PlaybackPosition.objects.bulk_create(rows, ignore_conflicts=True, batch_size=_BATCH)
        mark_read(user, [pk for pk, state in states.items() if state.is_read])
        seen = [pk for pk, state in states.items() if state.is_seen]
        Delivery.objects.filter(user=user, article__in=seen, is_seen=False).update(is_seen=True)


def _acts(user: User, article_ids: Collection[int]) -> Iterable[tuple[int, Act]]:
    rows = Engagement.objects.filter(user=user, article__in=article_ids).order_by("happened_at", "pk")
    log = list(rows.values_list("pk", "article_id", "kind", "happened_at", "source", "undoes_id"))
    undone = {undoes for *_, undoes in log}
    for pk, article, kind, at, source, undoes in log:
        if undoes is None and pk not in undone:
            yield article, Act(kind, at, source)


def _star(user: User, states: Mapping[int, State]) -> None:
    starred = {pk: state.starred_at for pk, state in states.items() if state.is_starred}
    ArticleState.objects.bulk_create(
        [ArticleState(user=user, article_id=pk) for pk in starred], ignore_conflicts=True, batch_size=_BATCH
    )
    rows = list(ArticleState.objects.filter(user=user, article__in=starred, is_starred=False))
    for row in rows:
        row.is_starred, row.starred_at = True, starred[row.article_id]
    ArticleState.objects.bulk_update(rows, ["is_starred", "starred_at"], batch_size=_BATCH)


def _tag(user: User, states: Mapping[int, State]) -> None:
    names = {tagged.name for state in states.values() for tagged in state.tags}
    if not names:
        return
    n_left = TAGS.most - Tag.objects.filter(user=user).count()
    known = set(Tag.objects.filter(user=user, key__in=map(Tag.key_of, names)).values_list("key", flat=True))
    new = sorted(name for name in names if Tag.key_of(name) not in known)[: max(0, n_left)]
    tags = {tag.key: tag for tag in tags_named(user, [*(name for name in names if Tag.key_of(name) in known), *new])}
    dates = dict(Article.objects.filter(pk__in=states).values_list("pk", "published_at"))
    rows = [
        TaggedArticle(user=user, tag=tag, article_id=pk, published_at=dates[pk], tagged_at=tagged.at)
        for pk, state in states.items()
        for tagged in state.tags
        if (tag := tags.get(Tag.key_of(tagged.name))) is not None
    ]
    TaggedArticle.objects.bulk_create(rows, ignore_conflicts=True, batch_size=_BATCH)


def _highlight(user: User, states: Mapping[int, State]) -> None:
    marked = [pk for pk, state in states.items() if state.highlights]
    if not marked:
        return
    known = set(Highlight.objects.filter(user=user, article__in=marked).values_list("article_id", "quote", "made_at"))
    articles = Article.objects.only("title", "url", "canonical_url").in_bulk(marked)
    n_left = max(0, HIGHLIGHTS.most - Highlight.objects.filter(user=user).count())
    new = [
        Highlight(
            user=user,
            article=article,
            title=article.title,
            url=article.link,
            quote=row.quote,
            prefix=row.prefix,
            suffix=row.suffix,
            note=row.note,
            made_at=row.at,
        )
        for pk, article in articles.items()
        for row in states[pk].highlights
        if (pk, row.quote, row.at) not in known
    ]
    Highlight.objects.bulk_create(new[:n_left], batch_size=_BATCH)


def _log(user: User, states: Mapping[int, State]) -> None:
    acted = [pk for pk, state in states.items() if state.acts]
    log = Engagement.objects.filter(user=user, article__in=acted).values_list("article_id", "kind", "happened_at")
    known = set(log)
    rows = [
        Engagement(user=user, article_id=pk, kind=act.kind, source=act.source, happened_at=act.at)
        for pk in acted
        for act in states[pk].acts
        if (pk, act.kind, act.at) not in known
    ]
    rows.sort(key=lambda row: row.happened_at)
    Engagement.objects.bulk_create(rows, batch_size=_BATCH)
