"""Helpers for views: pages with a sidebar, fragments, safe redirects."""

from typing import Any

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import get_script_prefix, reverse
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.utils.http import url_has_allowed_host_and_scheme
from django_htmx.middleware import HtmxDetails

from reader.lists.sidebar import sidebar_of
from reader.preferences.middleware import preferences_in


class SignedInRequest(HttpRequest):
    """A request of a signed-in user, as `LoginRequiredMiddleware` guarantees."""

    user: User
    htmx: HtmxDetails


def page(
    request: SignedInRequest,
    template: str,
    context: dict[str, Any],
    *,
    here: str,
    folder_id: int | None = None,
    open_feed: int | None = None,
    open_tag: int | None = None,
    open_search: int | None = None,
    status: int = 200,
) -> HttpResponse:
    """Render a page, with `sidebar`, `now`, and `this_page` for links back."""
    shared = {
        "sidebar": sidebar_of(
            request.user,
            here=here,
            folder_id=folder_id,
            open_feed=open_feed,
            open_search=open_search,
            open_tag=open_tag,
            preferences=preferences_in(request),
        ),
        "now": timezone.now(),
        "this_page": request.get_full_path(),
    }
    return render(request, template, shared | context, status=status)


def pane_page(request: SignedInRequest, template: str, context: dict[str, Any], *, here: str) -> HttpResponse:
    """A page that scripts show in the pane beside a list; its template extends `base`."""
    if request.headers.get("X-Fragment") == "pane":
        return fragment(request, template, context | {"base": "pane.html", "in_pane": True, "id_prefix": "article-"})
    return page(request, template, context | {"base": "app.html"}, here=here)


def fragment(request: SignedInRequest, template: str, context: dict[str, Any]) -> HttpResponse:
    """Render part of a page, for htmx, with `now` and `this_page`."""
    return render(request, template, {"now": timezone.now(), "this_page": request.get_full_path()} | context)


def more_rows(request: SignedInRequest, context: dict[str, Any], *, continues: bool = True) -> HttpResponse:
    """The next rows of a list, for infinite scroll; `continues`: without a heading, within the same half."""
    return vary_on_htmx(fragment(request, "reader/_rows.html", context | {"continues": continues}))


def vary_on_htmx(response: HttpResponse) -> HttpResponse:
    """The response, cached separately for htmx, because a URL gives either a whole page or only its rows."""
    patch_vary_headers(response, ("HX-Request",))
    return response


def safe_next(request: HttpRequest, default: str) -> str:
    """The `next` of the query or the form if it's a path of this site, else `default`."""
    target = request.GET.get("next") or request.POST.get("next") or ""
    is_path = target.startswith(get_script_prefix()) and url_has_allowed_host_and_scheme(
        target, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return target if is_path else default


def back_to_row(request: SignedInRequest, article_id: int) -> HttpResponse:
    """Redirect to where an article's button was: the article's page, or its row in a list."""
    back = safe_next(request, reverse("home"))
    is_there = "#" in back or back.startswith(reverse("article", args=[article_id]))
    return redirect(back if is_there else f"{back}#a{article_id}")


def whole_number(text: str) -> int | None:
    """The number in a query or form; None if it's missing, invalid or too large for the database."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None
