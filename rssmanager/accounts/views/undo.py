"""The page behind the link in an email about a change. Its token is the only authorization."""

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from digests.schedule.user_language import in_language_of
from reader.preferences.store import time_zone_of
from rssmanager.accounts import changes
from rssmanager.accounts.emails import describe_change, format_time
from rssmanager.accounts.errors import UndoRefused
from rssmanager.accounts.models import AccountChange
from rssmanager.authentication.user_agents import describe_browser


@login_not_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def undo(request: HttpRequest, token: str) -> HttpResponse:
    """Show what would be undone, in the owner's language and time zone. Only POST undoes it: mail scanners GET."""
    now = timezone.now()
    try:
        if request.method == "POST":
            change = changes.undo(token, now=now)
            with in_language_of(change.user_id):
                return render(request, "account/undone.html", {"change": change, "owner": change.user})
        change = changes.find_change(token, now=now)
    except UndoRefused as error:
        context = {"is_used": error.is_used}
        return render(request, "account/undo_refused.html", context, status=410 if error.is_used else 404)
    with in_language_of(change.user_id), timezone.override(time_zone_of(change.user)):
        return render(request, "account/undo.html", _context(change))


def _context(change: AccountChange) -> dict[str, object]:
    later = [row for row in changes.changes_to_undo(change) if row.pk != change.pk and row.before]
    return {
        "change": change,
        "owner": change.user,
        "what": describe_change(change),
        "at": format_time(change.made_at),
        "browser": describe_browser(change.agent) if change.agent else "",
        "can_restore": bool(change.before),
        "later": [(describe_change(row), format_time(row.made_at)) for row in reversed(later)],
    }
