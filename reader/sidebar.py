"""What stands beside every page: folders, feeds, searches, tags and counts. Seven queries, few rows, whatever there is.

Only the open folder shows its feeds, and of a very long list those with most unread: a person with 36,000 feeds finds
the others on the feeds page. Everything and each folder count what their lists show: every article and every story
once. A feed's count is of all it brought.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import starmap
from typing import NamedTuple

from django.contrib.auth.models import User
from django.db.models import Count, F, OuterRef, Q, QuerySet

from feeds.credentials import without_credentials
from feeds.models import Condition, Feed, FeedStatus
from reader.models import Folder, Notification, SavedSearch, Subscription, Tag
from reader.prepared import prepared
from reader.queries import CountOf, unread_in_folder, unread_of_user

_AT_WORK = (FeedStatus.ACTIVE, FeedStatus.SAMPLE)
NEEDS_ATTENTION = ~Q(feed__condition=Condition.WELL) | ~Q(feed__status__in=_AT_WORK) | Q(feed__failures_running__gt=0)
MOST_FEEDS = 100  # shown in one place; at 16 px a line more than anybody scans
MOST_TAGS = 100


class Shelved(NamedTuple):
    """A tag or a saved search as it stands there."""

    pk: int
    name: str


class ShelvedFolder(NamedTuple):
    pk: int
    name: str
    n_unread: int


@dataclass(frozen=True, slots=True)
class ShelvedFeed:
    """A feed as it stands there; as figures, for every page shows many."""

    pk: int
    name: str
    n_unread: int
    is_well: bool


@dataclass(frozen=True, slots=True)
class Sidebar:
    """`feeds` are those of the open folder, `loose_feeds` those in no folder; `here` names the page, such as `home`."""

    here: str
    open_folder: int | None
    open_feed: int | None
    open_tag: int | None
    n_unread: int
    n_feeds: int
    folders: tuple[ShelvedFolder, ...]
    feeds: tuple[ShelvedFeed, ...]
    loose_feeds: tuple[ShelvedFeed, ...]
    tags: tuple[Shelved, ...]
    n_more: int
    n_more_loose: int
    n_attention: int
    n_samples: int
    n_news: int
    searches: tuple[Shelved, ...]
    open_search: int | None

    @property
    def n_unread_here(self) -> int:
        """Of the open folder, or of everything."""
        return next((each.n_unread for each in self.folders if each.pk == self.open_folder), self.n_unread)


def needing_attention(subscriptions: QuerySet[Subscription]) -> QuerySet[Subscription]:
    """Those whose feed is not well, is not polled, or fails at present."""
    return subscriptions.filter(NEEDS_ATTENTION)


def is_ailing(feed: Feed) -> bool:
    """The same of one feed."""
    return feed.condition != Condition.WELL or feed.status not in _AT_WORK or feed.failures_running > 0


def sidebar_of(
    user: User,
    *,
    here: str,
    folder_id: int | None = None,
    open_feed: int | None = None,
    open_search: int | None = None,
    open_tag: int | None = None,
) -> Sidebar:
    """The sidebar of a page called `here`, with the folder open and the feed, search or tag marked that it is about."""
    n_feeds, n_attention, n_samples = {}, 0, 0
    for folder, n, n_ailing, n_of_samples in _counts(user.pk):
        n_feeds[folder] = n
        n_attention += n_ailing
        n_samples += n_of_samples
    inside = _shelved(_most_unread_in(user.pk, folder_id)) if folder_id is not None else ()
    loose = _shelved(_most_unread_loose(user.pk))
    n_unread, n_news = next(iter(_unread_and_news(user.pk)), (0, 0))
    return Sidebar(
        here=here,
        open_folder=folder_id,
        open_feed=open_feed,
        open_tag=open_tag,
        n_unread=n_unread,
        n_feeds=sum(n_feeds.values()),
        folders=tuple(starmap(ShelvedFolder, _folders(user.pk))),
        feeds=inside,
        loose_feeds=loose,
        tags=tuple(starmap(Shelved, _tags(user.pk))),
        n_more=n_feeds.get(folder_id, 0) - len(inside) if folder_id is not None else 0,
        n_more_loose=n_feeds.get(None, 0) - len(loose),
        n_attention=n_attention,
        n_samples=n_samples,
        n_news=n_news,
        searches=tuple(starmap(Shelved, _searches(user.pk))),
        open_search=open_search,
    )


@prepared
def _counts(user_id: int) -> QuerySet[Subscription, tuple[int | None, int, int, int]]:
    """By folder: how many feeds, how many of them need attention, how many are samples."""
    return (
        Subscription.objects.filter(user=user_id)
        .order_by()
        .values_list("folder")
        .annotate(
            Count("pk"),
            n_ailing=Count("pk", filter=NEEDS_ATTENTION),
            n_samples=Count("pk", filter=Q(feed__status=FeedStatus.SAMPLE)),
        )
    )


@prepared
def _unread_and_news(user_id: int) -> QuerySet[User, tuple[int, int]]:
    news = Notification.objects.filter(user=OuterRef("pk"), seen_at=None).order_by()
    return User.objects.filter(pk=user_id).values_list(unread_of_user(), CountOf(news))


@prepared
def _folders(user_id: int) -> QuerySet[Folder, tuple[int, str, int]]:
    return Folder.objects.filter(user=user_id).values_list("pk", "name", unread_in_folder())


@prepared
def _tags(user_id: int) -> QuerySet[Tag, tuple[int, str]]:
    return Tag.objects.filter(user=user_id).values_list("pk", "name")[:MOST_TAGS]


@prepared
def _searches(user_id: int) -> QuerySet[SavedSearch, tuple[int, str]]:
    return SavedSearch.objects.filter(user=user_id).values_list("pk", "name")


@prepared
def _most_unread_in(user_id: int, folder_id: int) -> QuerySet[Subscription, tuple[int, str, str, str, int, str]]:
    return _most_unread(Subscription.objects.filter(user=user_id, folder=folder_id))


@prepared
def _most_unread_loose(user_id: int) -> QuerySet[Subscription, tuple[int, str, str, str, int, str]]:
    return _most_unread(Subscription.objects.filter(user=user_id, folder=None))


def _most_unread(
    subscriptions: QuerySet[Subscription],
) -> QuerySet[Subscription, tuple[int, str, str, str, int, str]]:
    chosen = subscriptions.order_by(F("unread_count").desc(), "pk")[:MOST_FEEDS]
    return chosen.values_list("pk", "title", "feed__title", "feed__url", "unread_count", "feed__condition")


def _shelved(rows: Iterable[tuple[int, str, str, str, int, str]]) -> tuple[ShelvedFeed, ...]:
    """By name (see `Subscription.shown_title`)."""
    found = [
        ShelvedFeed(pk, own or title or without_credentials(url), n_unread, condition == Condition.WELL)
        for pk, own, title, url, n_unread, condition in rows
    ]
    return tuple(sorted(found, key=lambda each: each.name.casefold()))
