"""A user's passkeys, authenticator app and recovery codes: add, replace, remove."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.contrib import messages
from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from reader.views.base import SignedInRequest, page, whole_number
from rssmanager.accounts.changes import recorded
from rssmanager.accounts.forms import PasskeyForm
from rssmanager.accounts.models import ChangeKind
from rssmanager.accounts.views.confirm import confirmation_required
from rssmanager.authentication import passkeys, second_factor
from rssmanager.authentication.errors import PasskeyRefused
from rssmanager.authentication.forms import CodeForm
from rssmanager.authentication.models import Passkey
from rssmanager.authentication.qr_codes import qr_code
from rssmanager.authentication.sessions import browser_of, end_sessions
from rssmanager.authentication.user_agents import describe_browser


@sensitive_post_parameters()
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@confirmation_required()
def second_factor_settings(request: SignedInRequest) -> HttpResponse:
    """The settings page; `act` names the posted form."""
    act = request.POST.get("act", "")
    code = CodeForm(request.POST if act == "confirm" else None)
    passkey = PasskeyForm(
        request.POST if act == "passkey" else None, initial={"name": describe_browser(browser_of(request).agent)}
    )
    if act == "confirm" and code.is_valid():
        with _recorded(request, ChangeKind.FACTOR_ON) as codes:
            is_right = second_factor.confirm(request.user, code.cleaned_data["code"], now=timezone.now())
        if is_right:
            return _respond(request, codes, _("Authenticator app set up."))
        code.add_error("code", _("This code doesn't match. Check that your phone's clock is right."))
    elif act == "passkey" and passkey.is_valid():
        return _add_passkey(request, passkey)
    elif act in ("begin", "off", "remove"):
        _apply(request, act)
        return redirect("second_factor_settings")
    elif act == "codes" and second_factor.is_on(request.user):
        with _recorded(request, ChangeKind.CODES):
            new = second_factor.new_recovery_codes(request.user)
        return _respond(request, new, "")
    return _page(request, code, passkey)


@never_cache
@require_POST
@confirmation_required()
def passkey_creation_options(request: SignedInRequest) -> HttpResponse:
    """The challenge for a new passkey, as JSON."""
    return JsonResponse(passkeys.creation_options(request, request.user))


def _apply(request: SignedInRequest, act: str) -> None:
    """Apply an action that needs no input."""
    user = request.user
    if act == "begin" and not second_factor.has_app(user):
        second_factor.start_setup(user)
    elif act == "off":
        with _recorded(request, ChangeKind.FACTOR_OFF):
            second_factor.remove_app(user)
        messages.success(request, _("Authenticator app removed."))
    elif act == "remove":
        with _recorded(request, ChangeKind.PASSKEY_REMOVED):
            second_factor.remove_passkey(user, whole_number(request.POST.get("passkey", "")) or 0)
        messages.success(request, _("Passkey removed."))


def _add_passkey(request: SignedInRequest, form: PasskeyForm) -> HttpResponse:
    answer, name = form.cleaned_data["passkey"], form.cleaned_data["name"]
    try:
        with _recorded(request, ChangeKind.PASSKEY_ADDED) as codes:
            passkeys.add(request, request.user, answer, name=name, now=timezone.now())
    except PasskeyRefused:
        messages.error(request, _("The passkey wasn't added. Try again."))
        return redirect("second_factor_settings")
    return _respond(request, codes, _("Passkey added."))


@contextmanager
def _recorded(request: SignedInRequest, kind: ChangeKind) -> Iterator[list[str]]:
    """Notify the owner of the change made inside; yields a list that receives new recovery codes.

    If the change turns the second factor on, codes are created, and browsers that signed in without it are signed out.
    """
    user, codes, was_on = request.user, list[str](), second_factor.is_on(request.user)
    with recorded(user, kind, browser=browser_of(request), now=timezone.now()):
        yield codes
        if second_factor.is_on(user) and not was_on:
            codes += second_factor.new_recovery_codes(user)
            end_sessions(user, except_key=request.session.session_key)


def _respond(request: SignedInRequest, codes: list[str], message: str) -> HttpResponse:
    """Show new recovery codes, which aren't stored; without any, redirect to the settings."""
    if message:
        messages.success(request, message)
    if not codes:
        return redirect("second_factor_settings")
    return page(request, "account/recovery_codes.html", {"codes": codes, "section": "account"}, here="settings")


def _page(request: SignedInRequest, code: CodeForm, passkey: PasskeyForm) -> HttpResponse:
    user = request.user
    has_app = second_factor.has_app(user)
    device = None if has_app else second_factor.unconfirmed_device(user, now=timezone.now())
    context = {
        "code_form": code,
        "passkey_form": passkey,
        "passkeys": Passkey.objects.filter(user=user).order_by("pk"),
        "are_passkeys_possible": passkeys.are_possible(),
        "is_on": second_factor.is_on(user),
        "has_app": has_app,
        "n_codes": second_factor.n_recovery_codes(user),
        "picture": qr_code(device.config_url) if device else None,
        "secret": second_factor.secret_as_text(device) if device else "",
        "section": "account",
    }
    status = 422 if request.method == "POST" else 200
    return page(request, "account/second_factor.html", context, here="settings", status=status)
