"""Marking read a list or a part of it, and taking that back."""

from datetime import datetime

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from reader.access import article_of, folder_of, subscription_of, sweep_of
from reader.models import Delivery
from reader.queries import all_of, of_folder, of_subscription
from reader.sweeping import Reach, sweep, undo_sweep, within
from reader.views.signed_in import SignedInRequest, safe_next, whole_number


@require_POST
def read_all(request: SignedInRequest) -> HttpResponse:
    """Mark read everything that was there when the page was made, or a part of it."""
    return _read_all(request, all_of(request.user, with_folded=True), reverse("home"))


@require_POST
def folder_read_all(request: SignedInRequest, pk: int) -> HttpResponse:
    inside = of_folder(request.user, folder_of(request.user, pk), with_folded=True)
    return _read_all(request, inside, reverse("folder", args=[pk]))


@require_POST
def feed_read_all(request: SignedInRequest, pk: int) -> HttpResponse:
    return _read_all(request, of_subscription(subscription_of(request.user, pk)), reverse("feed", args=[pk]))


@require_POST
def sweep_undo(request: SignedInRequest, pk: int) -> HttpResponse:
    """Take back what one press marked read."""
    n_articles = undo_sweep(request.user, sweep_of(request.user, pk), now=timezone.now())
    if n_articles is None:
        messages.info(request, _("That cannot be taken back any more, or was already."))
    else:
        told = ngettext("%(n)s article unread again.", "%(n)s articles unread again.", n_articles)
        messages.info(request, told % {"n": number_format(n_articles, force_grouping=True)})
    return redirect(safe_next(request, reverse("home")))


def _read_all(request: SignedInRequest, deliveries: QuerySet[Delivery], back: str) -> HttpResponse:
    """`up_to` is the newest delivery the page can have shown; `which` a `Reach`, `at` the row where it begins."""
    up_to, row_id = whole_number(_sent(request, "up_to")), whole_number(_sent(request, "at"))
    which = _sent(request, "which") or Reach.ALL
    if up_to is None:
        return HttpResponseBadRequest("up_to must be a number")
    if which not in list(Reach) or (which in (Reach.ABOVE, Reach.BELOW) and row_id is None):
        return HttpResponseBadRequest("which must be all, day, week or month; or above or below, with at")
    now = timezone.now()
    row = article_of(request.user, row_id) if row_id is not None else None
    sweep_and_tell(request, deliveries.filter(within(Reach(which), row, now=now)), up_to=up_to, now=now)
    to = safe_next(request, back)
    return redirect(f"{to}#a{row.pk}" if row is not None and "#" not in to else to)


def sweep_and_tell(request: SignedInRequest, deliveries: QuerySet[Delivery], *, up_to: int, now: datetime) -> None:
    """Mark read what `deliveries` holds unread up to `up_to`, and leave a message with the way back."""
    made = sweep(request.user, deliveries, up_to=up_to, now=now)
    if made is None:
        messages.info(request, _("Nothing there was unread."))
    else:
        undo = reverse("sweep_undo", args=[made.pk])
        told = ngettext("%(n)s article marked as read.", "%(n)s articles marked as read.", made.n_articles)
        n = number_format(made.n_articles, force_grouping=True)
        messages.success(request, told % {"n": n}, extra_tags=undo)


def _sent(request: SignedInRequest, name: str) -> str:
    """From the form, or from the address that a button of a row posts to."""
    return request.POST.get(name) or request.GET.get(name) or ""
