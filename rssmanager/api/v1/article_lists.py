"""Lists of articles: filters that combine, orders, pages; and marking a list as read."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Annotated, Any, Literal

from django.contrib.auth.models import User
from django.db.models import Q, QuerySet
from django.utils import timezone
from ninja import Query, Router, Schema
from pydantic import AwareDatetime, Field, model_validator

from digests.access import today_of
from digests.models.edition_store import edition_of
from feeds.models import FeedStatus
from feeds.search.query_tree import AllOf, Not
from reader import access
from reader.articles.arrivals import arrival_at
from reader.lists import queries
from reader.lists.mark_all_read import undo_bulk_read
from reader.models import Delivery, ListOrder, Quiet, Subscription, TaggedArticle
from reader.preferences.list_views import orders_of
from reader.scoring.ranked_order import RankCursor
from reader.search.orm_filters import DeliveredRows
from reader.search.parser import parse
from reader.search.query_filters import Filter
from reader.search.run import MatchCursor, Order, search
from rssmanager.api import marking
from rssmanager.api.v1.articles import Article, present
from rssmanager.api.v1.base import MAX_PAGE, PAGE, READ, WRITE, Body, Cursor, Id, Limit, Page, Refused, Request, Text

router = Router(tags=["Articles"])

_FILTERS = ("feed", "folder", "tag", "story", "search", "q", "ids", "unread", "starred", "since", "before")
_FINDING = {"tag", "story", "search", "q", "ids", "starred"}  # among all articles, whatever lists show


Ids = Annotated[list[Id], Field(max_length=MAX_PAGE)]


class Filters(Schema):
    """Which articles, in which order. All filters that are sent must match."""

    list: Literal["all", "today", "for_you", "important", "starred", "muted", "saved"] = Field(
        "all", description="Only `all` and `saved` (your saved pages) can be combined with filters."
    )
    feed: Id | None = None
    folder: Id | None = None
    tag: Id | None = None
    story: Id | None = None
    search: Id | None = Field(None, description="A saved search.")
    q: Annotated[Text, Field(max_length=500, description="A query, as in the search field.")] | None = None
    ids: Ids = Field([], description="Articles by id, such as changed ones.")
    unread: bool | None = Field(None, description="Unread articles only; false: read ones only.")
    starred: bool | None = Field(None, description="Starred articles only; false: others only.")
    since: AwareDatetime | None = Field(None, description="Published at this time or later.")
    before: AwareDatetime | None = Field(None, description="Published before this time, or at an unknown one.")
    order: Literal["newest", "oldest", "unread", "important", "starred", "best"] | None = None
    html: bool = Field(False, description="With the articles' text.")
    cursor: Cursor = ""
    limit: Limit = PAGE

    @property
    def chosen(self) -> tuple[str, ...]:
        """The filters that were sent."""
        return tuple(name for name in _FILTERS if getattr(self, name) not in (None, []))


class ReadList(Body):
    """Which list to mark as read: a feed, a folder or a tag; otherwise everything."""

    feed: Id | None = None
    folder: Id | None = None
    tag: Id | None = None
    until: AwareDatetime | None = Field(None, description="What arrived later stays unread.")

    @model_validator(mode="after")
    def is_one(self) -> "ReadList":
        if sum(value is not None for value in (self.feed, self.folder, self.tag)) > 1:
            raise ValueError("choose one of feed, folder and tag")
        return self


class MarkedRead(Schema):
    """`undo_id` is for undoing it within a day; null if nothing was unread."""

    n_articles: int
    undo_id: int | None


@router.get("/articles", auth=READ, response=Page[Article])
def list_articles(request: Request, filters: Query[Filters]) -> dict[str, Any]:
    """A page of articles.

    Filters combine: `feed=3&unread=true&since=2026-03-04T00:00:00Z`. Everything and folders show each story once, as
    the interface does; with `tag`, `starred`, `story`, `search`, `q` or `ids` all matching articles are there. Pages
    continue after the last article sent, so new ones neither repeat nor skip any. Articles come newest first; the
    order `best` is for those that match words. The list `today` is the front page, which is always one page.
    """
    found = _page(request.user, filters, timezone.now())
    return {"items": present(request.user, found.rows, with_html=filters.html), "next": found.next_cursor or None}


@router.post("/articles/read", auth=WRITE, response=MarkedRead)
def mark_read(request: Request, sent: ReadList) -> dict[str, Any]:
    """Mark a list as read, up to a time. It teaches nothing."""
    user = request.user
    deliveries, shown = _to_read(user, sent)
    until = arrival_at(sent.until.replace(microsecond=999_999)) if sent.until else None  # that whole second
    done = marking.mark_delivered_read(user, deliveries, until=until, now=timezone.now(), shown=shown)
    return {"n_articles": done.n_articles if done else 0, "undo_id": done.pk if done else None}


@router.post("/articles/read/{int:pk}/undo", auth=WRITE, response=MarkedRead)
def undo_mark_read(request: Request, pk: Id) -> dict[str, Any]:
    """Undo marking a list as read: only what you haven't opened since becomes unread."""
    n_articles = undo_bulk_read(request.user, access.bulk_read_of(request.user, pk), now=timezone.now())
    if n_articles is None:
        raise Refused("This can no longer be undone.", 409)
    return {"n_articles": n_articles, "undo_id": None}


def _page(user: User, asked: Filters, now: datetime) -> queries.Page:
    """The page asked for. Raises Http404 and Refused."""
    if asked.list in ("all", "saved"):
        if _FINDING.isdisjoint(asked.chosen):
            return _listed(user, asked, now)
        return (
            _tagged(user, asked, now) if asked.chosen == ["tag"] and asked.list == "all" else _found(user, asked, now)
        )
    is_ranked = asked.list in ("for_you", "important")  # of unread articles
    if [name for name in asked.chosen if not (is_ranked and name == "unread" and asked.unread)]:
        raise Refused(f"The list “{asked.list}” can't be combined with {', '.join(asked.chosen)}.")
    order = _order(asked.list, asked, orders_of(asked.list))
    if is_ranked:
        page = queries.for_you_page if asked.list == "for_you" else queries.important_page
        return page(user, _decoded("rank", asked.cursor), now=now, size=asked.limit)
    if asked.list == "today":
        return _today(user, now)
    after = _decoded("date", asked.cursor)
    if asked.list == "muted":
        return queries.muted_page(user, after, now=now, size=asked.limit)
    return queries.starred_page(user, after, now=now, order=order, size=asked.limit)


def _listed(user: User, asked: Filters, now: datetime) -> queries.Page:
    """A page of everything, a folder or a feed, as the interface lists it."""
    name, rows = "home", queries.all_of(user)
    if (feed := _feed(user, asked)) is not None:
        name, rows = "feed", Delivery.objects.filter(subscription=feed)
    elif asked.folder is not None:
        name, rows = "folder", queries.of_folder(user, access.folder_of(user, asked.folder))
    conditions = _conditions(user, asked)
    if conditions:
        rows = rows.filter(DeliveredRows(user, now).matching(AllOf(conditions)))
    order = _order(name, asked, orders_of(name), ListOrder.NEWEST)
    size, cursor, only_unread = asked.limit, asked.cursor, asked.unread is True
    if order == ListOrder.IMPORTANT and name == "home" and not conditions:
        return queries.important_page(user, _decoded("rank", cursor), now=now, size=size)
    if order == ListOrder.IMPORTANT:
        _decoded("mixed", cursor)
        return queries.by_importance_page(user, rows, cursor, now=now, size=size)
    after = _decoded("date", cursor)
    if order == ListOrder.UNREAD:
        return queries.page_of(user, rows, after, now=now, only_unread=only_unread, size=size)
    oldest_first = order == ListOrder.OLDEST
    return queries.by_date_page(
        user, rows, after, now=now, oldest_first=oldest_first, only_unread=only_unread, size=size
    )


def _found(user: User, asked: Filters, now: datetime) -> queries.Page:
    """A page of all matching articles, as the search finds them."""
    order = Order(_order("search", asked, tuple(Order), Order.NEWEST))
    if asked.cursor and queries.Cursor.decode(asked.cursor) is None:
        _decoded("match", asked.cursor)
    return search(user, AllOf(_conditions(user, asked)), asked.cursor, order=order, now=now, size=asked.limit).page


def _tagged(user: User, asked: Filters, now: datetime) -> queries.Page:
    oldest_first = _order("tag", asked, orders_of("tag")) == ListOrder.OLDEST
    tag, after = access.tag_of(user, asked.tag or 0), _decoded("date", asked.cursor)
    return queries.tagged_page(user, tag, after, now=now, oldest_first=oldest_first, size=asked.limit)


def _feed(user: User, asked: Filters) -> int | None:
    """The feed asked for, 0 if nothing was saved yet; None if articles of all feeds are. Raises Http404."""
    feed = None if asked.feed is None else access.subscription_of(user, asked.feed).pk
    if asked.list != "saved":
        return feed
    saved = Subscription.objects.filter(user=user, feed__status=FeedStatus.SAVED).first()
    return saved.pk if saved and feed in (None, saved.pk) else 0


def _conditions(user: User, asked: Filters) -> tuple[Any, ...]:
    """The filters as parts of a query (`reader.search`). Raises Http404 and Refused."""
    found: list[Any] = []
    if asked.search is not None:
        found.append(_parsed(access.saved_search_of(user, asked.search).query))
    if asked.q is not None:
        found.append(_parsed(asked.q))
    if (feed := _feed(user, asked)) is not None:
        found.append(Filter("feed_id", feed))
    if asked.folder is not None:
        found.append(Filter("folder_id", access.folder_of(user, asked.folder).pk))
    if asked.tag is not None:
        found.append(Filter("tag_id", access.tag_of(user, asked.tag).pk))
    if asked.story is not None:
        found.append(Filter("story_id", access.story_of(user, asked.story).pk))
    if asked.ids:
        found.append(Filter("ids", asked.ids))
    if asked.unread is not None:
        found.append(Filter("is", "unread" if asked.unread else "read"))
    if asked.starred is not None:
        is_starred = Filter("is", "starred")
        found.append(is_starred if asked.starred else Not(is_starred))
    if asked.since is not None:
        found.append(Filter("after", asked.since))
    if asked.before is not None:
        found.append(Filter("before", asked.before))
    return tuple(found)


def _parsed(words: str) -> Any:
    tree = parse(words, today=timezone.localdate()).tree
    if tree is None:
        raise Refused("There is nothing to search for in this query.")
    return tree


_CURSORS: dict[str, Callable[[str], object]] = {
    "date": queries.Cursor.decode,
    "rank": RankCursor.decode,
    "match": MatchCursor.decode,
    "mixed": lambda text: RankCursor.decode(text.partition("~")[0]) or queries.Cursor.decode(text.partition("~")[2]),
}


def _decoded(kind: str, cursor: str) -> Any:
    found = _CURSORS[kind](cursor) if cursor else None
    if cursor and found is None:
        raise Refused("This cursor isn't one of this list in this order.")
    return found


def _order(name: str, asked: Filters, orders: Sequence[str], default: str = "") -> str:
    """The order asked for. Raises Refused if the list has no such order."""
    if asked.order and asked.order not in list(orders):
        known = f"only in these: {', '.join(orders)}" if orders else "only in its own"
        raise Refused(f"This list can't be in this order, {known}.")
    return asked.order or default or next(iter(orders), "")


def _today(user: User, now: datetime) -> queries.Page:
    """The front page's articles, in its order."""
    digest = today_of(user)
    topics = edition_of(digest).topics if digest else ()
    entries = [entry for topic in topics for entry in (topic.lead, *topic.related) if entry.article_id is not None]
    dates = {entry.article_id: entry.published_at for entry in entries if entry.article_id is not None}
    visible = set(access.visible_articles(user).filter(pk__in=dates).values_list("pk", flat=True))
    return queries.Page(queries.rows_of(user, [(pk, at) for pk, at in dates.items() if pk in visible], now=now))


def _to_read(user: User, sent: ReadList) -> tuple[QuerySet[Delivery], Q]:
    """The deliveries of a list with those folded in it, and a filter for those it shows. Raises Http404."""
    if sent.feed is not None:
        return queries.of_subscription(access.subscription_of(user, sent.feed)), Q(quiet=Quiet.NOT)
    if sent.folder is not None:
        folder = access.folder_of(user, sent.folder)
        return queries.of_folder(user, folder, with_folded=True), Q(is_folded_in_folder=queries.NO)
    if sent.tag is not None:
        tagged = TaggedArticle.objects.filter(user=user, tag=access.tag_of(user, sent.tag))
        return Delivery.objects.filter(user=user, article__in=tagged.values("article")), Q()
    return queries.all_of(user, with_folded=True), Q(is_folded=queries.NO)
