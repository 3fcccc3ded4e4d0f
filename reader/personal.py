"""Every page as its reader set it: their clock for all times, their language, their theme, density and face.

What they set is read once a request, and only where it is needed: pages that are open to everybody ask nothing.
"""

from collections.abc import Callable
from typing import Any

from django.contrib.auth.models import User
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone, translation
from django.utils.functional import SimpleLazyObject

from reader.models import Preferences
from reader.preferences import language_named, preferences_of, zone_named

_KEPT = "_preferences"


def preferences_in(request: HttpRequest) -> Preferences:
    """What whoever asks has set; the defaults for a visitor."""
    if not hasattr(request, _KEPT):
        user = getattr(request, "user", None)
        setattr(request, _KEPT, preferences_of(user) if isinstance(user, User) else Preferences())
    kept: Preferences = getattr(request, _KEPT)
    return kept


def preferences(request: HttpRequest) -> dict[str, Any]:
    """For templates."""
    return {"preferences": SimpleLazyObject(lambda: preferences_in(request))}


class PersonalMiddleware:
    """All times of a page by the clock that its reader lives by, all words in their language."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        try:
            return self.get_response(request)
        finally:
            timezone.deactivate()
            translation.deactivate()

    def process_view(self, request: HttpRequest, view: Callable[..., Any], *_: object) -> None:
        if getattr(view, "login_required", True):
            mine = preferences_in(request)
            timezone.activate(zone_named(mine.time_zone))
            translation.activate(language_named(mine.language))
