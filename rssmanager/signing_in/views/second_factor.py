"""The page between password and reader, for who has a second factor."""

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from rssmanager.signing_in import second_factor
from rssmanager.signing_in.entering import enter_with_code, waiting_in
from rssmanager.signing_in.errors import TooManyTries
from rssmanager.signing_in.forms import CodeForm
from rssmanager.signing_in.views.too_many import too_many


@login_not_required
@sensitive_post_parameters()
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def ask_code(request: HttpRequest) -> HttpResponse:
    """Ask for a code, and sign in who gives it."""
    now = timezone.now()
    waiting = waiting_in(request, now=now)
    if waiting is None:
        return redirect("login")
    user, goes_to = waiting
    form = CodeForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            is_right = second_factor.check(user, form.cleaned_data["code"], now=now)
        except TooManyTries as error:
            return too_many(request, error, back="second_factor", now=now)
        if is_right:
            enter_with_code(request, user)
            return redirect(goes_to)
        form.add_error("code", _("This code does not open. Each opens once; wait for the next one."))
    return render(
        request, "signing_in/second_factor.html", {"form": form}, status=422 if request.method == "POST" else 200
    )
