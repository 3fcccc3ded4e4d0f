"""Signs every visitor of the demo in. Installed only when DEMO is set, which the demo command does for itself."""

from collections.abc import Callable
from ipaddress import ip_address

from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse

from reader.models import Owner


class SignInVisitors:
    """Signs visitors from this machine in as the demo's owner; a demo reached from elsewhere asks for a password."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not request.user.is_authenticated and ip_address(request.META["REMOTE_ADDR"]).is_loopback:
            owner = Owner.objects.select_related("user").first()
            if owner is not None:
                login(request, owner.user, backend="django.contrib.auth.backends.ModelBackend")
        return self._get_response(request)
