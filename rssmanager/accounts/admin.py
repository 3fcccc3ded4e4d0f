"""Users and groups in the admin. An administrator's unlocked screen must not be enough to change them."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group, User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from rssmanager.accounts.changes import recorded
from rssmanager.accounts.models import ChangeKind
from rssmanager.authentication.confirmation import is_confirmed
from rssmanager.authentication.sessions import browser_of, end_sessions


class ConfirmedAdmin(admin.ModelAdmin):
    """Asks for the administrator's password or a code, as the account settings do, before any change."""

    def changeform_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Asks before the form is filled in, so no input is lost."""
        return _confirmation(request) if _is_due(request) else super().changeform_view(request, *args, **kwargs)

    def delete_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return _confirmation(request) if _is_due(request) else super().delete_view(request, *args, **kwargs)

    def changelist_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Only the list's actions need confirmation."""
        if request.method == "POST" and _is_due(request):
            return _confirmation(request)
        return super().changelist_view(request, *args, **kwargs)


admin.site.unregister(User)
admin.site.unregister(Group)


@admin.register(User)
class ConfirmedUserAdmin(ConfirmedAdmin, UserAdmin):
    """Notifies users when an administrator changes their email address or password."""

    def changeform_view(
        self, request: HttpRequest, object_id: str | None = None, *args: Any, **kwargs: Any
    ) -> HttpResponse:
        with _recorded(request, self.get_object(request, object_id or ""), ChangeKind.EMAIL):
            return super().changeform_view(request, object_id, *args, **kwargs)

    def user_change_password(self, request: HttpRequest, id: str, form_url: str = "") -> HttpResponse:
        """Administrators change their own password in the account settings."""
        user = self.get_object(request, id)
        if user == request.user:
            return redirect("account")
        if _is_due(request):
            return _confirmation(request)
        with _recorded(request, user, ChangeKind.PASSWORD):
            return super().user_change_password(request, id, form_url)


@admin.register(Group)
class ConfirmedGroupAdmin(ConfirmedAdmin, GroupAdmin):
    """Groups grant permissions, so they need confirmation too."""


def _confirmation(request: HttpRequest) -> HttpResponse:
    # The admin is loaded in every process, and this page loads the library for passkeys: 10 MB that no worker needs.
    from rssmanager.accounts.views.confirm import redirect_to_confirm

    return redirect_to_confirm(request)


def _is_due(request: HttpRequest) -> bool:
    return not is_confirmed(request, now=timezone.now())


@contextmanager
def _recorded(request: HttpRequest, user: User | None, kind: ChangeKind) -> Iterator[None]:
    """Record what is changed inside and notify the user; a new password also signs them out."""
    if user is None or request.method != "POST":
        yield
        return
    browser = browser_of(request) if user == request.user else None
    before = user.password
    with recorded(user, kind, browser=browser, now=timezone.now()):
        yield
        user.refresh_from_db(fields=["password"])
        if user.password != before:
            end_sessions(user, except_key=None)
