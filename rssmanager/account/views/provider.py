"""One's account and that at the provider of OpenID Connect: connected, or not any more."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from reader.views.signed_in import SignedInRequest
from rssmanager.account.forms import ConfirmForm
from rssmanager.signing_in.identities import disconnect
from rssmanager.signing_in.views.openid import onward


@sensitive_post_parameters()
@require_POST
def provider_connect(request: SignedInRequest) -> HttpResponse:
    """With the password, on to the provider."""
    form = ConfirmForm(request.user, request.POST, prefix="provider")
    if not form.is_valid():
        messages.error(request, " ".join(str(each) for each in form.errors["password"]))
        return redirect("account")
    return onward(request, goes_to=reverse("account"), connects=request.user.pk)


@require_POST
def provider_disconnect(request: SignedInRequest) -> HttpResponse:
    """Sign in by password alone from now on."""
    if disconnect(request.user):
        messages.success(request, _("Disconnected."))
    else:
        messages.error(request, _("You have no password here, so you could not sign in any more."))
    return redirect("account")
