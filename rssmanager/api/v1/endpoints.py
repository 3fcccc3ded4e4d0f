"""All endpoints, as a URLconf below `/api/v1/`, and the OpenAPI document."""

from functools import cache
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path

from rssmanager.api.v1 import article_lists, articles, changes, digests, feeds, folders, reading, rules
from rssmanager.api.v1.base import Api, add_problems, problem
from rssmanager.api.v1.urls import document

api = Api(
    title="RSS Manager",
    version="1",
    description="Articles, feeds, folders, tags, rules and digests.",
    openapi_url=None,
    docs_url=None,
    urls_namespace="api_v1",
)
for part in (article_lists, changes, articles, feeds, folders, reading, digests, rules):
    api.add_router("", part.router)
add_problems(api)


@cache
def document_at(address: str) -> dict[str, Any]:
    """The OpenAPI document of the API at this address."""
    return api.document(address)


@cache
def _parameters() -> dict[tuple[str, str], dict[str, bool]]:
    """By path and method, the names of a query, and whether each may be there more than once."""
    return {
        (path, method.upper()): {
            parameter["name"]: parameter["schema"].get("type") == "array"
            for parameter in operation["parameters"]
            if parameter["in"] == "query"
        }
        for path, operations in document()["paths"].items()
        for method, operation in operations.items()
    }


def _refusal(path: str, request: HttpRequest) -> str:
    """Why the query makes no sense here; "" if it does, or if there is no such method."""
    known = _parameters().get((path, request.method or ""))
    if known is None:
        return ""
    for name, values in request.GET.lists():
        if name not in known:
            return f"There is no parameter “{name}” here, but {', '.join(sorted(known)) or 'none'}."
        if len(values) > 1 and not known[name]:
            return f"Send the parameter “{name}” once."
    return ""


def _endpoint(route: str, pattern: URLPattern) -> URLPattern:
    """An endpoint whose other methods are a problem too, and unknown parameters."""
    shown = "/" + route.replace("<int:pk>", "{id}")

    def view(request: HttpRequest, **values: Any) -> HttpResponse:
        if refusal := _refusal(shown, request):
            return problem(400, refusal)
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
