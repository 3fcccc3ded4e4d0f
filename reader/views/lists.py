"""Lists of articles: everything, a folder, a feed, what is starred, a folder's selection, the two ranked ones."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from reader.access import folder_of, subscription_of
from reader.acting import votes_of
from reader.feed_report import report_of
from reader.models import Delivery
from reader.queries import (
    Cursor,
    Page,
    Row,
    all_of,
    by_date_page,
    for_you_page,
    important_page,
    newest_delivery_id,
    of_folder,
    of_subscription,
    page_of,
    selection_of,
    starred_page,
)
from reader.ranking import RankCursor
from reader.sidebar import is_ailing
from reader.views.growing import grown, whole
from reader.views.signed_in import SignedInRequest, page

SHOWN = ("unread", "newest")  # how a list may be asked for: unread alone, or read and unread together by date


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
    return _show(request, _List(all_of(request.user), _("All articles"), "home", reverse("read_all")))


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
    is_told = is_ailing(subscription.feed) or not subscription.n_quarter  # of what is well and brings, nothing is said
    report = report_of(subscription, now=timezone.localtime()) if is_told else None
    listed = _List(
        of_subscription(subscription),
        subscription.shown_title,
        "feed",
        reverse("feed_read_all", args=[pk]),
        folder_id=subscription.folder_id,
        open_feed=pk,
        extra={"subscription": subscription, "report": report, "n_unread_in_feed": subscription.unread_count},
    )
    return _show(request, listed)


def _show(request: SignedInRequest, listed: _List) -> HttpResponse:
    newest = newest_delivery_id()  # before the rows: what arrives meanwhile is not marked read unseen
    show = request.GET.get("show", "")
    show = show if show in SHOWN else ""
    only_unread, by_date = show == "unread", show == "newest"
    cursor, now = Cursor.decode(request.GET.get("after", "")), timezone.now()
    if by_date:
        shown = by_date_page(request.user, listed.deliveries, cursor, now=now)
    else:
        shown = page_of(request.user, listed.deliveries, cursor, now=now, only_unread=only_unread)
    context = {
        "page": shown,
        "votes": _votes(request.user, shown.rows),
        "is_first": cursor is None,
        "read_all_url": listed.read_all_url,
        "newest": newest,
        "list_url": f"{request.path}?show={show}" if show else request.path,
        "in_halves": not by_date,
        "heading": _("Newest first"),
        "has_filter": True,
        "show": show,
        "only_unread": only_unread,
    }
    if request.htmx:
        return grown(request, context, continues=by_date or (cursor is not None and cursor.is_read))
    context |= {"title": listed.title, "n_unread_in_feed": None, **listed.extra}
    return whole(
        page(
            request,
            "reader/article_list.html",
            context,
            here=listed.here,
            folder_id=listed.folder_id,
            open_feed=listed.open_feed,
        )
    )


@require_safe
def for_you(request: SignedInRequest) -> HttpResponse:
    """Unread articles, those first whose relevance is highest after what time took of it."""
    return _show_ranked(request, for_you_page, _("For you"), "for_you")


@require_safe
def important(request: SignedInRequest) -> HttpResponse:
    """Unread articles, the most important first."""
    return _show_ranked(request, important_page, _("Important"), "important")


def _show_ranked(request: SignedInRequest, ranked: Callable[..., Page], title: str, here: str) -> HttpResponse:
    cursor = RankCursor.decode(request.GET.get("after", ""))
    shown = ranked(request.user, cursor, now=timezone.now())
    context = {
        "title": title,
        "page": shown,
        "votes": _votes(request.user, shown.rows),
        "is_first": cursor is None,
        "by_relevance": ranked is for_you_page,
        "heading": _("Most relevant first") if ranked is for_you_page else _("Most important first"),
    }
    if request.htmx:
        return grown(request, context, continues=True)
    return whole(page(request, "reader/ranked_list.html", context, here=here))


@require_safe
def starred(request: SignedInRequest) -> HttpResponse:
    """What the user starred, last starred first."""
    cursor = Cursor.decode(request.GET.get("after", ""))
    shown = starred_page(request.user, cursor, now=timezone.now())
    context = {
        "title": _("Starred"),
        "page": shown,
        "votes": _votes(request.user, shown.rows),
        "is_first": cursor is None,
        "heading": _("Last starred first"),
    }
    if request.htmx:
        return grown(request, context, continues=True)
    return whole(page(request, "reader/article_list.html", context, here="starred"))


@require_safe
def selection(request: SignedInRequest, pk: int) -> HttpResponse:
    """The newest of each category in a folder, as many as the folder's limit says."""
    found = folder_of(request.user, pk)
    categories = selection_of(request.user, found, now=timezone.now())
    context = {
        "title": found.name,
        "folder": found,
        "categories": categories,
        "votes": _votes(request.user, [row for __, rows in categories for row in rows]),
    }
    return page(request, "reader/folder_selection.html", context, here="folder", folder_id=pk)


def _votes(user: User, rows: Iterable[Row]) -> dict[int, str]:
    """What the user said of the rows' articles: liked or disliked."""
    return votes_of(user, [row.article.pk for row in rows])
