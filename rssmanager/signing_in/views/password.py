"""The one page to sign in by, also for the admin site."""

from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import LoginView, redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.decorators import method_decorator

from reader.owner import is_owned
from rssmanager.proxies import client_address
from rssmanager.signing_in import throttling
from rssmanager.signing_in.entering import enter
from rssmanager.signing_in.errors import TooManyTries
from rssmanager.signing_in.openid import is_set_up
from rssmanager.signing_in.views.too_many import too_many


@method_decorator(login_not_required, name="dispatch")
class SignInView(LoginView):
    """Sign in; in an installation without any account, make the owner's first."""

    redirect_authenticated_user = True

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        return super().dispatch(request, *args, **kwargs) if is_owned() else redirect("setup")

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(**kwargs) | {"provider": settings.ENV.OIDC_NAME if is_set_up() else ""}

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        now = timezone.now()
        guesses = throttling.guesses(request.POST.get("username", ""), client_address(request))
        try:
            tried = throttling.try_once(guesses, now=now)
        except TooManyTries as error:
            return too_many(request, error, back="login", now=now)
        form = self.get_form()
        if not form.is_valid():
            return self.form_invalid(form)
        throttling.take_back(tried)
        throttling.forgive(guesses[0])
        return enter(request, form.get_user(), goes_to=self.get_success_url())


@login_not_required
def admin_sign_in(request: HttpRequest) -> HttpResponse:
    """In place of the admin site's own page to sign in. Who is signed in and may not administer is told so."""
    if request.user.is_authenticated:
        raise PermissionDenied
    return redirect_to_login(request.GET.get("next") or reverse("admin:index"))
