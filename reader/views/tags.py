"""Tags: the list of each, and putting articles under them."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from reader.access import article_of, tag_of
from reader.acting import votes_of
from reader.errors import TagRefused
from reader.queries import Cursor, tagged_page
from reader.tagging import add_tags, read_names, remove_tag, rename_tag
from reader.views.growing import grown, whole
from reader.views.signed_in import SignedInRequest, back_to_row, page, whole_number


@require_safe
def tag(request: SignedInRequest, pk: int) -> HttpResponse:
    """What is kept under one tag, newest first."""
    found = tag_of(request.user, pk)
    cursor = Cursor.decode(request.GET.get("after", ""))
    shown = tagged_page(request.user, found, cursor, now=timezone.now())
    context = {
        "title": found.name,
        "tag": found,
        "page": shown,
        "votes": votes_of(request.user, [row.article.pk for row in shown.rows]),
        "is_first": cursor is None,
        "heading": _("Newest first"),
    }
    if request.htmx:
        return grown(request, context)
    return whole(page(request, "reader/article_list.html", context, here="tag", open_tag=pk))


@require_POST
def tag_edit(request: SignedInRequest, pk: int) -> HttpResponse:
    """Rename a tag, or delete it; its articles stay where their feeds brought them."""
    found = tag_of(request.user, pk)
    if request.POST.get("act") == "delete":
        found.delete()
        messages.success(request, _("The tag %(tag)s is deleted.") % {"tag": found.name})
        return redirect("home")
    try:
        rename_tag(found, request.POST.get("name", ""))
    except TagRefused as refusal:
        messages.warning(request, str(refusal))
    return redirect("tag", pk)


@require_POST
def article_tags(request: SignedInRequest, pk: int) -> HttpResponse:
    """Put an article under tags, or take it from under one."""
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
