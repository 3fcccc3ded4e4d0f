"""What stands beside every page: folders, feeds and counts. Seven queries, few rows, however many feeds there are.

Only the open folder shows its feeds, and of a very long list those with most unread: a person with 36,000 feeds finds
the others on the feeds page. Everything and each folder count what their lists show: every article and every story
once. A feed's count is of all it brought.
"""

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db.models import Count, F, Q, QuerySet

from feeds.models import Condition, FeedStatus
from reader.models import Folder, Notification, Subscription
from reader.queries import all_of, unread_in_folder, unread_up_to

MOST_FEEDS = 100  # shown in one place; at 16 px a line more than anybody scans


@dataclass(frozen=True, slots=True)
class ShelvedFolder:
    folder: Folder
    n_unread: int
    is_open: bool


@dataclass(frozen=True, slots=True)
class Sidebar:
    """`feeds` are those of the open folder, `loose_feeds` those in no folder; `here` names the page, such as `home`."""

    here: str
    open_feed: int | None
    n_unread: int
    n_feeds: int
    folders: tuple[ShelvedFolder, ...]
    feeds: tuple[Subscription, ...]
    loose_feeds: tuple[Subscription, ...]
    n_more: int
    n_more_loose: int
    n_attention: int
    n_news: int


def needing_attention(subscriptions: QuerySet[Subscription]) -> QuerySet[Subscription]:
    """Those whose feed is not well, is not polled, or fails at present."""
    return subscriptions.filter(
        ~Q(feed__condition=Condition.WELL) | ~Q(feed__status=FeedStatus.ACTIVE) | Q(feed__failures_running__gt=0)
    )


def sidebar_of(user: User, *, here: str, folder_id: int | None = None, open_feed: int | None = None) -> Sidebar:
    """The sidebar of a page called `here`, with the folder open and the feed marked that the page is about."""
    mine = Subscription.objects.filter(user=user)
    n_feeds = dict(mine.order_by().values_list("folder").annotate(Count("pk")))
    folders = Folder.objects.filter(user=user).annotate(n_unread=unread_in_folder())
    inside = _most_unread(mine.filter(folder=folder_id)) if folder_id is not None else ()
    loose = _most_unread(mine.filter(folder=None))
    return Sidebar(
        here=here,
        open_feed=open_feed,
        n_unread=unread_up_to(all_of(user)),
        n_feeds=sum(n_feeds.values()),
        folders=tuple(ShelvedFolder(folder, folder.n_unread, folder.pk == folder_id) for folder in folders),
        feeds=inside,
        loose_feeds=loose,
        n_more=n_feeds.get(folder_id, 0) - len(inside) if folder_id is not None else 0,
        n_more_loose=n_feeds.get(None, 0) - len(loose),
        n_attention=needing_attention(mine).count(),
        n_news=Notification.objects.filter(user=user, seen_at=None).count(),
    )


def _most_unread(subscriptions: QuerySet[Subscription]) -> tuple[Subscription, ...]:
    """At most `MOST_FEEDS`, by name."""
    chosen = subscriptions.select_related("feed__source").only(
        "title", "unread_count", "feed__title", "feed__url", "feed__condition", "feed__source__domain"
    )
    found = chosen.order_by(F("unread_count").desc(), "pk")[:MOST_FEEDS]
    return tuple(sorted(found, key=lambda each: each.shown_title.casefold()))
