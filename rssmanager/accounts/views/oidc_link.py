"""Connecting and disconnecting the user's account at the OpenID Connect provider."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from reader.views.base import SignedInRequest
from rssmanager.accounts.changes import recorded
from rssmanager.accounts.models import ChangeKind
from rssmanager.accounts.views.confirm import confirmation_required
from rssmanager.authentication.identities import disconnect
from rssmanager.authentication.sessions import browser_of
from rssmanager.authentication.views.openid import redirect_to_provider


@require_POST
@confirmation_required(back="account")
def provider_connect(request: SignedInRequest) -> HttpResponse:
    """Go to the provider and connect the account it returns."""
    return redirect_to_provider(request, next_url=reverse("account"), connects=request.user.pk)


@require_POST
@confirmation_required(back="account")
def provider_disconnect(request: SignedInRequest) -> HttpResponse:
    """Stop the provider from signing the user in."""
    with recorded(request.user, ChangeKind.DISCONNECTED, browser=browser_of(request), now=timezone.now()):
        is_disconnected = disconnect(request.user)
    if is_disconnected:
        messages.success(request, _("Disconnected."))
    else:
        messages.error(request, _("You have no password here, so you could no longer sign in."))
    return redirect("account")
