"""Ending one of the user's other sessions."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from reader.views.base import SignedInRequest
from rssmanager.accounts.changes import recorded
from rssmanager.accounts.models import ChangeKind
from rssmanager.accounts.views.confirm import confirmation_required
from rssmanager.authentication.models import BrowserSession
from rssmanager.authentication.sessions import browser_of


@require_POST
@confirmation_required(back="account")
def session_end(request: SignedInRequest, key: str) -> HttpResponse:
    """Sign out that browser."""
    session = get_object_or_404(BrowserSession, pk=key, user=request.user)
    with recorded(request.user, ChangeKind.SESSIONS, browser=browser_of(request), now=timezone.now()):
        session.delete()
    messages.success(request, _("That browser is signed out."))
    return redirect("account")
