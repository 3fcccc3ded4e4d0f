"""Users of this installation, under Settings: for staff, with the permissions of the admin."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_safe

from digests.delivery.enqueue import queue_about_account
from digests.delivery.preferences import change_email
from digests.delivery.sending import send_one
from digests.delivery.smtp import is_printed
from digests.models import MailingKind
from feeds.tasks.enqueue import call_worker
from reader.views.base import SignedInRequest, page
from rssmanager.accounts import users as accounts
from rssmanager.accounts.changes import can_notify, recorded
from rssmanager.accounts.data_counts import count_data
from rssmanager.accounts.errors import ActionRefused
from rssmanager.accounts.forms import EmailForm, NewPasswordForm, NewUserForm
from rssmanager.accounts.models import ChangeKind
from rssmanager.accounts.users import UserRow, may_change, row_of, with_figures
from rssmanager.accounts.views.confirm import confirmation_required, redirect_to_confirm
from rssmanager.authentication import throttling
from rssmanager.authentication.confirmation import is_confirmed
from rssmanager.authentication.sessions import end_sessions

PER_PAGE = 100
View = Callable[..., HttpResponseBase]


def _staff_only(*permissions: str) -> Callable[[View], View]:
    """Refuse everyone else with a 403, before anything is asked or looked up."""

    def decorate(view: View) -> View:
        @wraps(view)
        def respond(request: SignedInRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if not (request.user.is_staff and request.user.has_perms(permissions)):
                raise PermissionDenied
            return view(request, *args, **kwargs)

        return respond

    return decorate


@_staff_only("auth.view_user")
@require_safe
def users(request: SignedInRequest) -> HttpResponse:
    """Everyone with an account, by name."""
    everyone = with_figures(User.objects.order_by("username"), now=timezone.now())
    shown = Paginator(everyone, PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "rows": [row_of(user) for user in shown],
        "shown": shown,
        "may_add": _may_add(request),
        "section": "users",
    }
    return page(request, "account/users.html", context, here="settings")


@sensitive_post_parameters()
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@_staff_only("auth.add_user", "auth.change_user")
@confirmation_required()
def user_new(request: SignedInRequest) -> HttpResponse:
    """Add a user, who is emailed a link to choose a password if none is given."""
    given = request.POST if request.method == "POST" else None
    form = NewUserForm(given, can_invite=not is_printed(), can_promote=request.user.is_superuser)
    if request.method == "POST" and form.is_valid():
        user = form.save()
        if user.has_usable_password():
            messages.success(request, _("Added %(name)s.") % {"name": user})
        else:
            _send_link(request, user)
        return redirect("users")
    context = {"form": form, "can_invite": not is_printed(), "section": "users"}
    return page(
        request, "account/user_new.html", context, here="settings", status=422 if request.method == "POST" else 200
    )


@sensitive_post_parameters()
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@_staff_only("auth.view_user")
def user(request: SignedInRequest, pk: int) -> HttpResponse:
    """A user; `act` names the posted form."""
    now = timezone.now()
    row = row_of(get_object_or_404(with_figures(User.objects.all(), now=now), pk=pk))
    act = request.POST.get("act", "")
    if request.method == "POST":
        if not _may_change(request, row):
            raise PermissionDenied
        if not is_confirmed(request, now=now):
            return redirect_to_confirm(request)
        if _apply(request, row, act):
            return redirect("user", row.user.pk)
    email = EmailForm(request.POST if act == "email" else None, initial={"email": row.user.email}, prefix="mail")
    password = NewPasswordForm(row.user, request.POST if act == "password" else None, prefix="new")
    if act == "email" and email.is_valid():
        with recorded(row.user, ChangeKind.EMAIL, browser=None, now=now):
            change_email(row.user, email.cleaned_data["email"])
        messages.success(request, _("Saved."))
        return redirect("user", row.user.pk)
    if act == "password" and password.is_valid():
        with recorded(row.user, ChangeKind.PASSWORD, browser=None, now=now):
            password.save()
            end_sessions(row.user, except_key=None)
        messages.success(request, _("Password changed. %(name)s is signed out of all browsers.") % {"name": row.user})
        return redirect("user", row.user.pk)
    context = {
        "row": row,
        "email_form": email,
        "password_form": password,
        "may_change": _may_change(request, row),
        "may_delete": request.user.has_perm("auth.delete_user"),
        "is_confirmed": is_confirmed(request, now=now),
        "can_send_link": _can_send_link(row),
        "mail_is_printed": is_printed(),
        "section": "users",
    }
    return page(request, "account/user.html", context, here="settings", status=422 if request.method == "POST" else 200)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@_staff_only("auth.view_user", "auth.delete_user")
@confirmation_required()
def user_delete(request: SignedInRequest, pk: int) -> HttpResponse:
    """Show what is deleted, and when; POST deletes it."""
    now = timezone.now()
    user = get_object_or_404(User, pk=pk)
    if not may_change(request.user, user):
        raise PermissionDenied
    if request.method == "POST":
        try:
            can_return = accounts.delete(user, now=now)
        except ActionRefused as error:
            messages.error(request, str(error))
            return redirect("user", user.pk)
        if not can_return:
            call_worker("rssmanager.accounts.tasks.remove_account", user.pk)
        messages.success(request, _("Deleted %(name)s.") % {"name": user})
        return redirect("users")
    context = {
        "owner": user,
        "kept": count_data(user),
        "can_return": user.is_active and can_notify(user, now=now),
        "section": "users",
    }
    return page(request, "account/user_delete.html", context, here="settings")


def _may_add(request: SignedInRequest) -> bool:
    return request.user.has_perms(("auth.add_user", "auth.change_user"))


def _may_change(request: SignedInRequest, row: UserRow) -> bool:
    return request.user.has_perm("auth.change_user") and may_change(request.user, row.user)


def _can_send_link(row: UserRow) -> bool:
    """Whether a link to choose a password reaches the user; those who sign in at a provider need none."""
    needs_one = row.user.has_usable_password() or not row.is_connected
    return bool(not is_printed() and row.user.email and row.user.is_active and needs_one)


def _apply(request: SignedInRequest, row: UserRow, act: str) -> bool:
    """Apply an action that needs no input, and say what happened; False for any other."""
    name = {"name": row.user}
    try:
        if act == "link" and _can_send_link(row):
            _send_link(request, row.user)
        elif act in ("promote", "demote") and request.user.is_superuser:
            accounts.set_administrator(row.user, is_administrator=act == "promote")
            done = (
                _("%(name)s is an administrator now.") if act == "promote" else _("%(name)s is an ordinary user now.")
            )
            messages.success(request, done % name)
        elif act == "deactivate":
            accounts.deactivate(row.user)
            messages.success(request, _("%(name)s can't sign in anymore.") % name)
        elif act == "activate":
            accounts.activate(row.user, now=timezone.now())
            messages.success(request, _("%(name)s can sign in again.") % name)
        else:
            return False
    except ActionRefused as error:
        messages.error(request, str(error))
    return True


def _send_link(request: SignedInRequest, user: User) -> None:
    """Email the user a link to choose a password."""
    if not throttling.allow(throttling.Count(throttling.FORGOTTEN, str(user.pk)), now=timezone.now()):
        messages.error(request, _("%(name)s was sent several links already. Try again in an hour.") % {"name": user})
        return
    mailing = queue_about_account(user, MailingKind.INVITATION, user.email, now=timezone.now())
    if not call_worker("digests.tasks.mail.send"):
        send_one(mailing)  # the queue is unavailable, and the link is needed now
    sent = _("A link to choose a password is on its way to %(address)s.")
    messages.success(request, sent % {"address": user.email})
