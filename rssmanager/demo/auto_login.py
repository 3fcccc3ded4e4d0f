"""Signs every visitor of the demo in. Installed only if DEMO is set, as by the demo command."""

from collections.abc import Callable

from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from reader.models import Owner
from rssmanager.authentication.confirmation import is_confirmed, mark_confirmed
from rssmanager.middleware.trusted_proxies import is_from_here


class SignInVisitors:
    """Signs visitors from this machine in as the demo's owner; a demo reached from elsewhere asks for a password."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if is_from_here(request):
            if not request.user.is_authenticated:
                self._sign_in(request)
            elif not is_confirmed(request, now=timezone.now()):  # the demo's owner has a random password
                mark_confirmed(request, now=timezone.now())
        return self._get_response(request)

    def _sign_in(self, request: HttpRequest) -> None:
        owner = Owner.objects.select_related("user").first()
        if owner is not None:
            login(request, owner.user, backend="django.contrib.auth.backends.ModelBackend")
