"""The page that creates the owner account."""

from django.contrib.auth import login
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from reader.errors import AlreadyOwned
from reader.preferences.owner import create_owner, is_owned
from rssmanager.authentication import throttling
from rssmanager.authentication.forms import SetupForm
from rssmanager.authentication.setup_code import needs_setup_code
from rssmanager.authentication.sign_in import BACKEND
from rssmanager.middleware.trusted_proxies import client_address


@login_not_required
@sensitive_post_parameters("code", "password1", "password2")
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def setup(request: HttpRequest) -> HttpResponse:
    """Create the owner account; a 404 once there is one. Raises TooManyTries."""
    if is_owned():
        raise Http404("This installation already has an owner.")
    form = SetupForm(needs_setup_code(request), request.POST if request.method == "POST" else None)
    if request.method == "POST" and _is_valid(form, request):
        given = form.cleaned_data
        try:
            user = create_owner(username=given["username"], email=given["email"], password=given["password1"])
        except AlreadyOwned:
            return redirect("login")
        login(request, user, backend=BACKEND)
        return redirect("subscribe")
    return render(request, "registration/setup.html", {"form": form}, status=422 if request.method == "POST" else 200)


def _is_valid(form: SetupForm, request: HttpRequest) -> bool:
    """Validate the form, counting wrong codes. Raises TooManyTries."""
    if "code" not in form.fields:
        return form.is_valid()
    tried = throttling.count_try(
        [throttling.address_count(throttling.SETUP, client_address(request))], now=timezone.now()
    )
    is_valid = form.is_valid()
    if "code" not in form.errors:
        throttling.uncount(tried)
    return is_valid
