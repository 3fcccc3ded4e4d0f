"""The sign-in page, also for the admin site."""

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

from reader.preferences.owner import is_owned
from rssmanager.authentication import passkeys, throttling
from rssmanager.authentication.openid import is_set_up
from rssmanager.authentication.sign_in import sign_in
from rssmanager.middleware.trusted_proxies import client_address


@method_decorator(login_not_required, name="dispatch")
class SignInView(LoginView):
    """Sign in; while there are no users, redirect to creating the owner."""

    redirect_authenticated_user = True

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        return super().dispatch(request, *args, **kwargs) if is_owned() else redirect("setup")

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(**kwargs) | {
            "provider": settings.ENV.OIDC_NAME if is_set_up() else "",
            "has_passkeys": passkeys.are_possible(),
        }

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        now = timezone.now()
        guesses = throttling.password_counts(request.POST.get("username", ""), client_address(request))
        tried = throttling.count_try(guesses, now=now)
        form = self.get_form()
        if not form.is_valid():
            return self.form_invalid(form)
        throttling.uncount(tried)
        throttling.reset(guesses[0])
        return sign_in(request, form.get_user(), next_url=self.get_success_url())


@login_not_required
def admin_sign_in(request: HttpRequest) -> HttpResponse:
    """Replaces the admin site's own sign-in page. Users who may not use the admin get a 403."""
    if request.user.is_authenticated:
        raise PermissionDenied
    return redirect_to_login(request.GET.get("next") or reverse("admin:index"))
