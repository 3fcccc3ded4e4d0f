"""A forgotten password: a link by mail, where mail is set up; else who can help."""

from typing import Any
from urllib.parse import urljoin

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.forms import SetPasswordForm
from django.contrib.auth.models import User
from django.contrib.auth.views import PasswordResetConfirmView, PasswordResetView
from django.http import HttpRequest
from django.http.response import HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.urls import reverse_lazy
from django.utils import timezone
from django.utils.decorators import method_decorator

from digests.delivery.smtp import is_printed
from rssmanager.account.forms import ForgottenForm, ResetPasswordForm
from rssmanager.proxies import client_address
from rssmanager.signing_in import throttling
from rssmanager.signing_in.entering import enter
from rssmanager.signing_in.errors import TooManyTries
from rssmanager.signing_in.sessions import end_others
from rssmanager.signing_in.views.too_many import too_many


@method_decorator(login_not_required, name="dispatch")
class ForgottenView(PasswordResetView):
    """Ask for the address. The answer is the same whether or not it is anybody's."""

    form_class = ForgottenForm
    template_name = "registration/forgotten.html"
    email_template_name = "registration/forgotten_mail.txt"
    subject_template_name = "registration/forgotten_subject.txt"
    success_url = reverse_lazy("forgotten_sent")

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if is_printed():
            return render(request, "registration/forgotten_no_mail.html")
        # Links lead to where the operator says the reader is, whatever the request called it.
        self.extra_email_context = {"origin": urljoin(settings.BASE_URL, "/").rstrip("/")}
        return super().dispatch(request, *args, **kwargs)

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        now = timezone.now()
        asked = throttling.asked_from(throttling.FORGOTTEN_ADDRESS, client_address(request))
        try:
            throttling.try_once([asked], now=now)
        except TooManyTries as error:
            return too_many(request, error, back="forgotten", now=now)
        return super().post(request, *args, **kwargs)


@login_not_required
def forgotten_sent(request: HttpRequest) -> HttpResponseBase:
    """What to look for now."""
    return render(request, "registration/forgotten_sent.html")


@method_decorator(login_not_required, name="dispatch")
class NewPasswordView(PasswordResetConfirmView):
    """The link of the mail: choose a new password."""

    form_class = ResetPasswordForm
    template_name = "registration/forgotten_new.html"
    success_url = reverse_lazy("today")

    def form_valid(self, form: "SetPasswordForm[User]") -> HttpResponse:
        """Signed in by it, but for a second factor, which no mail replaces."""
        super().form_valid(form)
        end_others(form.user, but=None)
        return enter(self.request, form.user, goes_to=self.get_success_url())
