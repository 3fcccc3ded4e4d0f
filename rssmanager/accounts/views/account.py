"""A user's account: password, email address, other browsers, and deleting it."""

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

from digests.delivery.preferences import save_contact
from digests.delivery.smtp import is_printed
from feeds.tasks.enqueue import call_worker
from reader.preferences.middleware import preferences_in
from reader.views.base import SignedInRequest, page
from rssmanager.accounts.changes import UNDO_PERIOD, can_notify, recorded
from rssmanager.accounts.data_counts import count_data
from rssmanager.accounts.deletion import close, close_permanently, is_only_administrator
from rssmanager.accounts.forms import DeleteForm, EmailForm, NewPasswordForm
from rssmanager.accounts.models import ChangeKind
from rssmanager.accounts.views.confirm import confirmation_required, redirect_to_confirm
from rssmanager.authentication.confirmation import is_confirmed
from rssmanager.authentication.identities import is_connected
from rssmanager.authentication.models import BrowserSession
from rssmanager.authentication.openid import is_set_up
from rssmanager.authentication.second_factor import is_on
from rssmanager.authentication.sessions import browser_of, digest, end_sessions, sessions_of
from rssmanager.authentication.user_agents import describe_browser

MAX_SESSIONS = 50  # shown


@dataclass(frozen=True, slots=True)
class Place:
    """A session as shown on the page."""

    session: BrowserSession
    words: str
    is_here: bool


@sensitive_post_parameters()
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def account(request: SignedInRequest) -> HttpResponse:
    """Three forms; `form` names the posted one: email, password or elsewhere."""
    is_ready = is_confirmed(request, now=timezone.now())
    if request.method == "POST" and not is_ready:
        return redirect_to_confirm(request)
    posted = request.POST.get("form", "")
    given = {name: request.POST if posted == name else None for name in ("email", "password")}
    email = EmailForm(given["email"], initial={"email": request.user.email}, prefix="mail")
    password = NewPasswordForm(request.user, given["password"], prefix="new")
    if posted == "email" and email.is_valid():
        _change_email(request, email.cleaned_data["email"])
        return redirect("account")
    if posted == "password" and password.is_valid():
        _change_password(request, password)
        return redirect("account")
    if posted == "elsewhere":
        _sign_out_elsewhere(request)
        return redirect("account")
    context = {
        "email_form": email,
        "password_form": password,
        "places": _places(request),
        "provider": settings.ENV.OIDC_NAME if is_set_up() else "",
        "is_connected": is_connected(request.user),
        "has_second_factor": is_on(request.user),
        "is_confirmed": is_ready,
        "mail_is_printed": is_printed(),
        "section": "account",
    }
    return page(
        request, "account/account.html", context, here="settings", status=422 if request.method == "POST" else 200
    )


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@confirmation_required()
def account_delete(request: SignedInRequest) -> HttpResponse:
    """Show what is deleted, when, and what stays; POST deletes it."""
    is_only = is_only_administrator(request.user)
    can_return = can_notify(request.user, now=timezone.now())
    form = DeleteForm(request.POST if request.method == "POST" else None, is_only_administrator=is_only)
    if request.method == "POST" and form.is_valid():
        return _delete(request, can_return=can_return)
    context = {
        "form": form,
        "is_only": is_only,
        "n_others": User.objects.filter(is_active=True).exclude(pk=request.user.pk).count() if is_only else 0,
        "kept": count_data(request.user),
        "can_return": can_return,
        "mail_is_printed": is_printed(),
        "section": "account",
    }
    return page(
        request, "account/delete.html", context, here="settings", status=422 if request.method == "POST" else 200
    )


def _delete(request: SignedInRequest, *, can_return: bool) -> HttpResponse:
    """Delete in a week, if we can email a link that restores the account; otherwise immediately."""
    user, now = request.user, timezone.now()
    if can_return:
        with recorded(user, ChangeKind.DELETION, browser=browser_of(request), now=now):
            close(user, due_at=now + UNDO_PERIOD)
    else:
        close_permanently(user, now=now)
    end_sessions(user, except_key=None)
    logout(request)
    if not can_return:
        call_worker("rssmanager.accounts.tasks.remove_account", user.pk)
    due_at = now + UNDO_PERIOD if can_return else None
    return render(request, "account/deleted.html", {"due_at": due_at, "address": user.email})


def _places(request: SignedInRequest) -> list[Place]:
    """The user's sessions, this browser first."""
    here = digest(request.session.session_key or "")
    rows = sessions_of(request.user, now=timezone.now())[:MAX_SESSIONS]
    places = [Place(row, describe_browser(row.agent), is_here=row.session_key == here) for row in rows]
    return sorted(places, key=lambda place: not place.is_here)


def _change_email(request: SignedInRequest, address: str) -> None:
    zone, now = preferences_in(request).time_zone, timezone.now()
    with recorded(request.user, ChangeKind.EMAIL, browser=browser_of(request), now=now):
        was_mailed = save_contact(request.user, email=address, time_zone=zone, now=now)
    messages.success(request, _("Saved. You won't get any more emails.") if was_mailed else _("Saved."))


def _change_password(request: SignedInRequest, form: NewPasswordForm) -> None:
    with recorded(request.user, ChangeKind.PASSWORD, browser=browser_of(request), now=timezone.now()):
        update_session_auth_hash(request, form.save())
        end_sessions(request.user, except_key=request.session.session_key)
    messages.success(request, _("Password changed. Other browsers are signed out."))


def _sign_out_elsewhere(request: SignedInRequest) -> None:
    with recorded(request.user, ChangeKind.SESSIONS, browser=browser_of(request), now=timezone.now()):
        end_sessions(request.user, except_key=request.session.session_key)
    messages.success(request, _("Signed out everywhere else."))
