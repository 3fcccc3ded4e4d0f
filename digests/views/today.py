"""The front page: what matters today, made by a worker and refreshed while it is open."""

from collections.abc import Collection
from datetime import datetime

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from digests.access import front_pages, today_of
from digests.models.edition_store import edition_of
from digests.today.articles import FEW_TOPICS, N_LATEST
from digests.today.refresh import FrontPage, is_ready, open_front_page, request_refresh
from digests.views.edition_context import shown_to
from reader.articles.actions import votes_of
from reader.lists.queries import all_of, by_date_page
from reader.models import Subscription
from reader.preferences.store import time_zone_of
from reader.views.base import SignedInRequest, page, whole_number


@require_safe
def today(request: SignedInRequest) -> HttpResponse:
    """The latest front page, its age, and whether a newer one is being made.

    `?topic=3` lists all related articles of the third topic.
    """
    if request.headers.get("X-Fragment") == "state":
        return _state(request)
    now = timezone.now()
    zone = time_zone_of(request.user)
    digest = today_of(request.user)
    if (digest is None or not is_ready(digest)) and not Subscription.objects.filter(user=request.user).exists():
        return page(request, "digests/today_empty.html", {}, here="today")
    state = open_front_page(request.user, digest, zone=zone, now=now)
    context: dict[str, object] = {"state": state, "is_late": state.is_late(now)}
    with timezone.override(zone):
        if digest is None or not is_ready(digest):
            context |= _latest(request.user, frozenset(), now)
            return page(request, "digests/today_waiting.html", context, here="today")
        shown = shown_to(request.user, edition_of(digest), whole=whole_number(request.GET.get("topic", "")))
        context["shown"] = shown
        if shown.n_topics < FEW_TOPICS:
            context |= _latest(request.user, shown.article_ids, now)
        return page(request, "digests/today.html", context, here="today")


def _latest(user: User, listed: Collection[int], now: datetime) -> dict[str, object]:
    """The newest articles, without those that are listed already, for a day with little news or a new user."""
    newest = by_date_page(user, all_of(user), None, now=now, size=N_LATEST + len(listed)).rows
    rows = [row for row in newest if row.article.pk not in listed][:N_LATEST]
    return {"latest": rows, "votes": votes_of(user, [row.article.pk for row in rows]) if rows else {}}


def _state(request: SignedInRequest) -> HttpResponse:
    """The line with the page's age, polled by the script; doesn't count as opening the page."""
    now = timezone.now()
    digest = front_pages(request.user).first()
    made_at = digest.made_at if digest is not None and is_ready(digest) else None
    state = FrontPage(made_at, digest.requested_at if digest is not None else None)
    context = {"state": state, "is_late": state.is_late(now), "now": now}
    return render(request, "digests/_today_state.html", context)


@require_POST
def today_refresh(request: SignedInRequest) -> HttpResponse:
    """Request a new front page."""
    state = request_refresh(
        request.user, front_pages(request.user).first(), zone=time_zone_of(request.user), now=timezone.now()
    )
    if state.requested_at is None:
        messages.warning(request, _("The task queue isn't responding. Try again in a minute."))
    return redirect("today")
