"""Signing in by passkey, for which `static/js/passkeys.js` asks the browser."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, resolve_url
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from reader.views.base import safe_next
from rssmanager.authentication import passkeys
from rssmanager.authentication.errors import PasskeyRefused
from rssmanager.authentication.sign_in import sign_in_verified


@login_not_required
@never_cache
@require_POST
def passkey_options(request: HttpRequest) -> HttpResponse:
    """The challenge for any passkey, as JSON."""
    return JsonResponse(passkeys.request_options(request))


@login_not_required
@sensitive_post_parameters()
@never_cache
@require_POST
def passkey_sign_in(request: HttpRequest) -> HttpResponse:
    """Sign in the user of the passkey; it needs no password before and no code after it."""
    next_url = safe_next(request, resolve_url(settings.LOGIN_REDIRECT_URL))
    try:
        passkey = passkeys.check(request, request.POST.get("passkey", ""), now=timezone.now())
    except PasskeyRefused:
        messages.error(request, passkeys.REFUSED)
        return redirect("login")
    return sign_in_verified(request, passkey.user, next_url=next_url)
