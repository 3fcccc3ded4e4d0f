"""The list of a tag; tagging articles."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from reader.access import article_of, tag_of
from reader.articles.actions import votes_of
from reader.articles.tags import add_tags, read_names, remove_tag, rename_tag
from reader.errors import TagRefused
from reader.lists.queries import Cursor, tagged_page
from reader.models import ListOrder
from reader.views.base import SignedInRequest, back_to_row, more_rows, page, vary_on_htmx, whole_number
from reader.views.list_views import shown_view, view_menu


@require_safe
def tag(request: SignedInRequest, pk: int) -> HttpResponse:
    """Articles with a tag, read or not."""
    found = tag_of(request.user, pk)
    view, cursor = shown_view(request, f"tag.{pk}"), Cursor.decode(request.GET.get("after", ""))
    oldest_first = view.order == ListOrder.OLDEST
    shown = tagged_page(request.user, found, cursor, now=timezone.now(), oldest_first=oldest_first)
    context = view_menu(view, request.path) | {
        "title": found.name,
        "tag": found,
        "page": shown,
        "votes": votes_of(request.user, [row.article.pk for row in shown.rows]),
        "is_first": cursor is None,
        "heading": ListOrder(view.order).label,
    }
    if request.htmx:
        return more_rows(request, context)
    return vary_on_htmx(page(request, "reader/article_list.html", context, here="tag", open_tag=pk))


@require_POST
def tag_edit(request: SignedInRequest, pk: int) -> HttpResponse:
    """Rename or delete a tag."""
    found = tag_of(request.user, pk)
    if request.POST.get("act") == "delete":
        found.delete()
        messages.success(request, _("Deleted the tag %(tag)s.") % {"tag": found.name})
        return redirect("home")
    try:
        rename_tag(found, request.POST.get("name", ""))
    except TagRefused as refusal:
        messages.warning(request, str(refusal))
    return redirect("tag", pk)


@require_POST
def article_tags(request: SignedInRequest, pk: int) -> HttpResponse:
    """Add tags to an article, or remove one."""
    found = article_of(request.user, pk)
    removed = whole_number(request.POST.get("remove", ""))
    try:
        if removed is not None:
            remove_tag(request.user, found, removed)
        elif names := read_names(request.POST.get("add", "")):
            add_tags(request.user, found, names, now=timezone.now())
    except TagRefused as refusal:
        messages.warning(request, str(refusal))
    return back_to_row(request, pk)
