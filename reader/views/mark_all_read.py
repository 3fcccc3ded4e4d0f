"""Mark a list, or a part of it, as read; undo it."""

from datetime import datetime

from django.contrib import messages
from django.db.models import Q, QuerySet
from django.http import HttpResponse, HttpResponseBadRequest, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from feeds.wording import format_number
from reader.access import article_of, bulk_read_of, folder_of, subscription_of
from reader.lists.mark_all_read import Reach, mark_list_read, undo_bulk_read, within
from reader.lists.queries import NO, all_of, newest_delivery_id, of_folder, of_subscription, place_of
from reader.models import Delivery, ListOrder, Quiet
from reader.views.base import SignedInRequest, safe_next, whole_number


@require_POST
def read_all(request: SignedInRequest) -> HttpResponse:
    """Mark as read everything that was there when the page was loaded, or a part of it."""
    return _read_all(request, all_of(request.user, with_folded=True), reverse("home"), shown=Q(is_folded=NO))


@require_POST
def folder_read_all(request: SignedInRequest, pk: int) -> HttpResponse:
    inside = of_folder(request.user, folder_of(request.user, pk), with_folded=True)
    return _read_all(request, inside, reverse("folder", args=[pk]), shown=Q(is_folded_in_folder=NO))


@require_POST
def feed_read_all(request: SignedInRequest, pk: int) -> HttpResponse:
    deliveries = of_subscription(subscription_of(request.user, pk))
    return _read_all(request, deliveries, reverse("feed", args=[pk]), shown=Q(quiet=Quiet.NOT))


@require_POST
def bulk_read_undo(request: SignedInRequest, pk: int) -> HttpResponse:
    """Undo marking a list as read."""
    bulk_read = bulk_read_of(request.user, pk)
    n_articles = undo_bulk_read(request.user, bulk_read, now=timezone.now())
    if request.headers.get("X-Quiet"):
        return HttpResponse(status=204)
    if n_articles is None:
        messages.info(request, _("This can no longer be undone."))
    else:
        n_articles = min(n_articles, bulk_read.n_articles)  # without those folded under others
        text = ngettext("%(n)s article unread again.", "%(n)s articles unread again.", n_articles)
        messages.info(request, text % {"n": format_number(n_articles)})
    return redirect(safe_next(request, reverse("home")))


def _read_all(request: SignedInRequest, deliveries: QuerySet[Delivery], back: str, *, shown: Q) -> HttpResponse:
    """`up_to` is the newest delivery when the page was loaded, `which` a `Reach`, `at` the row it is relative to
    in the list's `order`."""
    up_to, row_id = whole_number(_parameter(request, "up_to")), whole_number(_parameter(request, "at"))
    if up_to is None and request.headers.get("X-Quiet"):  # the sidebar shows no articles: all that there are now
        bulk_read = mark_list_read(
            request.user, deliveries, up_to=newest_delivery_id(), now=timezone.now(), shown=shown
        )
        return JsonResponse({"undo": reverse("sweep_undo", args=[bulk_read.pk]) if bulk_read else ""})
    which = _parameter(request, "which") or Reach.ALL
    if up_to is None:
        return HttpResponseBadRequest("up_to must be a number")
    if which not in list(Reach) or (which in (Reach.ABOVE, Reach.BELOW) and row_id is None):
        return HttpResponseBadRequest("which must be all, day, week or month; or above or below, with at")
    now = timezone.now()
    row = article_of(request.user, row_id) if row_id is not None else None
    oldest_first = _parameter(request, "order") == ListOrder.OLDEST
    at = place_of(deliveries, row) if row is not None else None
    reached = deliveries.filter(within(Reach(which), row, now=now, at=at, oldest_first=oldest_first))
    mark_list_read_with_undo(request, reached, up_to=up_to, now=now, shown=shown)
    to = safe_next(request, back)
    return redirect(f"{to}#a{row.pk}" if row is not None and "#" not in to else to)


def mark_list_read_with_undo(
    request: SignedInRequest, deliveries: QuerySet[Delivery], *, up_to: int, now: datetime, shown: Q | None = None
) -> None:
    """Mark these deliveries as read up to the id `up_to`, with a message that offers undo."""
    bulk_read = mark_list_read(request.user, deliveries, up_to=up_to, now=now, shown=shown or Q())
    if bulk_read is None:
        messages.info(request, _("Everything here is already read."))
    else:
        undo = reverse("sweep_undo", args=[bulk_read.pk])
        text = ngettext("%(n)s article marked as read.", "%(n)s articles marked as read.", bulk_read.n_articles)
        n = format_number(bulk_read.n_articles)
        messages.success(request, text % {"n": n}, extra_tags=undo)


def _parameter(request: SignedInRequest, name: str) -> str:
    """From the form, or from the URL a row's button posts to."""
    return request.POST.get(name) or request.GET.get(name) or ""
