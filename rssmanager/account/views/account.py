"""A person's own account: password, address, other browsers, and leaving."""

from dataclasses import dataclass

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout, update_session_auth_hash
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from digests.delivery.smtp import is_printed
from digests.wishes import settle
from feeds.calling import call_worker
from reader.personal import preferences_in
from reader.views.signed_in import SignedInRequest, page
from rssmanager.account.counting import kept_of
from rssmanager.account.forms import ConfirmForm, DeleteForm, EmailForm, NewPasswordForm
from rssmanager.account.leaving import is_only_administrator, leave
from rssmanager.signing_in.browsers import words_of
from rssmanager.signing_in.identities import is_connected
from rssmanager.signing_in.models import BrowserSession
from rssmanager.signing_in.openid import is_set_up
from rssmanager.signing_in.second_factor import is_on
from rssmanager.signing_in.sessions import digest, end_others, sessions_of

FORMS = ("email", "password", "elsewhere")
MOST_PLACES = 50  # sessions shown


@dataclass(frozen=True, slots=True)
class Place:
    """A session as it is shown."""

    session: BrowserSession
    words: str
    is_here: bool


@sensitive_post_parameters()
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def account(request: SignedInRequest) -> HttpResponse:
    """Three forms; `form` says which was posted: email, password or elsewhere."""
    posted = request.POST.get("form", "") if request.method == "POST" else ""
    given = {name: request.POST if posted == name else None for name in FORMS}
    email = EmailForm(given["email"], initial={"email": request.user.email}, prefix="mail")
    password = NewPasswordForm(request.user, given["password"], prefix="new")
    elsewhere = ConfirmForm(request.user, given["elsewhere"], prefix="sessions")
    if posted == "email" and email.is_valid():
        _reach_at(request, email.cleaned_data["email"])
        return redirect("account")
    if posted == "password" and password.is_valid():
        update_session_auth_hash(request, password.save())
        end_others(request.user, but=request.session.session_key)
        messages.success(request, _("Your password is changed. Other browsers are signed out."))
        return redirect("account")
    if posted == "elsewhere" and elsewhere.is_valid():
        _sign_out_elsewhere(request, elsewhere.cleaned_data["password"])
        return redirect("account")
    context = {
        "email_form": email,
        "password_form": password,
        "elsewhere_form": elsewhere,
        "places": _places(request),
        "provider": settings.ENV.OIDC_NAME if is_set_up() else "",
        "provider_form": ConfirmForm(request.user, prefix="provider"),
        "is_connected": is_connected(request.user),
        "has_second_factor": is_on(request.user),
        "mail_is_printed": is_printed(),
        "section": "account",
    }
    return page(
        request, "account/account.html", context, here="settings", status=422 if request.method == "POST" else 200
    )


@sensitive_post_parameters()
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def account_delete(request: SignedInRequest) -> HttpResponse:
    """Say what goes and what stays; with the password, let it go."""
    is_only = is_only_administrator(request.user)
    posted = request.POST if request.method == "POST" else None
    form = DeleteForm(request.user, posted, is_only_administrator=is_only)
    if request.method == "POST" and form.is_valid():
        user_id = request.user.pk
        leave(request.user, now=timezone.now())
        logout(request)
        call_worker("rssmanager.account.tasks.remove_account", user_id)
        return render(request, "account/gone.html")
    context = {
        "form": form,
        "is_only": is_only,
        "n_others": User.objects.filter(is_active=True).exclude(pk=request.user.pk).count() if is_only else 0,
        "kept": kept_of(request.user),
        "section": "account",
    }
    return page(
        request, "account/delete.html", context, here="settings", status=422 if request.method == "POST" else 200
    )


def _places(request: SignedInRequest) -> list[Place]:
    """Where one is signed in, this browser first."""
    here = digest(request.session.session_key or "")
    rows = sessions_of(request.user, now=timezone.now())[:MOST_PLACES]
    places = [Place(row, words_of(row.agent), is_here=row.session_key == here) for row in rows]
    return sorted(places, key=lambda each: not each.is_here)


def _reach_at(request: SignedInRequest, address: str) -> None:
    zone = preferences_in(request).time_zone
    if settle(request.user, email=address, time_zone=zone, now=timezone.now()):
        messages.success(request, _("Saved. Nothing is sent by mail any more."))
    else:
        messages.success(request, _("Saved."))


def _sign_out_elsewhere(request: SignedInRequest, password: str) -> None:
    """The same password under a new salt, for who has one: every session but this one was for the one before."""
    if request.user.has_usable_password():
        request.user.set_password(password)
        request.user.save(update_fields=["password"])
        update_session_auth_hash(request, request.user)
    end_others(request.user, but=request.session.session_key)
    messages.success(request, _("You are signed out everywhere but here."))
