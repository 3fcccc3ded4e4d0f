"""The View menu of lists."""

from dataclasses import replace
from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from reader.access import folder_of, saved_search_of, subscription_of, tag_of
from reader.models import Density, ListOrder
from reader.preferences.list_views import LISTS, NUMBERED, ListView, changed, orders_of, save_view, usual_view, view_of
from reader.preferences.middleware import preferences_in
from reader.views.base import SignedInRequest, safe_next, whole_number

DENSITIES = (
    (Density.COMPACT, gettext_lazy("Compact")),
    (Density.CARDS, gettext_lazy("Cards")),
    (Density.HEADLINES, gettext_lazy("Headlines")),
)
_OWNED = {"folder": folder_of, "feed": subscription_of, "tag": tag_of, "saved_search": saved_search_of}


def shown_view(request: SignedInRequest, name: str) -> ListView:
    """The view of the list; `?show=` changes it for one visit."""
    view = view_of(preferences_in(request), name)
    show = request.GET.get("show", "")
    if show in ("unread", "all"):
        view = replace(view, only_unread=show == "unread")
    elif show == ListOrder.NEWEST:
        view = replace(view, only_unread=False, order=ListOrder.NEWEST)
    # Read articles aren't ranked.
    return replace(view, only_unread=True) if view.order == ListOrder.IMPORTANT else view


def view_menu(view: ListView, url: str) -> dict[str, Any]:
    """The context of the menu."""
    orders = [(order.value, order.label) for order in orders_of(view.name)]
    return {"view": view, "view_url": url, "view_densities": DENSITIES, "view_orders": orders}


@require_POST
def list_view(request: SignedInRequest) -> HttpResponse:
    """Set how a list is shown."""
    name = request.POST.get("list", "")
    kind, _dot, number = name.partition(".")
    pk = whole_number(number)
    if kind in NUMBERED and pk is not None:
        _OWNED[kind](request.user, pk)
        name, url = f"{kind}.{pk}", reverse(kind, args=[pk])
    elif name in LISTS:
        url = reverse(name)
    else:
        raise Http404
    values = {"density": request.POST.get("density"), "has_pictures": "has_pictures" in request.POST}
    if "order" in request.POST:
        values |= {"order": request.POST["order"], "only_unread": "only_unread" in request.POST}
    save_view(request.user, changed(usual_view(preferences_in(request), name), values))
    return redirect(safe_next(request, url))
