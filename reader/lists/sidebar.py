"""The sidebar: folders, feeds, saved searches, tags and counts, in six queries.

Only folders that are open list their feeds, and all of them together at most `MAX_FEEDS`, those with most unread; the
feeds page has the rest. All and each folder count what their lists show, every story once. A feed counts everything
it delivered.
"""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from django.contrib.auth.models import User
from django.db.models import Case, Count, F, OuterRef, Q, QuerySet, When

from feeds.fetching.credentials import without_credentials
from feeds.models import Condition, Feed, FeedStatus
from feeds.storage.compiled import compiled
from reader.lists.queries import CountOf, unread_in_folder, unread_of_user
from reader.models import Folder, Notification, Preferences, SavedSearch, SidebarOrder, Subscription, Tag
from reader.models.subscription import ICON_COLUMN

_POLLED = (FeedStatus.ACTIVE, FeedStatus.SAMPLE, FeedStatus.SAVED)  # or need no polling
_NO_PROBLEMS = (Condition.WELL, Condition.SILENT)  # a feed that publishes rarely isn't broken
NEEDS_ATTENTION = (
    ~Q(feed__condition__in=_NO_PROBLEMS) | ~Q(feed__status__in=_POLLED) | Q(feed__consecutive_failures__gt=0)
)
MAX_FEEDS = 300  # in all open folders together
MAX_TAGS = 100
_MORE = frozenset(
    {
        "important",
        "stories",
        "story",
        "digests",
        "digest",
        "digest_settings",
        "highlights",
        "interests",
        "rules",
        "muted",
    }
)


class SidebarLink(NamedTuple):
    """A tag or a saved search."""

    pk: int
    name: str


class SidebarFeed(NamedTuple):
    pk: int
    name: str
    n_unread: int
    position: int
    is_well: bool
    icon: str
    can_unfollow: bool


class SidebarFolder(NamedTuple):
    """`feeds` are those shown while it is open, `n_more` those left out."""

    pk: int
    name: str
    n_unread: int
    position: int
    is_open: bool
    feeds: tuple[SidebarFeed, ...]
    n_more: int


@dataclass(frozen=True, slots=True)
class Sidebar:
    """`feeds` are those of the open folder, `loose_feeds` those in no folder, `n_more` those of each not shown. `here`
    names the page, such as `home`."""

    here: str
    open_folder: int | None
    open_feed: int | None
    open_tag: int | None
    open_search: int | None
    n_unread: int
    n_feeds: int
    n_attention: int
    n_samples: int
    n_notifications: int
    folders: tuple[SidebarFolder, ...]
    order: str
    hides_read: bool
    loose_feeds: tuple[SidebarFeed, ...]
    n_more_loose: int
    tags: tuple[SidebarLink, ...]
    searches: tuple[SidebarLink, ...]

    @property
    def orders(self) -> list[tuple[str, str]]:
        """What the feeds can be sorted by, with names."""
        return [(order.value, str(order.label)) for order in SidebarOrder]

    @property
    def is_in_more(self) -> bool:
        """Whether the page is one of those that the sidebar groups under More."""
        return self.here in _MORE

    @property
    def n_unread_here(self) -> int:
        """Of the open folder, or of all feeds."""
        return next((folder.n_unread for folder in self.folders if folder.pk == self.open_folder), self.n_unread)


def needs_attention(feed: Feed) -> bool:
    """`NEEDS_ATTENTION` for one feed: it isn't well, isn't polled, or its last poll failed."""
    return feed.condition not in _NO_PROBLEMS or feed.status not in _POLLED or feed.consecutive_failures > 0


def sidebar_of(
    user: User,
    *,
    here: str,
    folder_id: int | None = None,
    open_feed: int | None = None,
    open_search: int | None = None,
    open_tag: int | None = None,
    preferences: Preferences | None = None,
) -> Sidebar:
    """The sidebar of the page `here`, with a folder, feed, search or tag highlighted. A feed's folder is shown open.

    `preferences` have the order; without them it is by name.
    """
    counts = {folder: counted for folder, *counted in _feed_counts(user.pk)}
    ((n_unread, n_notifications),) = _user_counts(user.pk)
    order = preferences.sidebar_order if preferences else SidebarOrder.NAME
    feeds = _feeds(user, folder_id if open_feed else None, open_feed)
    folders = [
        SidebarFolder(
            pk,
            name,
            n_unread_in_it,
            position,
            is_shown := is_open or (open_feed is not None and pk == folder_id),
            _sorted(feeds[pk], order),
            counts.get(pk, (0,))[0] - len(feeds[pk]) if is_shown else 0,
        )
        for pk, name, n_unread_in_it, position, is_open in _folders(user.pk)
    ]
    return Sidebar(
        here=here,
        open_folder=folder_id,
        open_feed=open_feed,
        open_tag=open_tag,
        open_search=open_search,
        n_unread=n_unread,
        n_feeds=sum(n - n_saved for n, _, _, n_saved in counts.values()),
        n_attention=sum(n for _, n, _, _ in counts.values()),
        n_samples=sum(n for _, _, n, _ in counts.values()),
        n_notifications=n_notifications,
        folders=_sorted(folders, order),
        order=order,
        hides_read=preferences is not None and preferences.hides_read_feeds,
        loose_feeds=_sorted(feeds[None], order),
        n_more_loose=counts.get(None, (0,))[0] - len(feeds[None]),
        tags=tuple(SidebarLink(*row) for row in _tags(user.pk)),
        searches=tuple(SidebarLink(*row) for row in _searches(user.pk)),
    )


@compiled
def _feed_counts(user: int) -> QuerySet[Subscription, tuple[int | None, int, int, int, int]]:
    """By folder: all feeds, those that need attention, samples, and saved pages."""
    return (
        Subscription.objects.filter(user=user)
        .order_by()
        .values_list("folder")
        .annotate(
            Count("pk"),
            n_attention=Count("pk", filter=NEEDS_ATTENTION),
            n_samples=Count("pk", filter=Q(feed__status=FeedStatus.SAMPLE)),
            n_saved=Count("pk", filter=Q(feed__status=FeedStatus.SAVED)),
        )
    )


@compiled
def _user_counts(user: int) -> QuerySet[User, tuple[int, int]]:
    """Unread articles and new notifications."""
    notifications = Notification.objects.filter(user=OuterRef("pk"), seen_at=None).order_by()
    return User.objects.filter(pk=user).values_list(unread_of_user(), CountOf(notifications))


@compiled
def _folders(user: int) -> QuerySet[Folder, tuple[int, str, int, int, bool]]:
    return Folder.objects.filter(user=user).values_list("pk", "name", unread_in_folder(), "position", "is_open")


@compiled
def _tags(user: int) -> QuerySet[Tag, tuple[int, str]]:
    return Tag.objects.filter(user=user).values_list("pk", "name")[:MAX_TAGS]


@compiled
def _searches(user: int) -> QuerySet[SavedSearch, tuple[int, str]]:
    return SavedSearch.objects.filter(user=user).values_list("pk", "name")


def _feeds(user: User, folder_id: int | None, open_feed: int | None) -> dict[int | None, list[SidebarFeed]]:
    """The feeds in open folders, in this one and in none, those with most unread, with their names as in
    `Subscription.shown_title`. The open feed is always among them."""
    feeds: dict[int | None, list[SidebarFeed]] = defaultdict(list)
    rows = _feed_rows(user.pk, folder_id, open_feed)
    for folder, pk, own, title, url, n_unread, position, condition, icon in rows:
        name = own or title or without_credentials(url)
        feeds[folder].append(
            SidebarFeed(pk, name, n_unread, position, condition in _NO_PROBLEMS, icon or "", bool(url))
        )
    return feeds


@compiled
def _feed_rows(user: int, folder_id: int | None, open_feed: int | None) -> QuerySet[Subscription, tuple[Any, ...]]:
    shown = Q(folder=None) | Q(folder__is_open=True) | (Q(folder=folder_id) if folder_id else Q())
    first = (Case(When(pk=open_feed, then=0), default=1),) if open_feed else ()
    return (
        Subscription.objects.filter(shown, user=user)
        .order_by(*first, F("unread_count").desc(), "pk")
        .values_list(
            *("folder_id", "pk", "title", "feed__title", "feed__url", "unread_count", "position", "feed__condition"),
            ICON_COLUMN,
        )[:MAX_FEEDS]
    )


_Sortable = TypeVar("_Sortable", SidebarFeed, SidebarFolder)
_KEYS: dict[str, Callable[[SidebarFeed | SidebarFolder], tuple[Any, ...]]] = {
    SidebarOrder.HAND: lambda row: (not row.position, row.position, row.name.casefold()),
    SidebarOrder.NAME: lambda row: (row.name.casefold(),),
    SidebarOrder.UNREAD: lambda row: (-row.n_unread, row.name.casefold()),
}


def _sorted(rows: list[_Sortable], order: str) -> tuple[_Sortable, ...]:
    return tuple(sorted(rows, key=_KEYS[order]))
