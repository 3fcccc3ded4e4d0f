"""Articles: lists, one article with the reasons for its score, and changing their state."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Annotated, Any, Literal

from django.contrib.auth.models import User
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import override
from ninja import Query, Router, Schema, Status
from pydantic import Field, model_validator

from digests.access import today_of
from digests.models.edition_store import edition_of
from reader import access
from reader.articles.actions import vote, votes_of, withdraw_vote
from reader.articles.enclosures import files_of
from reader.articles.highlights import add_highlight, change_note, highlights_of
from reader.lists import queries
from reader.lists.mark_all_read import undo_bulk_read
from reader.lists.queries import Row
from reader.models import Delivery, EngagementSource, ListOrder, Quiet, TaggedArticle
from reader.preferences.list_views import orders_of
from reader.preferences.store import language_of
from reader.scoring.explain import as_json, explain
from reader.scoring.ranked_order import RankCursor
from reader.search.parser import parse
from reader.search.run import MatchCursor, Order, search
from reader.stories.detail_page import unfolded
from rssmanager.api import marking
from rssmanager.api.items import load_items
from rssmanager.api.v1.base import MAX_IDS, PAGE, READ, WRITE, Body, Cursor, Id, Limit, Page, Refused, Request, Text

router = Router(tags=["Articles"])


class StoryOfArticle(Schema):
    """The rest of the article's story in your feeds."""

    id: int
    n_more: int
    sources: list[str]


class Scores(Schema):
    """Points from 0 to 100, and the time sensitivity from 1 (lasting) to 5 (breaking)."""

    importance: float
    relevance: float
    time_adjusted_relevance: float
    authority: float
    recency: float
    corroboration: float
    depth: float
    time_sensitivity: int


class File(Schema):
    url: str
    type: str
    length: int | None = None


class Article(Schema):
    """An article for you. `feed_id` is null if you no longer follow its feed; `html` is there if you ask for it."""

    id: int
    title: str
    url: str
    author: str
    source: str
    feed_id: int | None
    also_in: list[str]
    published_at: datetime | None = Field(description="Null if the feed gave no date.")
    first_seen_at: datetime
    revised_at: datetime | None
    language: str
    summary: str
    reading_seconds: int
    is_read: bool
    is_starred: bool
    vote: Literal["liked", "disliked"] | None
    tags: list[str]
    files: list[File]
    story: StoryOfArticle | None
    scores: Scores | None = Field(description="Null until it has been assessed.")
    html: str | None = Field(None, description="Sanitized.")


class StoryMember(Schema):
    """Another article of the story."""

    id: int
    title: str
    url: str
    source: str
    published_at: datetime | None
    is_read: bool


class Highlight(Schema):
    id: int
    article_id: int | None
    title: str
    url: str
    quote: str
    note: str
    made_at: datetime


class WholeArticle(Article):
    """An article with its text, the rest of its story, your highlights, and why it has its score."""

    members: list[StoryMember]
    highlights: list[Highlight]
    why: dict[str, Any] | None


class Filters(Schema):
    """Which articles, in which order. Choose at most one of `feed`, `folder`, `tag`, `search` and `q`."""

    list: Literal["all", "today", "for_you", "important", "starred", "muted"] = "all"
    feed: Id | None = None
    folder: Id | None = None
    tag: Id | None = None
    search: Id | None = Field(None, description="A saved search.")
    q: Annotated[Text, Field(max_length=500, description="A query, as in the search field.")] | None = None
    order: Literal["newest", "oldest", "unread", "important", "starred", "best"] | None = None
    unread: bool = Field(False, description="Unread articles only.")
    html: bool = Field(False, description="With the articles' text.")
    cursor: Cursor = ""
    limit: Limit = PAGE


class State(Body):
    """What to change. Names that aren't sent stay as they are."""

    is_read: bool | None = None
    is_starred: bool | None = None
    add_tags: list[Text] = Field([], max_length=20)
    remove_tags: list[Text] = Field([], max_length=20)


class OneState(State):
    vote: Literal["liked", "disliked"] | None = None


class ManyStates(State):
    """The same for many articles: those that you can't see are ignored."""

    ids: list[Id] = Field(max_length=MAX_IDS)


class ReadList(Body):
    """Which list to mark as read: a feed, a folder or a tag; otherwise everything."""

    feed: Id | None = None
    folder: Id | None = None
    tag: Id | None = None
    until: datetime | None = Field(None, description="What arrived later stays unread.")

    @model_validator(mode="after")
    def is_one(self) -> "ReadList":
        if sum(value is not None for value in (self.feed, self.folder, self.tag)) > 1:
            raise ValueError("choose one of feed, folder and tag")
        if self.until is not None and self.until.tzinfo is None:
            raise ValueError("until needs a time zone, such as Z")
        return self


class MarkedRead(Schema):
    """`undo` is for undoing it within a day; null if nothing was unread."""

    n_articles: int
    undo: int | None


class NewHighlight(Body):
    quote: Text
    prefix: Text = Field("", description="What is before the quote, to find it again.")
    suffix: Text = ""
    note: Text = ""


class Note(Body):
    note: Text


@router.get("/articles", auth=READ, response=Page[Article])
def list_articles(request: Request, filters: Query[Filters]) -> dict[str, Any]:
    """A page of articles.

    Pages continue after the last article sent, so new ones neither repeat nor skip any. Search results come newest
    first, or by `best` match. The list `today` is the front page, which is always one page.
    """
    found = _page(request.user, filters, timezone.now())
    return {"items": present(request.user, found.rows, with_html=filters.html), "next": found.next_cursor or None}


@router.get("/articles/{int:pk}", auth=READ, response=WholeArticle)
def get_article(request: Request, pk: Id) -> dict[str, Any]:
    """One article, with the rest of its story and the reasons for its score. It doesn't become read."""
    return _whole(request.user, pk)


@router.patch("/articles/{int:pk}", auth=WRITE, response=WholeArticle)
def change_article(request: Request, pk: Id, sent: OneState) -> dict[str, Any]:
    """Mark an article read or unread, star, tag or rate it. A vote of null withdraws yours.

    It teaches your interests as in the interface.
    """
    user, now = request.user, timezone.now()
    article = access.article_of(user, pk)
    _change(user, [pk], sent, now)
    if "vote" in sent.model_fields_set:
        if sent.vote:
            vote(user, article, sent.vote, now=now, source=EngagementSource.API)
        else:
            withdraw_vote(user, article, now=now)
    return _whole(user, pk)


@router.post("/articles/state", auth=WRITE, response={204: None})
def change_articles(request: Request, sent: ManyStates) -> Status[None]:
    """Change up to 1,000 articles. More than three at once teach nothing, like “Mark all as read”."""
    _change(request.user, sent.ids, sent, timezone.now())
    return Status(204, None)


@router.post("/articles/read", auth=WRITE, response=MarkedRead)
def mark_read(request: Request, sent: ReadList) -> dict[str, Any]:
    """Mark a list as read, up to a time. It teaches nothing."""
    user = request.user
    deliveries, shown = _to_read(user, sent)
    done = marking.mark_delivered_read(user, deliveries, until=sent.until, now=timezone.now(), shown=shown)
    return {"n_articles": done.n_articles if done else 0, "undo": done.pk if done else None}


@router.post("/articles/read/{int:pk}/undo", auth=WRITE, response=MarkedRead)
def undo_mark_read(request: Request, pk: Id) -> dict[str, Any]:
    """Undo marking a list as read: only what you haven't opened since becomes unread."""
    n_articles = undo_bulk_read(request.user, access.bulk_read_of(request.user, pk), now=timezone.now())
    if n_articles is None:
        raise Refused("This can no longer be undone.", 409)
    return {"n_articles": n_articles, "undo": None}


@router.post("/articles/{int:pk}/highlights", auth=WRITE, response={201: Highlight})
def create_highlight(request: Request, pk: Id, sent: NewHighlight) -> Status[Any]:
    """Highlight a passage of an article."""
    article = access.article_of(request.user, pk)
    return Status(201, add_highlight(request.user, article, **sent.model_dump(), now=timezone.now()))


@router.patch("/highlights/{int:pk}", auth=WRITE, response=Highlight)
def change_highlight(request: Request, pk: Id, sent: Note) -> Any:
    """Change the note of a highlight."""
    found = access.highlight_of(request.user, pk)
    change_note(found, sent.note)
    return found


@router.delete("/highlights/{int:pk}", auth=WRITE, response={204: None})
def delete_highlight(request: Request, pk: Id) -> Status[None]:
    """Remove a highlight."""
    access.highlight_of(request.user, pk).delete()
    return Status(204, None)


# Lists

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


def _page(user: User, asked: Filters, now: datetime) -> queries.Page:
    """The page asked for. Raises Http404 and Refused."""
    places = {name: getattr(asked, name) for name in ("feed", "folder", "tag", "search", "q")}
    chosen = [name for name, value in places.items() if value is not None]
    if len(chosen) > 1 or (chosen and asked.list != "all"):
        raise Refused("Choose only one of list, feed, folder, tag, search and q.")
    name = chosen[0] if chosen else asked.list
    match name:
        case "search":
            return _found(user, access.saved_search_of(user, places["search"]).query, asked, now)
        case "q":
            return _found(user, places["q"], asked, now)
        case "all":
            return _in_order(user, queries.all_of(user), "home", asked, now)
        case "feed":
            return _in_order(
                user, queries.of_subscription(access.subscription_of(user, places["feed"])), name, asked, now
            )
        case "folder":
            return _in_order(user, queries.of_folder(user, access.folder_of(user, places["folder"])), name, asked, now)
    if asked.unread and name not in ("for_you", "important"):
        raise Refused("This list can't be limited to unread articles; search with is:unread instead.")
    order = _order(name, asked, orders_of(name))
    if name in ("for_you", "important"):
        page = queries.for_you_page if name == "for_you" else queries.important_page
        return page(user, _decoded("rank", asked.cursor), now=now, size=asked.limit)
    if name == "today":
        return _today(user, now)
    after = _decoded("date", asked.cursor)
    if name == "muted":
        return queries.muted_page(user, after, now=now, size=asked.limit)
    if name == "starred":
        return queries.starred_page(user, after, now=now, order=order, size=asked.limit)
    tag = access.tag_of(user, places["tag"])
    return queries.tagged_page(user, tag, after, now=now, oldest_first=order == ListOrder.OLDEST, size=asked.limit)


def _order(name: str, asked: Filters, orders: Sequence[str], default: str = "") -> str:
    """The order asked for. Raises Refused if the list has no such order."""
    if asked.order and asked.order not in list(orders):
        raise Refused(f"The list “{name}” can't be in this order.")
    return asked.order or default or next(iter(orders), "")


def _in_order(user: User, rows: QuerySet[Delivery], name: str, asked: Filters, now: datetime) -> queries.Page:
    order = _order(name, asked, orders_of(name), ListOrder.NEWEST)
    size, cursor = asked.limit, asked.cursor
    if order == ListOrder.IMPORTANT and name == "home":
        return queries.important_page(user, _decoded("rank", cursor), now=now, size=size)
    if order == ListOrder.IMPORTANT:
        _decoded("mixed", cursor)
        return queries.by_importance_page(user, rows, cursor, now=now, size=size)
    after = _decoded("date", cursor)
    if order == ListOrder.UNREAD:
        return queries.page_of(user, rows, after, now=now, only_unread=asked.unread, size=size)
    oldest_first = order == ListOrder.OLDEST
    return queries.by_date_page(
        user, rows, after, now=now, oldest_first=oldest_first, only_unread=asked.unread, size=size
    )


def _found(user: User, words: str, asked: Filters, now: datetime) -> queries.Page:
    order = Order(_order("search", asked, tuple(Order), Order.NEWEST))
    tree = parse(f"({words}) is:unread" if asked.unread else words, today=timezone.localdate()).tree
    if tree is None or parse(words, today=timezone.localdate()).tree is None:
        raise Refused("There is nothing to search for in this query.")
    if asked.cursor and queries.Cursor.decode(asked.cursor) is None:
        _decoded("match", asked.cursor)
    return search(user, tree, asked.cursor, order=order, now=now, size=asked.limit).page


def _today(user: User, now: datetime) -> queries.Page:
    """The front page's articles, in its order."""
    digest = today_of(user)
    topics = edition_of(digest).topics if digest else ()
    entries = [entry for topic in topics for entry in (topic.lead, *topic.related) if entry.article_id is not None]
    dates = {entry.article_id: entry.published_at for entry in entries if entry.article_id is not None}
    visible = set(access.visible_articles(user).filter(pk__in=dates).values_list("pk", flat=True))
    return queries.Page(queries.rows_of(user, [(pk, at) for pk, at in dates.items() if pk in visible], now=now))


def present(user: User, rows: Sequence[Row], *, with_html: bool = False) -> list[dict[str, Any]]:
    """Rows as `Article`, in a fixed number of queries."""
    ids = [row.article.pk for row in rows]
    items = {item.article.pk: item for item in load_items(user, None, ids, with_html=with_html)}
    votes = votes_of(user, ids)
    shown = []
    for row in rows:
        if (item := items.get(row.article.pk)) is None:  # unfollowed in the meantime
            continue
        article, rating, story = item.article, row.rating, row.story
        parts = rating.parts if rating else None
        shown.append(
            {
                "id": article.pk,
                "title": article.title,
                "url": item.link,
                "author": article.author,
                "source": row.source,
                "feed_id": item.subscription.pk if item.subscription else None,
                "also_in": row.also_in,
                "published_at": None if article.is_undated else article.published_at,
                "first_seen_at": article.first_seen_at,
                "revised_at": article.revised_at,
                "language": article.language,
                "summary": article.summary,
                "reading_seconds": article.reading_seconds,
                "is_read": row.is_read,
                "is_starred": row.is_starred,
                "vote": votes.get(article.pk),
                "tags": item.tags,
                "files": [
                    {"url": file["url"], "type": file.get("mime_type") or "", "length": file.get("length") or None}
                    for file in files_of(article.media)
                ],
                "story": {"id": story.story_id, "n_more": story.n_more, "sources": story.sources} if story else None,
                "scores": {
                    **{name: getattr(parts, name) for name in ("importance", "relevance", "authority", "recency")},
                    **{name: getattr(parts, name) for name in ("corroboration", "depth")},
                    "time_adjusted_relevance": rating.adjusted,
                    "time_sensitivity": rating.sensitivity,
                }
                if rating
                else None,
                "html": item.html if with_html else None,
            }
        )
    return shown


def _whole(user: User, pk: int) -> dict[str, Any]:
    """`WholeArticle`. Raises Http404."""
    now = timezone.now()
    article = access.article_of(user, pk)
    [shown] = present(user, [queries.row_of(user, article, now=now)], with_html=True)
    with override(language_of(user.pk)):
        why = explain(user, article, now=now)
        reasons = as_json(why) if why else None
    members = [
        {
            "id": other.article.pk,
            "title": other.article.title,
            "url": other.article.link,
            "source": other.source,
            "published_at": None if other.article.is_undated else other.article.published_at,
            "is_read": other.is_read,
        }
        for other in unfolded(user, article).others
    ]
    return shown | {"members": members, "highlights": highlights_of(user, article), "why": reasons}


def _change(user: User, ids: Sequence[int], sent: State, now: datetime) -> None:
    for name in sent.add_tags:
        marking.tag_all(user, ids, name, now=now)
    for name in sent.remove_tags:
        marking.untag_all(user, ids, name)
    if sent.is_starred is not None:
        marking.set_articles_starred(user, ids, is_starred=sent.is_starred, now=now)
    if sent.is_read is not None:
        marking.set_articles_read(user, ids, is_read=sent.is_read, now=now)


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
