"""Setting up the owner account."""

from django.contrib.auth import login
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from reader.errors import AlreadyOwned
from reader.preferences.owner import create_owner, is_owned
from reader.views.forms import OwnerForm


@login_not_required
@sensitive_post_parameters("password1", "password2")
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def setup(request: HttpRequest) -> HttpResponse:
    """Create the owner account; a 404 once there is one."""
    if is_owned():
        raise Http404("This installation already has an owner.")
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
