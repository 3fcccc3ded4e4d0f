"""A person's own second factor: set up, confirmed, given new recovery codes, switched off."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from reader.views.signed_in import SignedInRequest, page
from rssmanager.account.forms import ConfirmForm
from rssmanager.signing_in import second_factor
from rssmanager.signing_in.forms import CodeForm
from rssmanager.signing_in.sessions import end_others

ACTS = ("begin", "codes", "off")  # with the password; `confirm` is with a code


@sensitive_post_parameters()
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def second_factor_settings(request: SignedInRequest) -> HttpResponse:
    """What there is, and what can be done with it; `act` says which was posted."""
    act = request.POST.get("act", "") if request.method == "POST" else ""
    forms = {each: ConfirmForm(request.user, request.POST if act == each else None, prefix=each) for each in ACTS}
    if act in ACTS and forms[act].is_valid():
        return _with_password(request, act)
    code = CodeForm(request.POST if act == "confirm" else None)
    if act == "confirm" and code.is_valid():
        codes = second_factor.confirm(request.user, code.cleaned_data["code"], now=timezone.now())
        if codes:
            end_others(request.user, but=request.session.session_key)  # they were let in without a code
            return _codes(request, codes)
        code.add_error("code", _("This is not the code of this secret. Look whether your phone's clock is right."))
    return _page(request, forms, code)


def _with_password(request: SignedInRequest, act: str) -> HttpResponse:
    is_on = second_factor.is_on(request.user)
    if act == "codes" and is_on:
        return _codes(request, second_factor.new_recovery_codes(request.user))
    if act == "begin" and not is_on:
        second_factor.begin(request.user)
    elif act == "off" and second_factor.switch_off(request.user):
        messages.success(request, _("The second factor is off. Your password alone signs you in."))
    return redirect("second_factor_settings")


def _codes(request: SignedInRequest, codes: list[str]) -> HttpResponse:
    """The answer itself shows them, for nothing keeps them."""
    return page(request, "account/recovery_codes.html", {"codes": codes, "section": "account"}, here="settings")


def _page(request: SignedInRequest, forms: dict[str, ConfirmForm], code: CodeForm) -> HttpResponse:
    is_on = second_factor.is_on(request.user)
    begun = None if is_on else second_factor.begun(request.user, now=timezone.now())
    context = {
        "forms": forms,
        "code_form": code,
        "is_on": is_on,
        "n_codes": second_factor.n_recovery_codes(request.user) if is_on else 0,
        "picture": second_factor.secret_as_picture(begun) if begun else None,
        "secret": second_factor.secret_as_text(begun) if begun else "",
        "section": "account",
    }
    status = 422 if request.method == "POST" else 200
    return page(request, "account/second_factor.html", context, here="settings", status=status)
