"""Applies a user's preferences to each page: time zone, language, theme, density and font.

They are loaded at most once per request, and not at all for public pages.
"""

from collections.abc import Callable
from typing import Any

from django.contrib.auth.models import User
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone, translation
from django.utils.functional import SimpleLazyObject

from reader.models import Preferences
from reader.preferences.list_views import usual_view
from reader.preferences.store import first_installed, preferences_of, zone_named

_CACHED = "_preferences"


def preferences_in(request: HttpRequest) -> Preferences:
    """The user's preferences; the defaults for a visitor."""
    if not hasattr(request, _CACHED):
        user = getattr(request, "user", None)
        setattr(request, _CACHED, preferences_of(user) if isinstance(user, User) else Preferences())
    cached: Preferences = getattr(request, _CACHED)
    return cached


def preferences(request: HttpRequest) -> dict[str, Any]:
    """Context processor: `preferences`, and the usual `view` of lists."""
    own = SimpleLazyObject(lambda: preferences_in(request))
    return {"preferences": own, "view": SimpleLazyObject(lambda: usual_view(preferences_in(request)))}


class PersonalMiddleware:
    """Activates the user's time zone and language for a request; the browser's language if none was chosen."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        translation.activate(translation.get_language_from_request(request))
        try:
            return self.get_response(request)
        finally:
            timezone.deactivate()
            translation.deactivate()

    def process_view(self, request: HttpRequest, view: Callable[..., Any], *_: object) -> None:
        if getattr(view, "login_required", True):
            own = preferences_in(request)
            timezone.activate(zone_named(own.time_zone))
            translation.activate(first_installed([own.language, translation.get_language() or ""]))
