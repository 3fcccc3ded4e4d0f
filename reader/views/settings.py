"""Settings for reading, and the list of keyboard shortcuts."""

from zoneinfo import available_timezones

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import get_language_from_request, override
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from reader.models import Preferences
from reader.preferences.middleware import preferences_in
from reader.preferences.store import first_installed, zone_named
from reader.views.base import SignedInRequest, page
from reader.views.forms import PreferencesForm


@require_http_methods(["GET", "HEAD", "POST"])
def settings(request: SignedInRequest) -> HttpResponse:
    """The form for appearance and behaviour; the time zone is changed at `time_zone`."""
    saved = preferences_in(request)
    # A copy, because an invalid form changes its object, and the page shows the saved preferences.
    mine = Preferences.objects.filter(pk=request.user.pk).first() or Preferences(user=request.user)
    form = PreferencesForm(request.POST if request.method == "POST" else None, instance=mine)
    if request.method == "POST" and form.is_valid():
        form.save()
        # The next page is in it.
        with override(first_installed([mine.language, get_language_from_request(request)])):
            messages.success(request, _("Saved."))
        return redirect("settings")
    context = {
        "form": form,
        "section": "reading",
        "time_zone": saved.time_zone,
        "zone": zone_named(saved.time_zone).key,
        "zones": sorted(available_timezones()),
    }
    return page(
        request, "reader/settings.html", context, here="settings", status=422 if request.method == "POST" else 200
    )


@require_safe
def keys(request: SignedInRequest) -> HttpResponse:
    """All keyboard shortcuts, without a dialog."""
    return page(request, "reader/keys.html", {"section": "keys"}, here="keys")
