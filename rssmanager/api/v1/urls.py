"""The API's URLs. Its endpoints, and the library behind them, are loaded with the first request: they take 16 MB, which
workers, and servers without users of the API, save.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urljoin

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.urls import path, resolve, reverse
from django.views.decorators.cache import cache_control
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import conditional_page, require_safe

from reader.views.base import SignedInRequest, page
from rssmanager.api.v1.reference import reference

ENDPOINTS = "rssmanager.api.v1.endpoints"
ANY_ORIGIN = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": "ETag, Retry-After, WWW-Authenticate",
}
PREFLIGHT = {
    "Access-Control-Allow-Methods": "GET, POST, PUT, PATCH, DELETE",
    "Access-Control-Allow-Headers": "Authorization, Content-Type, If-None-Match",
    "Access-Control-Max-Age": "86400",
}


def from_any_origin(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Let scripts of other sites read the answers. They need an app password for that: with `*`, browsers send and take
    no cookies, which aren't looked at anyway."""

    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **values: Any) -> HttpResponseBase:
        is_asking = request.method == "OPTIONS"
        response = HttpResponse(status=204, headers=PREFLIGHT) if is_asking else view(request, *args, **values)
        for name, value in ANY_ORIGIN.items():
            response[name] = value
        return response

    return answer


def document() -> dict[str, Any]:
    """The OpenAPI document."""
    from rssmanager.api.v1.endpoints import document_at  # see above

    return document_at(urljoin(settings.BASE_URL, reverse("api")).rstrip("/"))


@from_any_origin
@require_safe
@login_not_required
@cache_control(public=True, max_age=3600)
@conditional_page
def openapi(request: HttpRequest) -> HttpResponse:
    """The OpenAPI document. It holds nothing of anybody."""
    return JsonResponse(document())


@require_safe
def api_page(request: SignedInRequest) -> HttpResponse:
    """The same as a page."""
    shown = document()
    context = {"groups": reference(shown), "address": shown["servers"][0]["url"], "section": "account"}
    return page(request, "account/api.html", context, here="settings")


@from_any_origin
@csrf_exempt
@login_not_required
@cache_control(private=True, no_cache=True)
@conditional_page
def api_call(request: HttpRequest, call: str) -> HttpResponseBase:
    """Any request to an endpoint. Without session or CSRF token: only an app password lets anyone in."""
    match = resolve(f"/{call}", ENDPOINTS)
    return match.func(request, *match.args, **match.kwargs)


urlpatterns = [
    path("", api_page, name="api"),
    path("openapi.json", openapi, name="openapi"),
    path("<path:call>", api_call, name="api_call"),
]
