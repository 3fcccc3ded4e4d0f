"""The sidebar: folders, feeds, saved searches, tags and counts, in eight queries.

Only the open folder lists its feeds, and at most `MAX_FEEDS` of them, those with most unread; the feeds page has the
rest. All and each folder count what their lists show, every story once. A feed counts everything it delivered.
"""

from dataclasses import dataclass
from typing import NamedTuple

from django.contrib.auth.models import User
from django.db.models import Count, F, OuterRef, Q

from feeds.fetching.credentials import without_credentials
from feeds.models import Condition, Feed, FeedStatus
from reader.lists.queries import CountOf, unread_in_folder, unread_of_user
from reader.models import Folder, Notification, SavedSearch, Subscription, Tag
from reader.models.subscription import ICON_COLUMN

_POLLED = (FeedStatus.ACTIVE, FeedStatus.SAMPLE)
_NO_PROBLEMS = (Condition.WELL, Condition.SILENT)  # a feed that publishes rarely isn't broken
NEEDS_ATTENTION = (
    ~Q(feed__condition__in=_NO_PROBLEMS) | ~Q(feed__status__in=_POLLED) | Q(feed__consecutive_failures__gt=0)
)
MAX_FEEDS = 100  # in one folder
MAX_TAGS = 100


class SidebarLink(NamedTuple):
    """A tag or a saved search."""

    pk: int
    name: str


class SidebarFolder(NamedTuple):
    pk: int
    name: str
    n_unread: int


class SidebarFeed(NamedTuple):
    pk: int
    name: str
    n_unread: int
    is_well: bool
    icon: str


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
    feeds: tuple[SidebarFeed, ...]
    n_more: int
    loose_feeds: tuple[SidebarFeed, ...]
    n_more_loose: int
    tags: tuple[SidebarLink, ...]
    searches: tuple[SidebarLink, ...]

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
) -> Sidebar:
    """The sidebar of the page `here`, with a folder open and a feed, search or tag highlighted."""
    counts = {
        folder: (n_feeds, n_attention, n_samples)
        for folder, n_feeds, n_attention, n_samples in Subscription.objects.filter(user=user)
        .order_by()
        .values_list("folder")
        .annotate(
            Count("pk"),
            n_attention=Count("pk", filter=NEEDS_ATTENTION),
            n_samples=Count("pk", filter=Q(feed__status=FeedStatus.SAMPLE)),
        )
    }
    notifications = Notification.objects.filter(user=OuterRef("pk"), seen_at=None).order_by()
    n_unread, n_notifications = User.objects.filter(pk=user.pk).values_list(unread_of_user(), CountOf(notifications))[0]
    folders = Folder.objects.filter(user=user).values_list("pk", "name", unread_in_folder())
    feeds = _most_unread(user, folder_id) if folder_id is not None else ()
    loose_feeds = _most_unread(user, None)
    return Sidebar(
        here=here,
        open_folder=folder_id,
        open_feed=open_feed,
        open_tag=open_tag,
        open_search=open_search,
        n_unread=n_unread,
        n_feeds=sum(n for n, _, _ in counts.values()),
        n_attention=sum(n for _, n, _ in counts.values()),
        n_samples=sum(n for _, _, n in counts.values()),
        n_notifications=n_notifications,
        folders=tuple(SidebarFolder(*row) for row in folders),
        feeds=feeds,
        n_more=counts[folder_id][0] - len(feeds) if folder_id in counts and folder_id is not None else 0,
        loose_feeds=loose_feeds,
        n_more_loose=counts[None][0] - len(loose_feeds) if None in counts else 0,
        tags=tuple(SidebarLink(*row) for row in Tag.objects.filter(user=user).values_list("pk", "name")[:MAX_TAGS]),
        searches=tuple(SidebarLink(*row) for row in SavedSearch.objects.filter(user=user).values_list("pk", "name")),
    )


def _most_unread(user: User, folder_id: int | None) -> tuple[SidebarFeed, ...]:
    """The feeds of a folder, or of none, with most unread, by name as in `Subscription.shown_title`."""
    rows = (
        Subscription.objects.filter(user=user, folder=folder_id)
        .order_by(F("unread_count").desc(), "pk")
        .values_list("pk", "title", "feed__title", "feed__url", "unread_count", "feed__condition", ICON_COLUMN)[
            :MAX_FEEDS
        ]
    )
    feeds = [
        SidebarFeed(pk, own or title or without_credentials(url), n_unread, condition in _NO_PROBLEMS, icon or "")
        for pk, own, title, url, n_unread, condition, icon in rows
    ]
    return tuple(sorted(feeds, key=lambda feed: feed.name.casefold()))
