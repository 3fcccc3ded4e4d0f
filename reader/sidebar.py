"""What stands beside every page: folders, feeds, searches, tags and counts. Eight queries, few rows, whatever there is.

Only the open folder shows its feeds, and of a very long list those with most unread: a person with 36,000 feeds finds
the others on the feeds page. Everything and each folder count what their lists show: every article and every story
once. A feed's count is of all it brought.
"""

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db.models import Count, F, Q, QuerySet

from feeds.credentials import without_credentials
from feeds.models import Condition, Feed, FeedStatus
from reader.models import Folder, Notification, SavedSearch, Subscription, Tag
from reader.queries import all_of, unread_in_folder, unread_up_to

_AT_WORK = (FeedStatus.ACTIVE, FeedStatus.SAMPLE)
NEEDS_ATTENTION = ~Q(feed__condition=Condition.WELL) | ~Q(feed__status__in=_AT_WORK) | Q(feed__failures_running__gt=0)
MOST_FEEDS = 100  # shown in one place; at 16 px a line more than anybody scans
MOST_TAGS = 100


@dataclass(frozen=True, slots=True)
class ShelvedFolder:
    folder: Folder
    n_unread: int
    is_open: bool


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
    open_feed: int | None
    open_tag: int | None
    n_unread: int
    n_feeds: int
    folders: tuple[ShelvedFolder, ...]
    feeds: tuple[ShelvedFeed, ...]
    loose_feeds: tuple[ShelvedFeed, ...]
    tags: tuple[Tag, ...]
    n_more: int
    n_more_loose: int
    n_attention: int
    n_samples: int
    n_news: int
    searches: tuple[SavedSearch, ...] = ()
    open_search: int | None = None

    @property
    def n_unread_here(self) -> int:
        """Of the open folder, or of everything."""
        return next((each.n_unread for each in self.folders if each.is_open), self.n_unread)


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
    mine = Subscription.objects.filter(user=user)
    counts = (
        mine.order_by()
        .values_list("folder")
        .annotate(
            Count("pk"),
            n_ailing=Count("pk", filter=NEEDS_ATTENTION),
            n_samples=Count("pk", filter=Q(feed__status=FeedStatus.SAMPLE)),
        )
    )
    n_feeds, n_attention, n_samples = {}, 0, 0
    for folder, n, n_ailing, n_of_samples in counts:
        n_feeds[folder] = n
        n_attention += n_ailing
        n_samples += n_of_samples
    folders = Folder.objects.filter(user=user).annotate(n_unread=unread_in_folder())
    inside = _most_unread(mine.filter(folder=folder_id)) if folder_id is not None else ()
    loose = _most_unread(mine.filter(folder=None))
    return Sidebar(
        here=here,
        open_feed=open_feed,
        open_tag=open_tag,
        n_unread=unread_up_to(all_of(user)),
        n_feeds=sum(n_feeds.values()),
        folders=tuple(ShelvedFolder(folder, folder.n_unread, folder.pk == folder_id) for folder in folders),
        feeds=inside,
        loose_feeds=loose,
        tags=tuple(Tag.objects.filter(user=user)[:MOST_TAGS]),
        n_more=n_feeds.get(folder_id, 0) - len(inside) if folder_id is not None else 0,
        n_more_loose=n_feeds.get(None, 0) - len(loose),
        n_attention=n_attention,
        n_samples=n_samples,
        n_news=Notification.objects.filter(user=user, seen_at=None).count(),
        searches=tuple(SavedSearch.objects.filter(user=user)),
        open_search=open_search,
    )


def _most_unread(subscriptions: QuerySet[Subscription]) -> tuple[ShelvedFeed, ...]:
    """At most `MOST_FEEDS`, by name (see `Subscription.shown_title`)."""
    chosen = subscriptions.order_by(F("unread_count").desc(), "pk")[:MOST_FEEDS]
    rows = chosen.values_list("pk", "title", "feed__title", "feed__url", "unread_count", "feed__condition")
    found = [
        ShelvedFeed(pk, own or title or without_credentials(url), n_unread, condition == Condition.WELL)
        for pk, own, title, url, n_unread, condition in rows
    ]
    return tuple(sorted(found, key=lambda each: each.name.casefold()))
