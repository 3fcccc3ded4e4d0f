"""What one reads and when, and forgetting it."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_safe

from feeds.calling import call_worker
from reader.forgetting import forget_history
from reader.habits import habits_of
from reader.models import Engagement
from reader.personal import preferences_in
from reader.preferences import zone_named
from reader.views.signed_in import SignedInRequest, page


@require_safe
def habits(request: SignedInRequest) -> HttpResponse:
    """The last twelve weeks, drawn and in tables."""
    zone = zone_named(preferences_in(request).time_zone)
    shown = habits_of(request.user, now=timezone.now(), zone=zone)
    context = {"shown": shown, "zone": zone.key, "section": "habits"}
    return page(request, "reader/habits.html", context, here="settings")


@require_http_methods(["GET", "HEAD", "POST"])
def habits_forget(request: SignedInRequest) -> HttpResponse:
    """Say what goes, then forget it."""
    if request.method == "POST":
        n = forget_history(request.user, timezone.now())
        call_worker("reader.learning_tasks.rate_for", request.user.pk)
        words = ngettext(
            "Your reading history is forgotten: %(n)d line of the log is gone.",
            "Your reading history is forgotten: %(n)d lines of the log are gone.",
            n,
        )
        messages.success(request, words % {"n": n})
        return redirect("habits")
    n_acts = Engagement.objects.filter(user=request.user, undoes=None).count()
    return page(request, "reader/habits_forget.html", {"n_acts": n_acts, "section": "habits"}, here="settings")
