"""The API's URLs, its OpenAPI document, and the page that shows it."""

import re
from functools import cache
from typing import Any
from urllib.parse import urljoin

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import URLPattern, path, reverse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import conditional_page, require_safe

from reader.views.base import SignedInRequest, page
from rssmanager.api.v1 import articles, feeds, reading, rules
from rssmanager.api.v1.base import Api, add_problems, problem
from rssmanager.api.v1.reference import reference

api = Api(
    title="RSS Manager",
    version="1",
    description="Everything the interface can do with articles, feeds, rules and digests.",
    openapi_url=None,
    docs_url=None,
    urls_namespace="api_v1",
)
for router in (articles.router, feeds.router, reading.router, rules.router):
    api.add_router("", router)
add_problems(api)


@cache
def _document() -> dict[str, Any]:
    return api.document(urljoin(settings.BASE_URL, reverse("api")).rstrip("/"))


@require_safe
@login_not_required
@cache_control(public=True, max_age=3600)
@conditional_page
def openapi(request: HttpRequest) -> HttpResponse:
    """The OpenAPI document. It holds nothing of anybody."""
    return JsonResponse(_document())


@require_safe
def api_page(request: SignedInRequest) -> HttpResponse:
    """The same as a page."""
    context = {"groups": reference(_document()), "address": _document()["servers"][0]["url"], "section": "account"}
    return page(request, "account/api.html", context, here="settings")


def _endpoint(route: str, pattern: URLPattern) -> URLPattern:
    """An endpoint without session or CSRF token, with an ETag, whose other methods are a problem too."""
    answer = conditional_page(pattern.callback)

    @login_not_required
    @cache_control(private=True, no_cache=True)
    def view(request: HttpRequest, **values: Any) -> HttpResponse:
        response = answer(request, **values)
        if response.status_code == 405:
            detail = f"Use {response['Allow']} here."
            return problem(405, detail, headers={"Allow": response["Allow"]})
        return response

    view.csrf_exempt = True  # type: ignore[attr-defined]
    return path(route, view, name="api_" + "_".join(re.findall("[a-z]+", route.replace("int:", ""))))


@login_not_required
@cache_control(private=True, no_cache=True)
def unknown(request: HttpRequest, rest: str = "") -> HttpResponse:
    """Any other address."""
    return problem(404, "There is no such endpoint.")


unknown.csrf_exempt = True  # type: ignore[attr-defined]

# One for each address, since django-ninja has one for each method.
_patterns = {str(pattern.pattern): pattern for pattern in api.urls[0] if isinstance(pattern, URLPattern)}
del _patterns[""]  # its own root, which has no page here
urlpatterns = [
    path("", api_page, name="api"),
    path("openapi.json", openapi, name="openapi"),
    *(_endpoint(route, pattern) for route, pattern in _patterns.items()),
    path("<path:rest>", unknown, name="api_unknown"),
]
