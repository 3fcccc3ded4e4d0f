"""Lists that grow: one address gives a page or, to a script that asks for more, its rows alone."""

from typing import Any

from django.http import HttpResponse
from django.utils.cache import patch_vary_headers

from reader.views.signed_in import SignedInRequest, fragment


def grown(request: SignedInRequest, context: dict[str, Any], *, continues: bool = True) -> HttpResponse:
    """The rows that follow, without a page around them; `continues`: the half that goes on without a new heading."""
    return whole(fragment(request, "reader/_rows.html", context | {"continues": continues}))


def whole(response: HttpResponse) -> HttpResponse:
    """The answer, kept apart from the other one: a browser that kept the rows must not show them for the page."""
    patch_vary_headers(response, ("HX-Request",))
    return response
