"""The front page: what matters today, made by a worker and made anew while people look at it."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from digests.access import front_pages, today_of
from digests.keeping import edition_of
from digests.renewing import FrontPage, ask, is_made, look
from digests.showing import shown_to
from reader.models import Subscription
from reader.preferences import time_zone_of
from reader.views.signed_in import SignedInRequest, page, whole_number


@require_safe
def today(request: SignedInRequest) -> HttpResponse:
    """The live digest as it was made last, how old it is, and whether a newer one is on its way.

    `?topic=3` lists all related articles of the third topic.
    """
    if request.headers.get("X-Fragment") == "state":
        return _state(request)
    now = timezone.now()
    zone = time_zone_of(request.user)
    digest = today_of(request.user)
    if (digest is None or not is_made(digest)) and not Subscription.objects.filter(user=request.user).exists():
        return page(request, "digests/today_empty.html", {}, here="today")
    state = look(request.user, digest, zone=zone, now=now)
    context: dict[str, object] = {"state": state, "is_late": state.is_late(now)}
    with timezone.override(zone):
        if digest is None or not is_made(digest):
            return page(request, "digests/today_waiting.html", context, here="today")
        context["shown"] = shown_to(request.user, edition_of(digest), whole=whole_number(request.GET.get("topic", "")))
        return page(request, "digests/today.html", context, here="today")


def _state(request: SignedInRequest) -> HttpResponse:
    """The line that says how old the page is, for the script that asks again. Asking is no looking: nothing is due."""
    now = timezone.now()
    digest = front_pages(request.user).first()
    made_at = digest.made_at if digest is not None and is_made(digest) else None
    state = FrontPage(made_at, digest.asked_at if digest is not None else None)
    context = {"state": state, "is_late": state.is_late(now), "now": now}
    return render(request, "digests/_today_state.html", context)


@require_POST
def today_refresh(request: SignedInRequest) -> HttpResponse:
    """Have the front page made anew, however young it is."""
    state = ask(request.user, front_pages(request.user).first(), zone=time_zone_of(request.user), now=timezone.now())
    if state.asked_at is None:
        messages.warning(request, _("The task queue does not answer, so nobody could be asked. Try again in a minute."))
    return redirect("today")
