"""The page that asks for a password, a code or a passkey before a sensitive action, then returns to it."""

from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from reader.views.base import SignedInRequest, safe_next
from rssmanager.authentication import passkeys
from rssmanager.authentication.confirmation import can_confirm, is_confirmed, mark_confirmed
from rssmanager.authentication.errors import PasskeyRefused
from rssmanager.authentication.forms import ConfirmForm
from rssmanager.authentication.models import Passkey

View = Callable[..., HttpResponseBase]


@sensitive_post_parameters()
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def confirm(request: SignedInRequest) -> HttpResponse:
    """Ask, unless the session is confirmed; then continue to `next`."""
    next_url = safe_next(request, reverse("account"))
    if "passkey" in request.POST:
        _confirm_with_passkey(request, request.POST["passkey"])
    is_typed = request.method == "POST" and "passkey" not in request.POST
    form = ConfirmForm(request, request.POST if is_typed else None)
    if is_confirmed(request, now=timezone.now()) or form.is_valid():
        return redirect(next_url)
    context = {
        "form": form,
        "next": next_url,
        "can_confirm": can_confirm(request.user),
        "has_passkey": Passkey.objects.filter(user=request.user).exists(),
    }
    return render(request, "account/confirm.html", context, status=422 if request.method == "POST" else 200)


def _confirm_with_passkey(request: SignedInRequest, answer: str) -> None:
    now = timezone.now()
    try:
        is_theirs = passkeys.check(request, answer, now=now).user == request.user
    except PasskeyRefused:
        is_theirs = False
    if is_theirs:
        mark_confirmed(request, now=now)
    else:
        messages.error(request, passkeys.REFUSED)


def redirect_to_confirm(request: HttpRequest, *, back: str = "") -> HttpResponseRedirect:
    """Redirect to that page, and from there to the page named `back` or, by default, back here."""
    if request.method == "POST":
        messages.info(request, _("Nothing has happened yet. Confirm that it's you, then try again."))
    next_url = reverse(back) if back else request.get_full_path()
    return redirect(f"{reverse('confirm')}?{urlencode({'next': next_url})}")


def confirmation_required(*, back: str = "") -> Callable[[View], View]:
    """Redirect to that page unless the session is confirmed; a POST-only view names where to go `back`."""

    def decorate(view: View) -> View:
        @wraps(view)
        def respond(request: SignedInRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if not is_confirmed(request, now=timezone.now()):
                return redirect_to_confirm(request, back=back)
            return view(request, *args, **kwargs)

        return respond

    return decorate
