"""Article lists: all, folder, feed, starred, selection, For you and Important."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from feeds.models import Condition
from reader.access import folder_of, subscription_of
from reader.articles.actions import votes_of
from reader.lists.queries import (
    Cursor,
    Page,
    Row,
    all_of,
    by_date_page,
    by_importance_page,
    for_you_page,
    important_page,
    newest_delivery_id,
    of_folder,
    of_subscription,
    page_of,
    selection_of,
    starred_page,
)
from reader.lists.sidebar import needs_attention, sidebar_of
from reader.models import Delivery, ListOrder
from reader.preferences.list_views import ListView
from reader.scoring.ranked_order import RankCursor
from reader.scoring.reasons import reasons_of
from reader.subscriptions.feed_list import report_of
from reader.views.base import SignedInRequest, more_rows, page, vary_on_htmx, whole_number
from reader.views.list_views import shown_view, view_menu


@dataclass(frozen=True, slots=True)
class _List:
    """A list: its deliveries, title, and the URL that marks it as read."""

    deliveries: QuerySet[Delivery]
    title: str
    here: str
    read_all_url: str
    folder_id: int | None = None
    open_feed: int | None = None
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Its name in `reader.preferences.list_views`."""
        pk = self.open_feed or self.folder_id
        return f"{self.here}.{pk}" if pk else self.here


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
    """A feed, with its state if it needs attention."""
    subscription = subscription_of(request.user, pk)
    has_report = (
        needs_attention(subscription.feed)
        or subscription.feed.waits_for_host
        or subscription.feed.condition == Condition.SILENT
        or not subscription.n_quarter
        or subscription.feed.overrun_at is not None
    )
    report = report_of(subscription, now=timezone.localtime()) if has_report else None
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
    newest = newest_delivery_id()  # before the rows, so that later articles aren't marked as read
    after, now = request.GET.get("after", ""), timezone.now()
    view = shown_view(request, listed.name)
    show = request.GET.get("show", "") if request.GET.get("show") in ("unread", "all", "newest") else ""
    cursor = None if view.order == ListOrder.IMPORTANT else Cursor.decode(after)
    shown = _page_in_order(request.user, listed, view, after, now)
    in_halves = view.order == ListOrder.UNREAD
    is_ranked = view.order == ListOrder.IMPORTANT
    context = view_menu(view, request.path) | {
        "page": shown,
        "votes": _votes(request.user, shown.rows),
        "is_first": not after if is_ranked else cursor is None,
        "mark_all_url": listed.read_all_url,
        "read_all_url": "" if is_ranked else listed.read_all_url,  # above and below mean dates
        "newest": newest,
        "list_url": f"{request.path}?show={show}" if show else request.path,
        "in_halves": in_halves,
        "heading": ListOrder(view.order).label,
        "has_filter": True,
        "show": show,
        "only_unread": view.only_unread,
    }
    if request.htmx:
        return more_rows(request, context, continues=not in_halves or (cursor is not None and cursor.is_read))
    context |= {"title": listed.title, "n_unread_in_feed": None, **listed.extra}
    return vary_on_htmx(
        page(
            request,
            "reader/article_list.html",
            context,
            here=listed.here,
            folder_id=listed.folder_id,
            open_feed=listed.open_feed,
        )
    )


def _page_in_order(user: User, listed: _List, view: ListView, after: str, now: datetime) -> Page:
    cursor = Cursor.decode(after)
    match view.order:
        case ListOrder.IMPORTANT if listed.here == "home":
            return important_page(user, RankCursor.decode(after), now=now)
        case ListOrder.IMPORTANT:
            return by_importance_page(user, listed.deliveries, after, now=now)
        case ListOrder.UNREAD:
            return page_of(user, listed.deliveries, cursor, now=now, only_unread=view.only_unread)
    oldest_first = view.order == ListOrder.OLDEST
    return by_date_page(
        user, listed.deliveries, cursor, now=now, oldest_first=oldest_first, only_unread=view.only_unread
    )


@require_safe
def for_you(request: SignedInRequest) -> HttpResponse:
    """Unread articles, highest time-adjusted relevance first."""
    return _show_ranked(request, for_you_page, _("For you"), "for_you")


@require_safe
def important(request: SignedInRequest) -> HttpResponse:
    """Unread articles, the most important first."""
    return _show_ranked(request, important_page, _("Important"), "important")


def _show_ranked(request: SignedInRequest, ranked: Callable[..., Page], title: str, here: str) -> HttpResponse:
    newest = newest_delivery_id()  # before the rows, as in `_show`
    cursor = RankCursor.decode(request.GET.get("after", ""))
    shown = ranked(request.user, cursor, now=timezone.now())
    heading = _("Most relevant first") if ranked is for_you_page else _("Most important first")
    context = view_menu(shown_view(request, here), request.path) | {
        "title": title,
        "page": shown,
        "votes": _votes(request.user, shown.rows),
        "is_first": cursor is None,
        "by_relevance": ranked is for_you_page,
        "reasons": reasons_of(request.user, _relevances(shown.rows)) if ranked is for_you_page else {},
        "mark_all_url": reverse("read_all"),
        "list_url": request.path,
        "newest": newest,
        "heading": heading,
        "only_order": heading,
    }
    if request.htmx:
        return more_rows(request, context, continues=True)
    return vary_on_htmx(page(request, "reader/ranked_list.html", context, here=here))


def _relevances(rows: Sequence[Row]) -> dict[int, float]:
    return {row.article.pk: row.rating.parts.relevance for row in rows if row.rating}


@require_safe
def starred(request: SignedInRequest) -> HttpResponse:
    """Starred articles, read or not."""
    view, cursor = shown_view(request, "starred"), Cursor.decode(request.GET.get("after", ""))
    shown = starred_page(request.user, cursor, now=timezone.now(), order=view.order)
    context = view_menu(view, request.path) | {
        "title": _("Starred"),
        "page": shown,
        "votes": _votes(request.user, shown.rows),
        "is_first": cursor is None,
        "heading": ListOrder(view.order).label,
        "has_highlights": True,
    }
    if request.htmx:
        return more_rows(request, context, continues=True)
    return vary_on_htmx(page(request, "reader/article_list.html", context, here="starred"))


@require_safe
def selection(request: SignedInRequest, pk: int) -> HttpResponse:
    """The newest articles of each category in a folder, up to the folder's limit."""
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
    """The user's votes by article: liked or disliked."""
    return votes_of(user, [row.article.pk for row in rows])


@require_safe
@never_cache
def counts(request: SignedInRequest) -> HttpResponse:
    """The unread counts of the sidebar and of the open `folder` or `feed`, for a page that was open for a while."""
    folder_id, feed_id = (whole_number(request.GET.get(name, "")) for name in ("folder", "feed"))
    subscription = subscription_of(request.user, feed_id) if feed_id is not None else None
    sidebar = sidebar_of(request.user, here="", folder_id=folder_id, open_feed=feed_id)
    n_unread = subscription.unread_count if subscription else sidebar.n_unread_here
    return render(request, "reader/_counts.html", {"sidebar": sidebar, "n_unread": n_unread})
