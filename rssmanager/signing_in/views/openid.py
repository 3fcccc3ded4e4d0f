"""To the provider of OpenID Connect, and back."""

import logging
from dataclasses import asdict
from urllib.parse import urljoin

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from reader.views.signed_in import safe_next
from rssmanager.signing_in import identities, openid
from rssmanager.signing_in.entering import enter
from rssmanager.signing_in.errors import NotConnected
from rssmanager.signing_in.openid import ProviderError

logger = logging.getLogger(__name__)
_ASKED = "asked_provider"  # of the session: the last question, where to go on, and whose account is to be connected


def onward(request: HttpRequest, *, goes_to: str, connects: int | None) -> HttpResponse:
    """A page that leads to the provider at once: a redirect in answer to a form would be held back by our CSP."""
    if not openid.is_set_up():
        raise Http404("No provider is set up.")
    try:
        question = openid.ask(urljoin(settings.BASE_URL, reverse("openid_return")))
    except ProviderError as error:
        return _failed(request, error, status=502)
    request.session[_ASKED] = {"question": asdict(question), "goes_to": goes_to, "connects": connects}
    answer = render(request, "signing_in/openid_onward.html", {"url": question.url, "provider": settings.ENV.OIDC_NAME})
    answer["Refresh"] = f"0; url={question.url}"
    return answer


@login_not_required
@never_cache
@require_POST
def openid_begin(request: HttpRequest) -> HttpResponse:
    """Go and ask the provider who this is."""
    return onward(request, goes_to=safe_next(request, resolve_url(settings.LOGIN_REDIRECT_URL)), connects=None)


@login_not_required
@never_cache
@require_safe
def openid_return(request: HttpRequest) -> HttpResponse:
    """Where the provider sends people back to: signed in, or connected, or told why not."""
    asked = request.session.pop(_ASKED, None)
    if not openid.is_set_up() or asked is None:
        return redirect("login")
    now = timezone.now()
    try:
        person = openid.answer(openid.Question(**asked["question"]), request.GET.dict())
        if asked["connects"] is None:
            user = identities.account_of(person, creates=settings.ENV.OIDC_CREATE, now=now)
            return enter(request, user, goes_to=asked["goes_to"])
        if not request.user.is_authenticated or request.user.pk != asked["connects"]:
            return redirect("login")
        identities.connect(request.user, person, now=now)
    except (ProviderError, NotConnected) as error:
        return _failed(request, error, status=403)
    messages.success(request, _("Connected. You can sign in so from now on."))
    return redirect(asked["goes_to"])


def _failed(request: HttpRequest, error: ProviderError | NotConnected, *, status: int) -> HttpResponse:
    """Why not: in words where the person can do something, else in the log."""
    if isinstance(error, ProviderError):
        logger.warning("signing in by OpenID Connect failed: %s", error)
    reason = str(error) if isinstance(error, NotConnected) else ""
    context = {"reason": reason, "provider": settings.ENV.OIDC_NAME}
    return render(request, "signing_in/openid_failed.html", context, status=status)
