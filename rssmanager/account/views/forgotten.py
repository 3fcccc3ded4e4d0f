"""A forgotten password: a link by mail, where mail is set up; else who can help."""

from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import PasswordResetConfirmView, PasswordResetView
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse_lazy
from django.utils.decorators import method_decorator

from digests.delivery.smtp import is_printed
from rssmanager.account.forms import ForgottenForm, ResetPasswordForm


@method_decorator(login_not_required, name="dispatch")
class ForgottenView(PasswordResetView):
    """Ask for the address. The answer is the same whether or not it is anybody's."""

    form_class = ForgottenForm
    template_name = "registration/forgotten.html"
    email_template_name = "registration/forgotten_mail.txt"
    subject_template_name = "registration/forgotten_subject.txt"
    success_url = reverse_lazy("forgotten_sent")
    # Links lead to where the operator says the reader is, whatever the request called it.
    extra_email_context = {"base_url": settings.BASE_URL}  # noqa: RUF012

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if is_printed():
            return render(request, "registration/forgotten_no_mail.html")
        return super().dispatch(request, *args, **kwargs)


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
    post_reset_login = True
    post_reset_login_backend = "django.contrib.auth.backends.ModelBackend"
