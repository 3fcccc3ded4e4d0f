"""Lists of articles: everything, a folder, a feed, what is starred, a folder's selection, the two ranked ones."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from reader.access import folder_of, subscription_of
from reader.acting import votes_of
from reader.feed_report import report_of
from reader.marking import mark_all_read
from reader.models import Delivery
from reader.queries import (
    Cursor,
    Page,
    Row,
    all_of,
    for_you_page,
    important_page,
    newest_delivery_id,
    of_folder,
    of_subscription,
    page_of,
    selection_of,
    starred_page,
    unread_up_to,
)
from reader.ranking import RankCursor
from reader.views.signed_in import SignedInRequest, page, safe_next, whole_number


@dataclass(frozen=True, slots=True)
class _List:
    """One list as its page shows it: what it holds, how it is called, and where all of it is marked read."""

    deliveries: QuerySet[Delivery]
    title: str
    here: str
    read_all_url: str
    folder_id: int | None = None
    open_feed: int | None = None
    extra: dict[str, Any] = field(default_factory=dict)


@require_safe
def home(request: SignedInRequest) -> HttpResponse:
    """Everything the user follows, unread first."""
    return _show(request, _List(all_of(request.user), "All articles", "home", reverse("read_all")))


@require_safe
def folder(request: SignedInRequest, pk: int) -> HttpResponse:
    """One folder."""
    found = folder_of(request.user, pk)
    url = reverse("folder_read_all", args=[pk])
    listed = _List(of_folder(request.user, found), found.name, "folder", url, folder_id=pk, extra={"folder": found})
    return _show(request, listed)


@require_safe
def feed(request: SignedInRequest, pk: int) -> HttpResponse:
    """One feed, with its state when it is not well."""
    subscription = subscription_of(request.user, pk)
    report = report_of(subscription, now=timezone.localtime())
    listed = _List(
        of_subscription(subscription),
        subscription.shown_title,
        "feed",
        reverse("feed_read_all", args=[pk]),
        folder_id=subscription.folder_id,
        open_feed=pk,
        extra={"subscription": subscription, "report": report},
    )
    return _show(request, listed)


def _show(request: SignedInRequest, listed: _List) -> HttpResponse:
    newest = newest_delivery_id()  # before the rows: what arrives meanwhile is not marked read unseen
    cursor = Cursor.decode(request.GET.get("after", ""))
    shown = page_of(request.user, listed.deliveries, cursor, now=timezone.now())
    context = {
        "title": listed.title,
        "page": shown,
        "votes": _votes(request.user, shown.rows),
        "n_unread": unread_up_to(listed.deliveries),
        "is_first": cursor is None,
        "read_all_url": listed.read_all_url,
        "newest": newest,
        **listed.extra,
    }
    return page(
        request,
        "reader/article_list.html",
        context,
        here=listed.here,
        folder_id=listed.folder_id,
        open_feed=listed.open_feed,
    )


@require_safe
def for_you(request: SignedInRequest) -> HttpResponse:
    """Unread articles, those first whose relevance is highest after what time took of it."""
    return _show_ranked(request, for_you_page, "For you", "for_you")


@require_safe
def important(request: SignedInRequest) -> HttpResponse:
    """Unread articles, the most important first."""
    return _show_ranked(request, important_page, "Important", "important")


def _show_ranked(request: SignedInRequest, ranked: Callable[..., Page], title: str, here: str) -> HttpResponse:
    cursor = RankCursor.decode(request.GET.get("after", ""))
    shown = ranked(request.user, cursor, now=timezone.now())
    context = {
        "title": title,
        "page": shown,
        "votes": _votes(request.user, shown.rows),
        "is_first": cursor is None,
        "by_relevance": ranked is for_you_page,
    }
    return page(request, "reader/ranked_list.html", context, here=here)


@require_safe
def starred(request: SignedInRequest) -> HttpResponse:
    """What the user starred, last starred first."""
    cursor = Cursor.decode(request.GET.get("after", ""))
    shown = starred_page(request.user, cursor, now=timezone.now())
    context = {
        "title": "Starred",
        "page": shown,
        "votes": _votes(request.user, shown.rows),
        "is_first": cursor is None,
    }
    return page(request, "reader/article_list.html", context, here="starred")


@require_safe
def selection(request: SignedInRequest, pk: int) -> HttpResponse:
    """The newest of each category in a folder, as many as the folder's limit says."""
    found = folder_of(request.user, pk)
    categories = selection_of(request.user, found, now=timezone.now())
    context = {
        "title": found.name,
        "folder": found,
        "categories": categories,
        "votes": _votes(request.user, [row for _, rows in categories for row in rows]),
    }
    return page(request, "reader/folder_selection.html", context, here="folder", folder_id=pk)


def _votes(user: User, rows: Iterable[Row]) -> dict[int, str]:
    """What the user said of the rows' articles: liked or disliked."""
    return votes_of(user, [row.article.pk for row in rows])


@require_POST
def read_all(request: SignedInRequest) -> HttpResponse:
    """Mark read everything that was there when the page was made."""
    return _read_all(request, all_of(request.user, with_folded=True), reverse("home"))


@require_POST
def folder_read_all(request: SignedInRequest, pk: int) -> HttpResponse:
    inside = of_folder(request.user, folder_of(request.user, pk), with_folded=True)
    return _read_all(request, inside, reverse("folder", args=[pk]))


@require_POST
def feed_read_all(request: SignedInRequest, pk: int) -> HttpResponse:
    return _read_all(request, of_subscription(subscription_of(request.user, pk)), reverse("feed", args=[pk]))


def _read_all(request: SignedInRequest, deliveries: QuerySet[Delivery], back: str) -> HttpResponse:
    up_to = whole_number(request.POST.get("up_to", ""))
    if up_to is None:
        return HttpResponseBadRequest("up_to must be a number")
    mark_all_read(request.user, deliveries, up_to=up_to)
    return redirect(safe_next(request, back))
