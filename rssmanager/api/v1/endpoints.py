"""All endpoints, as a URLconf below `/api/v1/`, and the OpenAPI document."""

from functools import cache
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path

from rssmanager.api.v1 import articles, changes, feeds, reading, rules
from rssmanager.api.v1.base import Api, add_problems, problem

api = Api(
    title="RSS Manager",
    version="1",
    description="Articles, feeds, folders, tags, rules and digests.",
    openapi_url=None,
    docs_url=None,
    urls_namespace="api_v1",
)
for router in (articles.router, changes.router, feeds.router, reading.router, rules.router):
    api.add_router("", router)
add_problems(api)


@cache
def document_at(address: str) -> dict[str, Any]:
    """The OpenAPI document of the API at this address."""
    return api.document(address)


def _endpoint(route: str, pattern: URLPattern) -> URLPattern:
    """An endpoint whose other methods are a problem too."""

    def view(request: HttpRequest, **values: Any) -> HttpResponse:
        response: HttpResponse = pattern.callback(request, **values)
        if response.status_code != 405:
            return response
        return problem(405, f"Use {response['Allow']} here.", headers={"Allow": response["Allow"]})

    return path(route, view)


def unknown(request: HttpRequest, rest: str) -> HttpResponse:
    """Any other address."""
    return problem(404, "There is no such endpoint.")


# One for each address, since django-ninja has one for each method.
_patterns = {str(pattern.pattern): pattern for pattern in api.urls[0] if isinstance(pattern, URLPattern)}
del _patterns[""]  # its own root, which has no page here
urlpatterns = [
    *(_endpoint(route, pattern) for route, pattern in _patterns.items()),
    path("<path:rest>", unknown, name="unknown"),
]
