"""Stories, digests, highlights, interests, notifications, and who you are."""

from datetime import date, datetime
from typing import Annotated, Any, Literal

from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import override
from ninja import Query, Router, Schema, Status
from pydantic import Field

from digests.access import digest_of, digests_of, today_of
from digests.models.edition_store import edition_of
from digests.rendering.as_json import as_json
from digests.today.refresh import is_ready
from reader import access
from reader.interests import terms
from reader.interests.overview import MAX_SHOWN, load_overview
from reader.lists.queries import Cursor as DateCursor
from reader.lists.sidebar import sidebar_of
from reader.models import Highlight as StoredHighlight
from reader.models import Notification, Subscription
from reader.preferences.store import language_of
from reader.stories.detail_page import story_page
from reader.stories.list_page import stories_page
from reader.stories.members import StoryArticle
from rssmanager.api.v1.articles import Highlight, StoryMember
from rssmanager.api.v1.base import PAGE, READ, RULES, WRITE, Body, Cursor, Id, Limit, Page, Refused, Request, Text
from rssmanager.authentication.models import Scope

router = Router()
MAX_TERMS = 50  # in one call
CHANGES = {
    "raise": terms.raise_term,
    "lower": terms.lower_term,
    "pin": terms.pin,
    "unpin": terms.unpin,
    "mute": terms.mute,
    "unmute": terms.unmute,
    "remove": terms.remove_term,
}


class Paging(Schema):
    cursor: Cursor = ""
    limit: Limit = PAGE


class Story(Schema):
    """A story that several of your feeds cover."""

    id: int
    article_id: int
    title: str
    sources: list[str]
    n_articles: int
    n_unread: int
    latest_at: datetime


class Report(StoryMember):
    """A report on the story, with the copies of its text. `reason` says why it belongs to the story."""

    reason: str
    copies: list[StoryMember]


class WholeStory(Schema):
    """A story: the lead first, then the other reports by time; `apart` are those that you split off."""

    id: int
    title: str
    reports: list[Report]
    apart: list[StoryMember]
    n_sources: int
    n_unread: int


class Digest(Schema):
    """A digest in the list; `kind` is that of its schedule."""

    id: int
    kind: str
    day: date
    made_at: datetime
    n_articles: int
    n_feeds: int


class Note(Schema):
    """A notification."""

    id: int
    kind: str
    text: str
    article_id: int | None
    feed_id: int | None
    happened_at: datetime
    is_seen: bool


class Seen(Body):
    up_to: Id = Field(description="The newest notification that was seen.")


class Interest(Schema):
    """A term of your interests. Below 0: not interested. `share` is its size relative to the largest, from 0 to 1."""

    term: str
    weight: float
    share: float
    origin: str
    is_pinned: bool
    is_muted: bool


class Interests(Schema):
    is_learning: bool
    n_choices: int = Field(description="How many articles they were learned from.")
    items: list[Interest]


class NewInterests(Body):
    topics: list[Annotated[Text, Field(max_length=100)]] = Field(min_length=1, max_length=MAX_TERMS)


class InterestChange(Body):
    terms: list[Annotated[Text, Field(max_length=100)]] = Field(min_length=1, max_length=MAX_TERMS)
    act: Literal["raise", "lower", "pin", "unpin", "mute", "unmute", "remove"]


class Counts(Schema):
    """Unread articles: in all lists up to 1,000, every story once; of feeds, everything."""

    all: int
    folders: dict[int, int]
    feeds: dict[int, int]
    notifications: int


class Me(Schema):
    name: str
    email: str
    scopes: list[Scope]
    n_feeds: int


@router.get("/me", auth=READ, response=Me, tags=["Account"])
def get_me(request: Request) -> dict[str, Any]:
    """Who you are, and what this app password may change."""
    user = request.user
    n_feeds = Subscription.objects.filter(user=user).count()
    return {"name": user.get_username(), "email": user.email, "scopes": request.auth.may, "n_feeds": n_feeds}


@router.get("/counts", auth=READ, response=Counts, tags=["Account"])
def get_counts(request: Request) -> dict[str, Any]:
    """Unread counts, as in the sidebar."""
    sidebar = sidebar_of(request.user, here="")
    feeds = Subscription.objects.filter(user=request.user).values_list("pk", "unread_count")
    return {
        "all": sidebar.n_unread,
        "folders": {folder.pk: folder.n_unread for folder in sidebar.folders},
        "feeds": dict(feeds),
        "notifications": sidebar.n_notifications,
    }


@router.get("/stories", auth=READ, response=Page[Story], tags=["Stories"])
def list_stories(request: Request, asked: Query[Paging]) -> dict[str, Any]:
    """Stories that at least two of your feeds cover, the latest first."""
    found = stories_page(request.user, _cursor(asked.cursor), size=asked.limit)
    rows = [
        {
            "id": row.story_id,
            "article_id": row.article.pk,
            "title": row.article.title,
            "sources": row.sources,
            "n_articles": row.n_articles,
            "n_unread": row.n_unread,
            "latest_at": row.latest_at,
        }
        for row in found.rows
    ]
    return {"items": rows, "next": found.next_cursor or None}


@router.get("/stories/{int:pk}", auth=READ, response=WholeStory, tags=["Stories"])
def get_story(request: Request, pk: Id) -> dict[str, Any]:
    """A story with its reports from your feeds. Stories are regrouped, so an id may end."""
    with override(language_of(request.user.pk)):
        found = story_page(request.user, access.story_of(request.user, pk), now=timezone.localtime())
        reports = [
            _member(report.head) | {"reason": _reason(report.head), "copies": [_member(copy) for copy in report.copies]}
            for report in found.reports
        ]
    return {
        "id": found.story_id,
        "title": found.title,
        "reports": reports,
        "apart": [_member(member) for member in found.apart],
        "n_sources": found.n_sources,
        "n_unread": found.n_unread,
    }


@router.get("/digests", auth=READ, response=Page[Digest], tags=["Digests"])
def list_digests(request: Request, asked: Query[Paging]) -> dict[str, Any]:
    """Your digests, the latest first."""
    return _dated(digests_of(request.user), "made_at", asked)


@router.get("/digests/{int:pk}", auth=READ, response=dict[str, Any], tags=["Digests"])
def get_digest(request: Request, pk: Id) -> dict[str, Any]:
    """A digest: its topics with their articles and summaries, feed health and checks."""
    with override(language_of(request.user.pk)):
        return as_json(edition_of(digest_of(request.user, pk)))


@router.get("/today", auth=READ, response=dict[str, Any], tags=["Digests"])
def get_today(request: Request) -> dict[str, Any]:
    """The front page, in the form of a digest. It is made when the interface shows it, so it can be some hours old."""
    digest = today_of(request.user)
    if digest is None or not is_ready(digest):
        raise Refused("There is no front page yet. Open Today once.", 404)
    with override(language_of(request.user.pk)):
        return as_json(edition_of(digest))


@router.get("/highlights", auth=READ, response=Page[Highlight], tags=["Highlights"])
def list_highlights(request: Request, asked: Query[Paging]) -> dict[str, Any]:
    """Your highlights, newest first."""
    return _dated(StoredHighlight.objects.filter(user=request.user), "made_at", asked)


@router.get("/interests", auth=READ, response=Interests, tags=["Interests"])
def get_interests(request: Request) -> dict[str, Any]:
    """What you are interested in: terms, the strongest first."""
    return _interests(request)


@router.post("/interests", auth=RULES, response=Interests, tags=["Interests"])
def add_interests(request: Request, sent: NewInterests) -> dict[str, Any]:
    """Add topics. Known ones keep the larger weight."""
    terms.add_starting_interests(request.user, sent.topics, (), timezone.now())
    return _interests(request)


@router.post("/interests/change", auth=RULES, response=Interests, tags=["Interests"])
def change_interests(request: Request, sent: InterestChange) -> dict[str, Any]:
    """Raise, lower, pin, mute or remove terms."""
    now = timezone.now()
    if not [term for term in sent.terms if CHANGES[sent.act](request.user, term, now)]:
        raise Refused("You have no such interest.", 404)
    return _interests(request)


@router.get("/notifications", auth=READ, response=Page[Note], tags=["Notifications"])
def list_notifications(request: Request, asked: Query[Paging]) -> dict[str, Any]:
    """Notifications, newest first."""
    page = _dated(Notification.objects.filter(user=request.user), "happened_at", asked)
    mine = Subscription.objects.filter(user=request.user, feed__in={row.feed_id for row in page["items"]})
    feeds: dict[int | None, int] = dict(mine.values_list("feed", "pk"))
    rows = [
        {
            **{name: getattr(row, name) for name in ("kind", "text", "article_id", "happened_at")},
            "id": row.pk,
            "feed_id": feeds.get(row.feed_id),
            "is_seen": row.seen_at is not None,
        }
        for row in page["items"]
    ]
    return page | {"items": rows}


@router.post("/notifications/seen", auth=WRITE, response={204: None}, tags=["Notifications"])
def see_notifications(request: Request, sent: Seen) -> Status[None]:
    """Mark notifications as seen, up to this one."""
    unseen = Notification.objects.filter(user=request.user, pk__lte=sent.up_to, seen_at=None)
    unseen.update(seen_at=timezone.now())
    return Status(204, None)


def _cursor(text: str) -> DateCursor | None:
    if not text:
        return None
    if (cursor := DateCursor.decode(text)) is None:
        raise Refused("This cursor isn't one of this list.")
    return cursor


def _dated(rows: QuerySet[Any], date: str, asked: Paging) -> dict[str, Any]:
    """A page of rows, the latest first. The cursor holds the date and id of the last row."""
    if after := _cursor(asked.cursor):
        at, pk = after.published_at, after.article_id
        rows = rows.filter(Q(**{f"{date}__lt": at}) | Q(**{date: at, "pk__lt": pk}))
    found = list(rows.order_by(f"-{date}", "-pk")[: asked.limit + 1])
    shown = found[: asked.limit]
    more = len(found) > len(shown)
    return {
        "items": shown,
        "next": DateCursor(False, getattr(shown[-1], date), shown[-1].pk).encode() if more else None,
    }


def _member(member: StoryArticle) -> dict[str, Any]:
    article = member.article
    return {
        "id": article.pk,
        "title": article.title,
        "url": article.link,
        "source": member.source,
        "published_at": None if article.is_undated else article.published_at,
        "is_read": member.is_read,
    }


def _reason(member: StoryArticle) -> str:
    """A sentence, "" for the lead."""
    reason = member.reason
    if reason is None:
        return ""
    return f"{reason.opening} {reason.rival.title or reason.rival.source}{reason.closing}"


def _interests(request: Request) -> dict[str, Any]:
    found = load_overview(request.user, timezone.now(), limit=MAX_SHOWN)
    items = sorted((*found.sought, *found.avoided, *found.muted), key=lambda row: -row.share)
    return {"is_learning": found.is_learning, "n_choices": found.n_choices, "items": items}
