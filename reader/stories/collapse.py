"""Show every story once: which deliveries appear in a list, and which are folded under another of their story.

Theory. An event covered by ten feeds is one thing to know, so a list shows one article and "9 more sources". Users of
other readers complain that articles vanish, so this is decided per user. The articles of a story in a user's own feeds
are a group, once among all articles (`is_folded`) and once in each folder (`is_folded_in_folder`). `decide` applies
these rules to a group:

1. Articles that the user acted on (read, starred) are never folded.
2. If none was acted on, the best unread article is shown and the others are folded: the story's lead if the user has
   it, else the next that would lead (`feeds.stories.lead_positions`).
3. If some were, folded articles stay folded: reading the lead must not make nine others appear. New near-duplicates of
   a read or starred article are folded; of other new coverage the best is shown.
4. A group always shows something. If nothing is shown any more (its lead was unfollowed, or split off), rule 2 applies.

"Mark all as read" doesn't count as acting on a folded article, so the read half of a list shows every story once too.
Opening, marking or starring an article unfolds it (`reader.articles.read_state`). An article that a user split off is a
group of its own. Folding changes neither read states nor counters, and is safe to repeat.

Reading apps keep the articles they got. Those that they may have (`was_listed`) are sent as read once folded; those
folded from the beginning arrive when lists show them (`reader.articles.arrivals`).

Known limit: an article marked as unread again looks like an untouched one, and may be folded later.

Stories to fold are queued in `StoryChange`, in the transaction that changed a story or its deliveries, and removed in
the transaction that folds them. Folding locks the deliveries by id, as does everything that changes them
(`lock_deliveries`). Corroboration of changed stories is updated afterwards (`reader.scoring.source_signals`), in its
own transactions, because it locks assessments before deliveries. If interrupted, the half-hourly task does it.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Min, Q, QuerySet

from feeds.models import Article, Disposition, Link, StoryChange
from feeds.stories.lead_positions import lead_positions
from reader.articles.arrivals import arrive
from reader.models import ArticleState, Delivery, Separation
from reader.scoring.source_signals import refresh_stories

CHUNK = 200  # articles per transaction; their stories and all users' deliveries are held in memory
_MAX_IDS = 5000  # in one statement; SQLite allows 32,766


@dataclass(frozen=True, slots=True)
class Member:
    """An article of a story for one user and list.

    `rank`: the smallest leads. `copies`: its near-duplicates. `is_folded`: the current state.
    """

    article_id: int
    rank: int
    is_read: bool = False
    is_starred: bool = False
    is_folded: bool = False
    copies: frozenset[int] = frozenset()

    @property
    def is_acted_on(self) -> bool:
        return self.is_read or self.is_starred


def decide(group: Collection[Member]) -> frozenset[int]:
    """The articles of a group to fold, by the rules above. Never all of them."""
    shown = {member.article_id for member in group if member.is_starred or (member.is_read and not member.is_folded)}
    unread = [member for member in group if not member.is_acted_on]
    if shown:
        known = {member.article_id for member in group if member.is_acted_on}
        leading = [member for member in unread if not member.is_folded and not member.copies & known]
    else:
        leading = unread or list(group)
    if leading:
        shown.add(min(leading, key=lambda member: member.rank).article_id)
    return frozenset(member.article_id for member in group) - shown


def fold(article_ids: Collection[int], *, user: User | None = None) -> int:
    """Fold the stories of these articles, for all users or for one; returns the number of changed deliveries.

    Each `CHUNK` of articles is a transaction, with a fixed number of statements.
    """
    return sum(_fold(ids, user) for ids in _chunks(sorted(set(article_ids)), CHUNK))


def queue_fold(articles: QuerySet[Article]) -> list[int]:
    """Queue the stories of these articles for folding; returns the ids of the changes, one per story.

    Call it in the transaction that makes it necessary.
    """
    tied = articles.filter(story__isnull=False).order_by().values("story").annotate(one=Min("pk"))
    changes = [StoryChange(article_id=pk) for pk in tied.values_list("one", flat=True)]
    return [change.pk for change in StoryChange.objects.bulk_create(changes)]


def queue_fold_ids(article_ids: Collection[int]) -> list[int]:
    """`queue_fold` for articles known by their ids."""
    chunks = _chunks(sorted(set(article_ids)), _MAX_IDS)
    return [pk for ids in chunks for pk in queue_fold(Article.objects.filter(pk__in=ids))]


def fold_queued() -> int:
    """Fold the stories of the oldest `CHUNK` queued changes; returns how many. Workers skip each other's changes."""
    return _consume(StoryChange.objects.all(), None)


def fold_now(changes: Collection[int], *, user: User | None = None) -> None:
    """Fold queued changes now, only for `user` if they concern no other user's deliveries.

    If this is interrupted, `fold_queued` does it later.
    """
    for ids in _chunks(sorted(set(changes)), CHUNK):
        _consume(StoryChange.objects.filter(pk__in=ids), user)


def _consume(changes: QuerySet[StoryChange], user: User | None) -> int:
    with transaction.atomic():
        waiting = changes.select_for_update(skip_locked=True).order_by("pk")
        claimed = dict(waiting.values_list("pk", "article_id")[:CHUNK])
        fold(claimed.values(), user=user)
        StoryChange.objects.filter(pk__in=claimed).delete()
    refresh_stories(claimed.values())
    return len(claimed)


class _Row(NamedTuple):
    """The columns of a delivery that folding needs."""

    pk: int
    user_id: int
    folder_id: int | None
    article_id: int
    is_read: bool
    is_folded: bool
    is_folded_in_folder: bool
    was_listed: bool
    quiet: int


@dataclass(frozen=True, slots=True)
class _Known:
    """The articles' stories, ranks and near-duplicates, and what users starred and split off."""

    stories: dict[int, int | None]
    ranks: dict[int, int]
    copies: dict[int, frozenset[int]]
    starred: frozenset[tuple[int, int]]
    separated: frozenset[tuple[int, int]]

    def group_of(self, row: _Row) -> int:
        """The story's id, or the negative article id if it has none."""
        story = self.stories[row.article_id]
        is_alone = story is None or (row.user_id, row.article_id) in self.separated
        return -row.article_id if story is None or is_alone else story

    def member(self, rows: Sequence[_Row], flag: str) -> Member:
        """One article of one user, from its deliveries. It's folded if any is: new deliveries start unfolded."""
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


def _articles(asked: Sequence[int]) -> tuple[dict[int, int | None], dict[int, int]]:
    """The story and the rank of each of these articles, and of all others in their stories."""
    tied = Article.objects.filter(pk__in=asked, story__isnull=False).order_by()
    stories = list(tied.values_list("story", flat=True).distinct())
    found = Article.objects.filter(Q(pk__in=asked) | Q(story__in=stories)).values_list("pk", "story_id")
    story_of: dict[int, int | None] = dict(found)
    return story_of, dict.fromkeys(story_of, 0) | lead_positions(stories)


def _copies(ids: Collection[int]) -> dict[int, frozenset[int]]:
    links = Link.objects.filter(disposition=Disposition.NEAR_DUPLICATE, one__in=ids, other__in=ids)
    copies: dict[int, set[int]] = defaultdict(set)
    for one, other in links.values_list("one_id", "other_id"):
        copies[one].add(other)
        copies[other].add(one)
    return {pk: frozenset(others) for pk, others in copies.items()}


def _folded(rows: Iterable[_Row], known: _Known, flag: str) -> set[int]:
    """The deliveries to fold in the scope of `flag`; those outside folders are never folded in a folder."""
    in_folder = flag == "is_folded_in_folder"
    groups: dict[tuple[int, int | None, int], dict[int, list[_Row]]] = defaultdict(lambda: defaultdict(list))
    found: set[int] = set()
    for row in rows:
        if row.quiet:  # only in the feed's own list
            found.add(row.pk)
        elif not in_folder or row.folder_id is not None:
            scope = row.folder_id if in_folder else None
            groups[row.user_id, scope, known.group_of(row)][row.article_id].append(row)
    for articles in groups.values():
        for article_id in decide([known.member(copies, flag) for copies in articles.values()]):
            found.update(row.pk for row in articles[article_id])
    return found


def _update(rows: Iterable[_Row], folded: Collection[int], folded_in_folder: Collection[int]) -> int:
    """Save changed flags; returns how many deliveries changed. What lists show for the first time arrives now."""
    changing: dict[tuple[bool, bool, bool], list[int]] = defaultdict(list)
    new: list[int] = []
    for row in rows:
        wanted = (row.pk in folded, row.pk in folded_in_folder)
        if wanted != (row.is_folded, row.is_folded_in_folder):
            changing[*wanted, row.was_listed or (not row.is_folded and not row.quiet)].append(row.pk)
        if row.is_folded and row.pk not in folded and not (row.was_listed or row.is_read):
            new.append(row.pk)
    for (is_folded, in_folder, was_listed), pks in changing.items():
        for ids in _chunks(pks, _MAX_IDS):
            flags = {"is_folded": is_folded, "is_folded_in_folder": in_folder, "was_listed": was_listed}
            Delivery.objects.filter(pk__in=ids).update(**flags)
    for ids in _chunks(new, _MAX_IDS):
        arrive(Delivery.objects.filter(pk__in=ids))
    return sum(map(len, changing.values()))


def _chunks(ids: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    for start in range(0, len(ids), size):
        yield ids[start : start + size]
