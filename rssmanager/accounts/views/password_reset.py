"""Password reset by email; without a mail server, a page that says who can help."""

from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.forms import SetPasswordForm
from django.contrib.auth.models import User
from django.contrib.auth.views import PasswordResetConfirmView, PasswordResetView
from django.http import HttpRequest
from django.http.response import HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse_lazy
from django.utils import timezone
from django.utils.decorators import method_decorator

from digests.delivery.smtp import is_printed
from feeds.tasks.enqueue import call_worker
from rssmanager.accounts.changes import recorded
from rssmanager.accounts.forms import ForgottenForm, NewPasswordForm
from rssmanager.accounts.models import ChangeKind
from rssmanager.accounts.tasks import send_reset
from rssmanager.authentication import throttling
from rssmanager.authentication.sessions import browser_of, end_sessions
from rssmanager.authentication.sign_in import sign_in
from rssmanager.middleware.trusted_proxies import client_address


@method_decorator(login_not_required, name="dispatch")
class ForgottenView(PasswordResetView):
    """Asks for the address. A worker looks it up and sends the email, so that neither the response nor its timing shows
    whether an account has that address."""

    form_class = ForgottenForm
    template_name = "registration/password_reset.html"
    success_url = reverse_lazy("forgotten_sent")

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if is_printed():
            return render(request, "registration/password_reset_unavailable.html")
        return super().dispatch(request, *args, **kwargs)

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        count = throttling.address_count(throttling.FORGOTTEN_ADDRESS, client_address(request))
        throttling.count_try([count], now=timezone.now())
        return super().post(request, *args, **kwargs)

    def form_valid(self, form: ForgottenForm) -> HttpResponse:  # type: ignore[override]
        address = form.cleaned_data["email"]
        if not call_worker("rssmanager.accounts.tasks.send_reset", address):
            send_reset(address)  # the queue is unavailable, and the link is needed now
        return redirect(self.get_success_url())


@login_not_required
def forgotten_sent(request: HttpRequest) -> HttpResponseBase:
    return render(request, "registration/password_reset_sent.html")


@method_decorator(login_not_required, name="dispatch")
class NewPasswordView(PasswordResetConfirmView):
    """The page behind the emailed link: choose a new password."""

    form_class = NewPasswordForm
    template_name = "registration/password_reset_confirm.html"
    success_url = reverse_lazy("today")

    def form_valid(self, form: "SetPasswordForm[User]") -> HttpResponse:
        """Sign out every browser, notify the owner, and sign in, asking for a second factor if there is one."""
        with recorded(form.user, ChangeKind.PASSWORD, browser=browser_of(self.request), now=timezone.now()):
            super().form_valid(form)
            end_sessions(form.user, except_key=None)
        return sign_in(self.request, form.user, next_url=self.get_success_url())
