"""Stories, highlights, interests, notifications, and who you are."""

from datetime import datetime
from typing import Annotated, Any, Literal

from django.utils import timezone
from django.utils.translation import override
from ninja import Query, Router, Schema, Status
from pydantic import Field

from reader import access
from reader.interests import terms
from reader.interests.overview import MAX_SHOWN, load_overview
from reader.lists.sidebar import sidebar_of
from reader.models import Highlight as StoredHighlight
from reader.models import Notification, Subscription
from reader.preferences.store import language_of
from reader.stories.detail_page import story_page
from reader.stories.list_page import stories_page
from reader.stories.members import StoryArticle
from rssmanager.api.v1.articles import Highlight, StoryMember
from rssmanager.api.v1.base import READ, RULES, WRITE, Body, Id, Page, Refused, Request, Text
from rssmanager.api.v1.paging import Paging, date_cursor, dated_page
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
    up_to_id: Id = Field(description="The newest notification that was seen.")


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
    action: Literal["raise", "lower", "pin", "unpin", "mute", "unmute", "remove"]


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
    found = stories_page(request.user, date_cursor(asked.cursor), size=asked.limit)
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


@router.get("/highlights", auth=READ, response=Page[Highlight], tags=["Highlights"])
def list_highlights(request: Request, asked: Query[Paging]) -> dict[str, Any]:
    """Your highlights, newest first."""
    return dated_page(StoredHighlight.objects.filter(user=request.user), "made_at", asked)


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
    if not [term for term in sent.terms if CHANGES[sent.action](request.user, term, now)]:
        raise Refused("You have no such interest.", 404)
    return _interests(request)


@router.get("/notifications", auth=READ, response=Page[Note], tags=["Notifications"])
def list_notifications(request: Request, asked: Query[Paging]) -> dict[str, Any]:
    """Notifications, newest first."""
    page = dated_page(Notification.objects.filter(user=request.user), "happened_at", asked)
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
    unseen = Notification.objects.filter(user=request.user, pk__lte=sent.up_to_id, seen_at=None)
    unseen.update(seen_at=timezone.now())
    return Status(204, None)


def _member(member: StoryArticle) -> dict[str, Any]:
    article = member.article
    return {
        "id": article.pk,
        "title": article.title,
        "url": article.link,
        "source": member.source,
        "published_at": article.published_at,
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
