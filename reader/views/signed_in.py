"""What views share: a request whose user is known to be signed in, and a page with its sidebar."""

from typing import Any

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import get_script_prefix, reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django_htmx.middleware import HtmxDetails

from reader.sidebar import sidebar_of


class SignedInRequest(HttpRequest):
    """LoginRequiredMiddleware lets nobody else through to a view that is not marked public."""

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
    """The template with the sidebar, the time of asking, and the page's own address for links that come back."""
    shared = {
        "sidebar": sidebar_of(
            request.user,
            here=here,
            folder_id=folder_id,
            open_feed=open_feed,
            open_search=open_search,
            open_tag=open_tag,
        ),
        "now": timezone.now(),
        "this_page": request.get_full_path(),
    }
    return render(request, template, shared | context, status=status)


def fragment(request: SignedInRequest, template: str, context: dict[str, Any]) -> HttpResponse:
    """A piece of a page, for htmx; what it has in common with a page, but for the sidebar."""
    return render(request, template, {"now": timezone.now(), "this_page": request.get_full_path()} | context)


def safe_next(request: HttpRequest, default: str) -> str:
    """Where to go on: the query's `next`, which one button may bring, or the form's, if it is a path of this site; else
    `default`."""
    wanted = request.GET.get("next") or request.POST.get("next") or ""
    is_path = wanted.startswith(get_script_prefix()) and url_has_allowed_host_and_scheme(
        wanted, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return wanted if is_path else default


def back_to_row(request: SignedInRequest, article_id: int) -> HttpResponse:
    """On to where a button about an article stood: a page of the article itself, or its row in a list."""
    back = safe_next(request, reverse("home"))
    is_there = "#" in back or back.startswith(reverse("article", args=[article_id]))
    return redirect(back if is_there else f"{back}#a{article_id}")


def whole_number(text: str) -> int | None:
    """The id in a query or a form; None for what is missing or no number a database knows."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None
