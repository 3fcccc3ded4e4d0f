"""Everything a person did with articles, read and written in bulk: to take it elsewhere, and to take it in.

Taking in is a union: what is read, starred or tagged on either side is so afterwards, and an act that is in the log
already is not written twice. Nothing is learned from it here; interests come by themselves (`reader.interest_files`).
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet

from feeds.models import Article
from reader.marking import mark_read
from reader.models import (
    ArticleState,
    Delivery,
    Engagement,
    EngagementSource,
    Position,
    Tag,
    TaggedArticle,
)
from reader.tagging import MOST_TAGS, tags_named

_BATCH = 200  # rows written by one statement


@dataclass(frozen=True, slots=True)
class Act:
    """One line of the log that was not undone."""

    kind: str
    at: datetime
    source: str = EngagementSource.READER


@dataclass(frozen=True, slots=True)
class Tagged:
    name: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Heard:
    """How far a file of the article was heard, in seconds; `file` is its key (`reader.enclosures`)."""

    file: str
    seconds: int
    at: datetime


@dataclass(slots=True)
class State:
    """What one person did with one article. `starred_at` may be None of a starred one: not known any more."""

    is_read: bool = False
    is_seen: bool = False
    is_starred: bool = False
    starred_at: datetime | None = None
    tags: list[Tagged] = field(default_factory=list)
    acts: list[Act] = field(default_factory=list)
    positions: list[Heard] = field(default_factory=list)

    @property
    def is_worth_a_copy(self) -> bool:
        """Whether the person counts on reading it again: starred or tagged."""
        return self.is_starred or bool(self.tags)


def articles_with_states(user: User) -> QuerySet[Article]:
    """Articles of which anything is kept about `user`; one index each, no look at the archive."""
    mine = [
        ArticleState.objects.filter(user=user),
        Engagement.objects.filter(user=user),
        TaggedArticle.objects.filter(user=user),
        Position.objects.filter(user=user),
        Delivery.objects.filter(user=user, is_seen=True),
    ]
    ids = [each.order_by().values("article_id") for each in mine]
    return Article.objects.filter(pk__in=ids[0].union(*ids[1:]))


def states_of(user: User, article_ids: Collection[int]) -> dict[int, State]:
    """The state of each of these articles that has one; five statements."""
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
    heard = Position.objects.filter(user=user, article__in=article_ids).order_by("file")
    for pk, file, seconds, at in heard.values_list("article_id", "file", "seconds", "saved_at"):
        found[pk].positions.append(Heard(file, seconds, at))
    return {pk: state for pk, state in found.items() if state != State()}


def take_states(user: User, states: Mapping[int, State]) -> None:
    """Add these states to what the user's articles have. Which articles are theirs is the caller's to know.

    A fixed number of statements for 200 articles; safe to repeat.
    """
    with transaction.atomic():
        _star(user, states)
        _tag(user, states)
        _log(user, states)
        rows = [
            Position(user=user, article_id=pk, file=each.file, seconds=each.seconds, saved_at=each.at)
            for pk, state in states.items()
            for each in state.positions
        ]
        Position.objects.bulk_create(rows, ignore_conflicts=True, batch_size=_BATCH)
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
    names = {each.name for state in states.values() for each in state.tags}
    if not names:
        return
    room = MOST_TAGS - Tag.objects.filter(user=user).count()
    known = set(Tag.objects.filter(user=user, key__in=map(Tag.key_of, names)).values_list("key", flat=True))
    new = sorted(name for name in names if Tag.key_of(name) not in known)[: max(0, room)]
    tags = {tag.key: tag for tag in tags_named(user, [*(n for n in names if Tag.key_of(n) in known), *new])}
    dates = dict(Article.objects.filter(pk__in=states).values_list("pk", "published_at"))
    rows = [
        TaggedArticle(user=user, tag=tag, article_id=pk, published_at=dates[pk], tagged_at=each.at)
        for pk, state in states.items()
        for each in state.tags
        if (tag := tags.get(Tag.key_of(each.name))) is not None
    ]
    TaggedArticle.objects.bulk_create(rows, ignore_conflicts=True, batch_size=_BATCH)


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
