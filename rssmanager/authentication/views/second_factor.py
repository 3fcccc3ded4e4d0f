"""The page that asks for the second factor after the password."""

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from rssmanager.authentication import second_factor
from rssmanager.authentication.forms import CodeForm
from rssmanager.authentication.models import Passkey
from rssmanager.authentication.sign_in import pending_sign_in, sign_in_verified


@login_not_required
@sensitive_post_parameters()
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def enter_code(request: HttpRequest) -> HttpResponse:
    """Ask for a code or a passkey; sign in with the right code."""
    now = timezone.now()
    pending = pending_sign_in(request, now=now)
    if pending is None:
        return redirect("login")
    user, next_url = pending
    form = CodeForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        if second_factor.check(user, form.cleaned_data["code"], now=now):
            return sign_in_verified(request, user, next_url=next_url)
        form.add_error("code", _("This code isn't valid. Each code works once; wait for the next one."))
    context = {
        "form": form,
        "has_app": second_factor.has_app(user),
        "has_passkey": Passkey.objects.filter(user=user).exists(),
        "next": next_url,
    }
    return render(request, "signing_in/second_factor.html", context, status=422 if request.method == "POST" else 200)
