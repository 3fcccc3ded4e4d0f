"""Reading statistics, and clearing the reading history."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_safe

from feeds.tasks.enqueue import call_worker
from reader.interests.clear_history import clear_history
from reader.interests.stats import load_stats
from reader.models import Engagement
from reader.preferences.middleware import preferences_in
from reader.preferences.store import zone_named
from reader.views.base import SignedInRequest, page


@require_safe
def habits(request: SignedInRequest) -> HttpResponse:
    """The last twelve weeks, as charts and tables."""
    zone = zone_named(preferences_in(request).time_zone)
    shown = load_stats(request.user, now=timezone.now(), zone=zone)
    context = {"shown": shown, "zone": zone.key, "section": "habits"}
    return page(request, "reader/habits.html", context, here="settings")


@require_http_methods(["GET", "HEAD", "POST"])
def habits_forget(request: SignedInRequest) -> HttpResponse:
    """Confirm, then clear the reading history."""
    if request.method == "POST":
        n = clear_history(request.user, timezone.now())
        call_worker("reader.tasks.learning.rate")
        words = ngettext(
            "Deleted your reading history: %(n)d entry.",
            "Deleted your reading history: %(n)d entries.",
            n,
        )
        messages.success(request, words % {"n": n})
        return redirect("habits")
    n_acts = Engagement.objects.filter(user=request.user, undoes=None).count()
    return page(request, "reader/habits_forget.html", {"n_acts": n_acts, "section": "habits"}, here="settings")
