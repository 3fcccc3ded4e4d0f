"""What a person set for themselves: how pages look, how lists behave, by which clock; and the keys there are."""

from zoneinfo import available_timezones

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import override
from django.views.decorators.http import require_http_methods, require_safe

from reader.forms import PreferencesForm
from reader.models import Preferences
from reader.personal import preferences_in
from reader.preferences import language_named, zone_named
from reader.views.signed_in import SignedInRequest, page


@require_http_methods(["GET", "HEAD", "POST"])
def settings(request: SignedInRequest) -> HttpResponse:
    """One form for look and behaviour. The clock is changed at `time_zone`, for digests follow it."""
    kept = preferences_in(request)
    # A copy: a form writes into its object before it is valid, and the page shows what is kept.
    mine = Preferences.objects.filter(pk=request.user.pk).first() or Preferences(user=request.user)
    form = PreferencesForm(request.POST if request.method == "POST" else None, instance=mine)
    if request.method == "POST" and form.is_valid():
        form.save()
        with override(language_named(mine.language)):  # the next page is in it
            messages.success(request, _("Saved."))
        return redirect("settings")
    context = {
        "form": form,
        "section": "reading",
        "time_zone": kept.time_zone,
        "zone": zone_named(kept.time_zone).key,
        "zones": sorted(available_timezones()),
    }
    return page(
        request, "reader/settings.html", context, here="settings", status=422 if request.method == "POST" else 200
    )


@require_safe
def keys(request: SignedInRequest) -> HttpResponse:
    """Every key and what it does, for those whose browser opens no dialog."""
    return page(request, "reader/keys.html", {"section": "keys"}, here="keys")
