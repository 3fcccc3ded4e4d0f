"""Every story once: which deliveries stand in a list, and which fold under another of their story.

Theory. One event told by ten feeds is one thing to know, so a list shows one article of it and says "9 more sources".
What readers of other programs hold against this is always the same: something vanished. So nothing is decided for
everybody. The articles of a story that *this person's* own subscriptions brought are a group, once among everything
(`is_folded`) and once within each folder (`is_folded_in_folder`), and `decide` says for each group what is folded:

1. What the person acted on (read it, starred it) is never folded: it stays where they left it.
2. Nothing acted on stands there: the best of the unread ones leads, and the others fold under it. Best is the story's
   lead, if it was brought; else most words, then the better tier, then the earliest, then the smaller id.
3. Something acted on stands there: what was folded before stays folded (the person saw it stand under its leader, and
   reading that leader must not make nine others pop up). Newcomers are judged: a near-duplicate of what was read or
   starred folds, for that text is known; other coverage of the event is news, and the best of it is shown.
4. A group always shows something. Where nothing stands there any more (its leader was unfollowed, or split off), it
   leads as in 2; one article alone is never folded.

An article swept up by "mark all read" while it was folded was not acted on by itself: it stays folded, so that the
list of what was read shows every story once too. Opening, marking or starring one article unfolds it at once
(`reader.marking`). An article that a person separated from its story is a group of its own. Folding neither marks
anything read nor changes a counter; the same rows give the same flags, so that repeating it changes nothing.

Known limit: an article marked unread again is not told from one never touched, and may fold later.

What to fold anew stands in an outbox, `StoryChange`, written in the transaction that changed a story or the deliveries
of one, and deleted in the transaction that folded. Folding locks the deliveries in the order of their ids before it
looks at them, and so do all who change them (`reader.locking`). A story that changed is corroborated by more feeds or
by fewer: that is brought up to date next (`reader.standings`), in transactions of its own, for it locks assessments
before deliveries. An interruption leaves it to the half-hourly look.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Min, Q, QuerySet

from feeds.models import Article, Disposition, Link, StoryChange, Tier
from reader.models import ArticleState, Delivery, Separation
from reader.standings import refresh_told_with

CHUNK = 200  # articles asked about in one transaction; their stories and everybody's deliveries are held in memory
_MOST_IDS = 5000  # in one statement; SQLite may take no more than 32,766

Rank = tuple[bool, int, int, datetime, int]


@dataclass(frozen=True, slots=True)
class Member:
    """One article of a story as it stands with one person, in one list.

    `rank` orders leaders, the smallest leads; `copies` are the articles that it is a near-duplicate of; `is_folded` is
    how it stands now.
    """

    article_id: int
    rank: Rank
    is_read: bool = False
    is_starred: bool = False
    is_folded: bool = False
    copies: frozenset[int] = frozenset()

    @property
    def is_acted_on(self) -> bool:
        return self.is_read or self.is_starred


def decide(group: Collection[Member]) -> frozenset[int]:
    """The articles of one group that are to be folded; the module's docstring says why. Never all of them."""
    shown = {each.article_id for each in group if each.is_starred or (each.is_read and not each.is_folded)}
    unread = [each for each in group if not each.is_acted_on]
    if shown:
        known = {each.article_id for each in group if each.is_acted_on}
        leading = [each for each in unread if not each.is_folded and not each.copies & known]
    else:
        leading = unread or list(group)
    if leading:
        shown.add(min(leading, key=lambda each: each.rank).article_id)
    return frozenset(each.article_id for each in group) - shown


def fold(article_ids: Collection[int], *, user: User | None = None) -> int:
    """Work out anew what is folded of these articles and their stories, for everybody or for `user`.

    A fixed number of statements for each `CHUNK` articles, each chunk a transaction. Returns the deliveries changed.
    """
    return sum(_fold(ids, user) for ids in _chunks(sorted(set(article_ids)), CHUNK))


def note(articles: QuerySet[Article]) -> list[int]:
    """Leave word that the stories of `articles` are to be folded anew; returns the ids of the changes, one a story.

    To be called in the transaction that makes it necessary.
    """
    tied = articles.filter(story__isnull=False).order_by().values("story").annotate(one=Min("pk"))
    changes = [StoryChange(article_id=pk) for pk in tied.values_list("one", flat=True)]
    return [each.pk for each in StoryChange.objects.bulk_create(changes)]


def note_ids(article_ids: Collection[int]) -> list[int]:
    """`note` for articles known by their ids."""
    chunks = _chunks(sorted(set(article_ids)), _MOST_IDS)
    return [pk for ids in chunks for pk in note(Article.objects.filter(pk__in=ids))]


def fold_changes() -> int:
    """Fold the stories of the oldest `CHUNK` changes in the outbox; returns how many changes are done, 0 at its end.

    Workers share the outbox: what one has taken, others pass over. Interrupted, the changes are still there.
    """
    return _consume(StoryChange.objects.all(), None)


def settle(changes: Collection[int], *, user: User | None = None) -> None:
    """Fold at once what was noted, for `user` alone if the changes are about nobody else's deliveries.

    What is interrupted here, or what another worker took first, is done by `fold_changes`.
    """
    for ids in _chunks(sorted(set(changes)), CHUNK):
        _consume(StoryChange.objects.filter(pk__in=ids), user)


def _consume(changes: QuerySet[StoryChange], user: User | None) -> int:
    with transaction.atomic():
        waiting = changes.select_for_update(skip_locked=True).order_by("pk")
        taken = dict(waiting.values_list("pk", "article_id")[:CHUNK])
        fold(taken.values(), user=user)
        StoryChange.objects.filter(pk__in=taken).delete()
    refresh_told_with(taken.values())
    return len(taken)


class _Row(NamedTuple):
    """A delivery, as far as folding goes."""

    pk: int
    user_id: int
    folder_id: int | None
    article_id: int
    is_read: bool
    is_folded: bool
    is_folded_in_folder: bool
    quiet: int


@dataclass(frozen=True, slots=True)
class _Known:
    """What is known of the articles: their stories and ranks, who copies whom, who starred and who separated what."""

    stories: dict[int, int | None]
    ranks: dict[int, Rank]
    copies: dict[int, frozenset[int]]
    starred: frozenset[tuple[int, int]]
    separated: frozenset[tuple[int, int]]

    def group_of(self, row: _Row) -> int:
        """The story, or the article's id below zero where it stands alone."""
        story = self.stories[row.article_id]
        is_alone = story is None or (row.user_id, row.article_id) in self.separated
        return -row.article_id if story is None or is_alone else story

    def member(self, rows: Sequence[_Row], flag: str) -> Member:
        """One article that all of `rows` brought to one person. Folded if any is: a row that is new begins unfolded."""
        first = rows[0]
        return Member(
            article_id=first.article_id,
            rank=self.ranks[first.article_id],
            is_read=any(row.is_read for row in rows),
            is_starred=(first.user_id, first.article_id) in self.starred,
            is_folded=any(getattr(row, flag) for row in rows),
            copies=self.copies.get(first.article_id, frozenset()),
        )


def _fold(asked: Sequence[int], user: User | None) -> int:
    with transaction.atomic():
        stories, ranks = _articles(asked)
        ids = list(stories)
        mine = Q() if user is None else Q(user=user)
        deliveries = Delivery.objects.filter(mine, article__in=ids).select_for_update().order_by("pk")
        rows = [_Row(*values) for values in deliveries.values_list(*_Row._fields)]
        states = ArticleState.objects.filter(mine, article__in=ids, is_starred=True)
        apart = Separation.objects.filter(mine, article__in=ids)
        known = _Known(
            stories=stories,
            ranks=ranks,
            copies=_copies(ids),
            starred=frozenset(states.values_list("user_id", "article_id")),
            separated=frozenset(apart.values_list("user_id", "article_id")),
        )
        return _update(rows, _folded(rows, known, "is_folded"), _folded(rows, known, "is_folded_in_folder"))


def _articles(asked: Sequence[int]) -> tuple[dict[int, int | None], dict[int, Rank]]:
    """The story and the rank of each article asked about and of all others in their stories."""
    tied = Article.objects.filter(pk__in=asked, story__isnull=False).order_by()
    stories = list(tied.values_list("story", flat=True).distinct())
    found = Article.objects.filter(Q(pk__in=asked) | Q(story__in=stories)).values_list(
        "pk", "story_id", "story__lead_id", "word_count", "feed__tier", "source__tier", "published_at"
    )
    story_of: dict[int, int | None] = {}
    ranks: dict[int, Rank] = {}
    for pk, story, lead, n_words, feed_tier, source_tier, published_at in found:
        story_of[pk] = story
        ranks[pk] = (pk != lead, -n_words, feed_tier or source_tier or Tier.T5, published_at, pk)
    return story_of, ranks


def _copies(ids: Collection[int]) -> dict[int, frozenset[int]]:
    links = Link.objects.filter(disposition=Disposition.NEAR_DUPLICATE, one__in=ids, other__in=ids)
    copies: dict[int, set[int]] = defaultdict(set)
    for one, other in links.values_list("one_id", "other_id"):
        copies[one].add(other)
        copies[other].add(one)
    return {pk: frozenset(others) for pk, others in copies.items()}


def _folded(rows: Iterable[_Row], known: _Known, flag: str) -> set[int]:
    """The deliveries to be folded in the scope of `flag`; what is in no folder is folded in none."""
    in_folder = flag == "is_folded_in_folder"
    groups: dict[tuple[int, int | None, int], dict[int, list[_Row]]] = defaultdict(lambda: defaultdict(list))
    found: set[int] = set()
    for row in rows:
        if row.quiet:  # it leads nothing, and stands in no list but the feed's own
            found.add(row.pk)
        elif not in_folder or row.folder_id is not None:
            scope = row.folder_id if in_folder else None
            groups[row.user_id, scope, known.group_of(row)][row.article_id].append(row)
    for articles in groups.values():
        for article_id in decide([known.member(brought, flag) for brought in articles.values()]):
            found.update(row.pk for row in articles[article_id])
    return found


def _update(rows: Iterable[_Row], folded: Collection[int], folded_in_folder: Collection[int]) -> int:
    """Write the flags where they change; returns how many deliveries."""
    changing: dict[tuple[bool, bool], list[int]] = defaultdict(list)
    for row in rows:
        wanted = (row.pk in folded, row.pk in folded_in_folder)
        if wanted != (row.is_folded, row.is_folded_in_folder):
            changing[wanted].append(row.pk)
    for (is_folded, in_folder), pks in changing.items():
        for ids in _chunks(pks, _MOST_IDS):
            Delivery.objects.filter(pk__in=ids).update(is_folded=is_folded, is_folded_in_folder=in_folder)
    return sum(map(len, changing.values()))


def _chunks(ids: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    for start in range(0, len(ids), size):
        yield ids[start : start + size]
