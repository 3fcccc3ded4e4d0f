"""Passwords for reading apps: list, create, revoke, and how to set the apps up."""

from urllib.parse import urljoin

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from reader.errors import LimitReached
from reader.preferences.middleware import preferences_in
from reader.preferences.store import preferences_of
from reader.views.base import SignedInRequest, page
from rssmanager.accounts.changes import recorded
from rssmanager.accounts.forms import AppPasswordForm, AppSettingsForm
from rssmanager.accounts.models import ChangeKind
from rssmanager.accounts.views.confirm import confirmation_required
from rssmanager.authentication import app_passwords as passwords
from rssmanager.authentication.models import AppPassword
from rssmanager.authentication.qr_codes import qr_code
from rssmanager.authentication.sessions import browser_of

# The kind of account to add, as these apps call it.
_APPS = (
    ("NetNewsWire", "FreshRSS"),
    ("Reeder", "FreshRSS"),
    ("Read You", "FreshRSS"),
    ("Capy Reader", "FreshRSS"),
    ("FeedMe", "FreshRSS"),
    ("Fluent Reader", "Google Reader API"),
    ("RSS Guard", "Google Reader API, FreshRSS"),
)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@confirmation_required()
def app_passwords(request: SignedInRequest) -> HttpResponse:
    """The list, and a form for a new one, which the response shows once."""
    form, password = AppPasswordForm(request.POST if request.method == "POST" else None), ""
    mine = AppPassword.objects.filter(user=request.user).order_by("pk")
    if request.method == "POST" and form.is_valid():
        now = timezone.now()
        try:
            with recorded(request.user, ChangeKind.APP_ADDED, browser=browser_of(request), now=now):
                password = passwords.create(request.user, **form.cleaned_data, now=now)
        except LimitReached as error:
            form.add_error(None, str(error))
        else:
            form = AppPasswordForm()
    context = {
        "form": form,
        "settings_form": AppSettingsForm(instance=preferences_in(request)),
        "app_passwords": mine,
        "password": password,
        "picture": qr_code(password) if password else None,
        "google_reader_url": urljoin(settings.BASE_URL, reverse("google_reader")),
        "fever_url": urljoin(settings.BASE_URL, reverse("fever")),
        "apps": _APPS,
        "section": "account",
    }
    status = 422 if request.method == "POST" and not password else 200
    return page(request, "account/app_passwords.html", context, here="settings", status=status)


@require_POST
def app_settings(request: SignedInRequest) -> HttpResponse:
    """Save what the user's apps get."""
    form = AppSettingsForm(request.POST, instance=preferences_of(request.user))
    if form.is_valid():
        form.save()
        messages.success(request, _("Saved."))
    return redirect("app_passwords")


@require_POST
@confirmation_required(back="app_passwords")
def app_password_revoke(request: SignedInRequest, pk: int) -> HttpResponse:
    """Revoke it: its app can't sign in any more."""
    app_password = get_object_or_404(AppPassword, pk=pk, user=request.user)
    with recorded(request.user, ChangeKind.APP_REVOKED, browser=browser_of(request), now=timezone.now()):
        app_password.delete()
    messages.success(request, _("App password revoked."))
    return redirect("app_passwords")
