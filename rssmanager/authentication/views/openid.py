"""To the OpenID Connect provider, and back."""

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

from reader.views.base import safe_next
from rssmanager.accounts.changes import recorded
from rssmanager.accounts.models import ChangeKind
from rssmanager.authentication import identities, openid
from rssmanager.authentication.errors import NotConnected
from rssmanager.authentication.openid import ProviderError
from rssmanager.authentication.sessions import browser_of
from rssmanager.authentication.sign_in import sign_in

logger = logging.getLogger(__name__)
_REQUEST = "asked_provider"  # session key: the last request, where to go next, and the user to connect


def redirect_to_provider(request: HttpRequest, *, next_url: str, connects: int | None) -> HttpResponse:
    """A page that continues to the provider at once, since our CSP blocks a redirect after a form."""
    if not openid.is_set_up():
        raise Http404("No provider is set up.")
    try:
        authorization = openid.create_request(urljoin(settings.BASE_URL, reverse("openid_return")))
    except ProviderError as error:
        return _failed(request, error, status=502)
    request.session[_REQUEST] = {"authorization": asdict(authorization), "next_url": next_url, "connects": connects}
    context = {"url": authorization.url, "provider": settings.ENV.OIDC_NAME}
    answer = render(request, "signing_in/openid_continue.html", context)
    answer["Refresh"] = f"0; url={authorization.url}"
    return answer


@login_not_required
@never_cache
@require_POST
def openid_begin(request: HttpRequest) -> HttpResponse:
    """Go to the provider to sign in."""
    return redirect_to_provider(
        request, next_url=safe_next(request, resolve_url(settings.LOGIN_REDIRECT_URL)), connects=None
    )


@login_not_required
@never_cache
@require_safe
def openid_return(request: HttpRequest) -> HttpResponse:
    """Where the provider sends users back to: sign in, connect, or show why not."""
    pending = request.session.pop(_REQUEST, None)
    if not openid.is_set_up() or pending is None:
        return redirect("login")
    now = timezone.now()
    try:
        person = openid.check_response(openid.AuthorizationRequest(**pending["authorization"]), request.GET.dict())
        if pending["connects"] is None:
            user = identities.find_or_create_account(person, creates=settings.ENV.OIDC_CREATE, now=now)
            return sign_in(request, user, next_url=pending["next_url"])
        if not request.user.is_authenticated or request.user.pk != pending["connects"]:
            return redirect("login")
        with recorded(request.user, ChangeKind.CONNECTED, browser=browser_of(request), now=now):
            identities.connect(request.user, person, now=now)
    except (ProviderError, NotConnected) as error:
        return _failed(request, error, status=403)
    messages.success(request, _("Connected. You can now sign in with it."))
    return redirect(pending["next_url"])


def _failed(request: HttpRequest, error: ProviderError | NotConnected, *, status: int) -> HttpResponse:
    """The reason: on the page if the user can do something about it, otherwise in the log."""
    if isinstance(error, ProviderError):
        logger.warning("OpenID Connect sign-in failed: %s", error)
    reason = str(error) if isinstance(error, NotConnected) else ""
    context = {"reason": reason, "provider": settings.ENV.OIDC_NAME}
    return render(request, "signing_in/openid_failed.html", context, status=status)
