"""What is changed in the sidebar: how it looks, the order and folders of feeds, names.

Scripts ask with `X-Quiet` and get JSON or nothing; forms are redirected back.
"""

from typing import Any

from django.http import HttpResponse, HttpResponseBadRequest, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from reader.access import folder_of, subscription_of
from reader.errors import FolderExists, FolderRefused
from reader.lists.sidebar import sidebar_of
from reader.models import MAX_SIDEBAR, MIN_SIDEBAR, Folder, Preferences, SidebarOrder, Subscription
from reader.preferences.middleware import preferences_in
from reader.subscriptions.arrange import place_feeds, place_folders
from reader.subscriptions.folders import rename_folder
from reader.subscriptions.follow import move
from reader.subscriptions.make_folders import folder_named
from reader.views.base import SignedInRequest, safe_next, whole_number


@require_safe
@never_cache
def sidebar(request: SignedInRequest) -> HttpResponse:
    """Its folders and feeds, as on the page of `folder` or `feed`."""
    folder_id, feed_id = (whole_number(request.GET.get(name, "")) for name in ("folder", "feed"))
    here = "feed" if feed_id else "folder" if folder_id else ""
    shown = sidebar_of(
        request.user, here=here, folder_id=folder_id, open_feed=feed_id, preferences=preferences_in(request)
    )
    return render(request, "components/_sidebar_shelves.html", {"sidebar": shown})


@require_POST
def sidebar_view(request: SignedInRequest) -> HttpResponse:
    """Save how the sidebar looks: `open` or `close` a folder, `order`, `hides_read`, `width`, `more` places."""
    for name in ("open", "close"):
        if name in request.POST:
            folder = folder_of(request.user, whole_number(request.POST[name]) or 0)
            Folder.objects.filter(pk=folder.pk).update(is_open=name == "open")
    values: dict[str, Any] = {}
    if (order := request.POST.get("order")) in SidebarOrder.values:
        values["sidebar_order"] = order
    if "hides_read" in request.POST:
        values["hides_read_feeds"] = request.POST["hides_read"] == "1"
    if "more" in request.POST:
        values["shows_more_places"] = request.POST["more"] == "1"
    if width := whole_number(request.POST.get("width", "")):
        values["sidebar_width"] = min(max(width, MIN_SIDEBAR), MAX_SIDEBAR) // 10 * 10
    if values:
        Preferences.objects.update_or_create(user=request.user, defaults=values)
    return _done(request)


@require_POST
def sidebar_arrange(request: SignedInRequest) -> HttpResponse:
    """Move a `feed` to a `folder` (empty for none, or a `new_folder`), and place `feeds` and `folders` in this order.

    The `order` that the sidebar has from now on comes with it, so that undo is the same request, with the `made` folder
    that is deleted again unless something else is in it.
    """
    values = request.POST
    if "feed" in values:
        subscription = subscription_of(request.user, whole_number(values["feed"]) or 0)
        folder: Folder | None = None
        if name := " ".join(values.get("new_folder", "").replace("\0", "").split()):
            folder = folder_named(request.user, name)
        elif values.get("folder"):
            folder = folder_of(request.user, whole_number(values["folder"]) or 0)
        move(request.user, [subscription.pk], folder)
        Subscription.objects.filter(pk=subscription.pk).update(position=0)
    if made := values.get("made"):
        Folder.objects.filter(user=request.user, name=made, subscriptions=None, rules=None).delete()
    place_feeds(request.user, _numbers(values.get("feeds", "")))
    place_folders(request.user, _numbers(values.get("folders", "")))
    if (order := values.get("order")) in SidebarOrder.values:
        Preferences.objects.update_or_create(user=request.user, defaults={"sidebar_order": order})
    return _done(request)


@require_POST
def feed_rename(request: SignedInRequest, pk: int) -> HttpResponse:
    """Give a feed a `name` of the user's own, or take it away with an empty one; the old one is the answer."""
    subscription = subscription_of(request.user, pk)
    before = subscription.title
    subscription.set_title(" ".join(request.POST.get("name", "").replace("\0", "").split())[:300])
    subscription.save(update_fields=["title", "has_own_title"])
    return _done(request, was=before)


@require_POST
def folder_rename(request: SignedInRequest, pk: int) -> HttpResponse:
    """Give a folder another `name`; the old one is the answer, or why that's impossible."""
    folder = folder_of(request.user, pk)
    before = folder.name
    try:
        rename_folder(folder, request.POST.get("name", ""))
    except (FolderRefused, FolderExists) as refusal:
        if request.headers.get("X-Quiet"):
            return JsonResponse({"error": str(refusal)})
        return HttpResponseBadRequest(str(refusal), content_type="text/plain; charset=utf-8")
    return _done(request, was=before)


def _done(request: SignedInRequest, **answer: str) -> HttpResponse:
    if request.headers.get("X-Quiet"):
        return JsonResponse(answer)
    return redirect(safe_next(request, reverse("home")))


def _numbers(text: str) -> list[int]:
    numbers = (whole_number(word) for word in text.split())
    return [number for number in numbers if number is not None]
