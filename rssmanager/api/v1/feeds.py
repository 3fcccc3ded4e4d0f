"""What you follow: feeds, imports, OPML and saved pages."""

from datetime import datetime
from typing import Annotated, Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import F, QuerySet
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone
from ninja import Query, Router, Schema, Status
from pydantic import Field

from feeds.discovery.feed_address import InvalidAddress
from feeds.tasks.enqueue import call_worker
from reader import access
from reader.articles.enclosures import web_address
from reader.lists.queries import row_of
from reader.models import Import, ImportKind, ImportStatus, Subscription
from reader.models.subscription import ICON_COLUMN
from reader.subscriptions.bulk_actions import MAX_AT_ONCE, pause_before_poll, request_poll, request_polls
from reader.subscriptions.follow import move, rename
from reader.subscriptions.importer import create_import, follow_found, may_be_urgent, offers_of
from reader.subscriptions.make_folders import folder_named
from reader.subscriptions.opml_export import export_opml
from reader.subscriptions.private import set_private
from reader.subscriptions.save_page import remove_page, save_and_fetch
from reader.subscriptions.unfollow import undo_unfollow, unfollow
from rssmanager.api.icons import icon_address
from rssmanager.api.quick_add import follow_address
from rssmanager.api.v1.articles import Article, present
from rssmanager.api.v1.base import FEEDS, PAGE, READ, WRITE, Body, FolderName, Id, Limit, Page, Refused, Request, Text

router = Router()
OPML = "text/x-opml"


class Feed(Schema):
    """A feed that you follow. `condition` says how it is: `well`, or what is wrong."""

    id: int
    title: str
    url: str
    site_url: str
    icon_url: str | None = Field(description="Opens without an app password.")
    folder_id: int | None
    category: str
    condition: str
    is_private: bool
    n_unread: int
    last_polled_at: datetime | None
    last_success_at: datetime | None
    added_at: datetime


class FeedChange(Body):
    """What to change. Names that aren't sent stay as they are."""

    title: Annotated[Text, Field(max_length=300, description="Your own title; empty for the feed's.")] | None = None
    folder_id: Id | None = Field(None, description="Null moves it out of its folder.")
    is_private: bool | None = Field(None, description="A private feed shares nothing with other feeds.")


class NewFeed(Body):
    url: Annotated[Text, Field(min_length=1, max_length=2000)]
    folder: FolderName = Field("", description="The name of a folder; created if you have none of that name.")


class KnownFeed(NewFeed):
    title: Annotated[Text, Field(max_length=300)] = ""


class FoundFeed(Schema):
    """A feed that was found at an address. `feed_id` is set if you follow it already."""

    number: int
    title: str
    url: str
    feed_id: int | None


class ImportOut(Schema):
    """Looking for feeds at an address, or an OPML document being imported.

    `preview`: feeds were found, of which you choose; then `done`. `message` says why it `failed`.
    """

    id: int
    status: ImportStatus
    message: str
    found: list[FoundFeed]
    n_total: int
    n_done: int
    n_added: int


class Chosen(Body):
    numbers: list[Annotated[int, Field(ge=0, le=100)]] = Field(min_length=1, max_length=100)
    folder: FolderName = ""


class Refreshed(Schema):
    n_refreshed: int
    n_left_out: int


class PageToSave(Body):
    url: Annotated[Text, Field(min_length=1, max_length=4000)]
    title: Annotated[Text, Field(max_length=4000)] = ""


class FeedsPage(Schema):
    cursor: Annotated[str, Field(pattern=r"^[0-9]{0,18}$", description="`next` of the page before.")] = ""
    limit: Limit = PAGE


@router.get("/feeds", auth=READ, response=Page[Feed], tags=["Feeds"])
def list_feeds(request: Request, asked: Query[FeedsPage]) -> dict[str, Any]:
    """The feeds you follow, in the order in which you followed them."""
    rows = list(_feeds(request.user).filter(pk__gt=int(asked.cursor or 0)).order_by("pk")[: asked.limit + 1])
    shown = rows[: asked.limit]
    return {"items": map(_feed, shown), "next": str(shown[-1].pk) if len(rows) > len(shown) else None}


@router.post("/feeds", auth=FEEDS, response={202: ImportOut}, tags=["Feeds"])
def find_feeds(request: Request, sent: NewFeed) -> HttpResponse | Status[Any]:
    """Look for feeds at an address, such as that of a site. A worker does it; `GET /imports/{id}` has what it found."""
    return _begun(create_import(request.user, ImportKind.ADDRESS, sent.url, folder_name=sent.folder.strip()))


@router.post("/feeds/follow", auth=FEEDS, response={201: Feed}, tags=["Feeds"])
def follow_feed(request: Request, sent: KnownFeed) -> Status[Any]:
    """Follow the feed at exactly this address, without looking for it. It is fetched within about a minute."""
    user, now = request.user, timezone.now()
    folder = folder_named(user, sent.folder.strip())
    subscription = follow_address(user, sent.url, title=sent.title, folder=folder, now=now)
    return Status(201, _one(user, subscription.pk))


@router.get("/feeds/{int:pk}", auth=READ, response=Feed, tags=["Feeds"])
def get_feed(request: Request, pk: Id) -> dict[str, Any]:
    """One feed."""
    return _one(request.user, pk)


@router.patch("/feeds/{int:pk}", auth=FEEDS, response=Feed, tags=["Feeds"])
def change_feed(request: Request, pk: Id, sent: FeedChange) -> dict[str, Any]:
    """Rename a feed, move it to another folder, or make it private."""
    user = request.user
    subscription = access.subscription_of(user, pk)
    if sent.is_private is not None and not set_private(subscription, sent.is_private, now=timezone.now()):
        raise Refused("Others follow this feed, so only administrators can change this.", 409)
    folder = subscription.folder
    if "folder_id" in sent.model_fields_set:
        folder = access.folder_of(user, sent.folder_id) if sent.folder_id is not None else None
    if sent.title is not None:
        rename(subscription, title=sent.title, folder=folder)
    elif folder != subscription.folder:
        move(user, [pk], folder)
    return _one(user, pk)


@router.delete("/feeds/{int:pk}", auth=FEEDS, response={204: None}, tags=["Feeds"])
def unfollow_feed(request: Request, pk: Id) -> Status[None]:
    """Unfollow a feed. It can be restored for seven days."""
    if access.subscription_of(request.user, pk).feed.is_of_saved_pages:
        raise Refused("Saved pages can't be unfollowed. Remove each of them instead.", 409)
    unfollow(request.user, [pk], now=timezone.now())
    return Status(204, None)


@router.post("/feeds/{int:pk}/restore", auth=FEEDS, response=Feed, tags=["Feeds"])
def restore_feed(request: Request, pk: Id) -> dict[str, Any]:
    """Follow an unfollowed feed again, with everything it had."""
    if not undo_unfollow(request.user, access.unfollowed_of(request.user, pk), now=timezone.now()):
        raise Refused("This can no longer be undone.", 409)
    return _one(request.user, pk)


@router.post("/feeds/{int:pk}/refresh", auth=FEEDS, response={202: Feed}, tags=["Feeds"])
def refresh_feed(request: Request, pk: Id) -> Status[Any]:
    """Poll a feed now. `last_polled_at` changes when that is done.

    429, with `Retry-After`: it was polled in the last minute, or its publisher asked us to wait.
    """
    feed, now = access.subscription_of(request.user, pk).feed, timezone.now()
    if refusal := request_poll(feed, now=now):
        raise Refused(refusal, 429 if (wait := pause_before_poll(feed, now)) else 409, retry_after=wait)
    return Status(202, _one(request.user, pk))


@router.post("/feeds/refresh", auth=FEEDS, response={202: Refreshed}, tags=["Feeds"])
def refresh_feeds(request: Request) -> Status[Any]:
    """Poll all feeds now, except those that were polled in the last minute, are paused or gone, or have to wait."""
    ids = list(Subscription.objects.filter(user=request.user).values_list("pk", flat=True)[:MAX_AT_ONCE])
    n_polled = request_polls(ids, now=timezone.now())
    return Status(202, {"n_refreshed": n_polled, "n_left_out": len(ids) - n_polled})


@router.get("/imports/{int:pk}", auth=READ, response=ImportOut, tags=["Feeds"])
def get_import(request: Request, pk: Id) -> dict[str, Any]:
    """What was found at an address, or how far an OPML import is."""
    return _import(_import_of(request.user, pk))


@router.post("/imports/{int:pk}/follow", auth=FEEDS, response=Page[Feed], tags=["Feeds"])
def follow_found_feeds(request: Request, pk: Id, sent: Chosen) -> dict[str, Any]:
    """Follow some of the feeds that were found at an address."""
    user, job = request.user, _import_of(request.user, pk)
    if job.kind != ImportKind.ADDRESS or job.status != ImportStatus.PREVIEW:
        raise Refused("There is nothing to choose from in this import.", 409)
    if set(sent.numbers) - {offer.number for offer in offers_of(job)}:
        raise Refused("There is no feed with this number.")
    followed = follow_found(
        job,
        set(sent.numbers),
        folder=sent.folder.strip() or job.folder_name,
        now=timezone.now(),
        default_max_items=settings.ENV.FETCH_MAX_ITEMS,
    )
    call_worker("reader.tasks.recurring.run_import", job.pk)
    rows = _feeds(user).filter(pk__in=[subscription.pk for subscription in followed]).order_by("pk")
    return {"items": map(_feed, rows)}


@router.get(
    "/opml",
    auth=READ,
    response={200: None},
    tags=["Feeds"],
    openapi_extra={"responses": {200: {"content": {OPML: {"schema": {"type": "string"}}}}}},
)
def get_opml(request: Request) -> HttpResponse:
    """Your feeds and folders as OPML (`text/x-opml`)."""
    document = export_opml(request.user, title="RSS Manager", now=timezone.now())
    return HttpResponse(document, content_type=f"{OPML}; charset=utf-8")


@router.post(
    "/opml",
    auth=FEEDS,
    response={202: ImportOut},
    tags=["Feeds"],
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {kind: {"schema": {"type": "string"}} for kind in (OPML, "application/xml", "text/xml")},
        }
    },
)
def import_opml(request: Request) -> Status[Any]:
    """Follow the feeds of an OPML document, which is the body (`text/x-opml`), up to 8 MiB. A worker reads it."""
    if not request.body.strip():
        raise Refused("Send an OPML document as the body.")
    return _begun(create_import(request.user, ImportKind.FILE, "OPML", data=request.body))


@router.post("/saved", auth=WRITE, response={200: Article, 201: Article}, tags=["Saved pages"])
def save_a_page(request: Request, sent: PageToSave) -> Status[Any]:
    """Save a web page, to read it later. A worker fetches its text within seconds. 200: you had it already."""
    user, now = request.user, timezone.now()
    try:
        article, is_new = save_and_fetch(user, sent.url, title=sent.title, now=now)
    except InvalidAddress as error:
        raise Refused(f"This page can't be saved: {error}.") from error
    [shown] = present(user, [row_of(user, article, now=now)])
    return Status(201 if is_new else 200, shown)


@router.delete("/saved/{int:pk}", auth=WRITE, response={204: None}, tags=["Saved pages"])
def remove_saved_page(request: Request, pk: Id) -> Status[None]:
    """Remove an article from your saved pages. Saving it again within seven days restores its state."""
    if not remove_page(request.user, access.article_of(request.user, pk), now=timezone.now()):
        raise Http404
    return Status(204, None)


def _feeds(user: User) -> QuerySet[Subscription]:
    return Subscription.objects.filter(user=user).select_related("feed").annotate(icon=F(ICON_COLUMN))


def _feed(row: Any) -> dict[str, Any]:
    """`Feed`, from a row of `_feeds`."""
    feed = row.feed
    return {
        "id": row.pk,
        "title": row.shown_title,
        "url": feed.shown_url,
        "site_url": web_address(feed.site_url),
        "icon_url": icon_address(row.icon) or None,
        "folder_id": row.folder_id,
        "category": row.category,
        "condition": feed.condition,
        "is_private": feed.is_private,
        "n_unread": row.unread_count,
        "last_polled_at": feed.last_polled_at,
        "last_success_at": feed.last_success_at,
        "added_at": row.added_at,
    }


def _one(user: User, pk: int) -> dict[str, Any]:
    return _feed(get_object_or_404(_feeds(user), pk=pk))


def _import_of(user: User, pk: int) -> Import:
    access.import_of(user, pk)
    return Import.objects.get(user=user, pk=pk)


def _import(job: Import) -> dict[str, Any]:
    is_found = job.kind == ImportKind.ADDRESS and job.status == ImportStatus.PREVIEW
    return {
        "id": job.pk,
        "status": job.status,
        "message": job.message,
        "found": [
            {
                "number": offer.number,
                "title": offer.found.title,
                "url": offer.shown_url,
                "feed_id": offer.subscription.pk if offer.subscription else None,
            }
            for offer in (offers_of(job) if is_found else ())
        ],
        "n_total": job.n_total,
        "n_done": job.n_done,
        "n_added": job.n_added,
    }


def _begun(job: Import) -> Status[Any]:
    if may_be_urgent(job):
        call_worker("reader.tasks.recurring.run_import", job.pk)
    return Status(202, _import(job))
