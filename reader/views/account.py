"""The owner's account."""

from django.contrib.auth import login
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from reader.errors import AlreadyOwned
from reader.forms import OwnerForm
from reader.owner import create_owner, is_owned


@login_not_required
@sensitive_post_parameters("password1", "password2")
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def setup(request: HttpRequest) -> HttpResponse:
    """The first visitor makes the owner's account; once there is one, this page does not exist."""
    if is_owned():
        raise Http404("This reader has an owner.")
    form = OwnerForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        given = form.cleaned_data
        try:
            user = create_owner(username=given["username"], email=given["email"], password=given["password1"])
        except AlreadyOwned:
            return redirect("login")
        login(request, user, backend="django.contrib.auth.backends.ModelBackend")
        return redirect("subscribe")
    return render(request, "registration/setup.html", {"form": form}, status=422 if request.method == "POST" else 200)
