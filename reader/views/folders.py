"""The list of folders, and the page to edit one."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from reader.access import folder_of
from reader.errors import FolderExists, FolderRefused
from reader.subscriptions.folders import delete_folder, folders_of, rename_folder
from reader.views.base import SignedInRequest, page
from reader.views.forms import FolderForm


@require_safe
def folders(request: SignedInRequest) -> HttpResponse:
    """All folders with their contents."""
    return page(request, "reader/folder_list.html", {"folders": folders_of(request.user)}, here="health")


@require_http_methods(["GET", "HEAD", "POST"])
def folder_edit(request: SignedInRequest, pk: int) -> HttpResponse:
    """Edit a folder's name and selection. Entering the name of another folder merges the two, after confirmation."""
    found = folder_of(request.user, pk)
    initial = {"name": found.name, "item_limit_per_category": found.item_limit_per_category}
    form = FolderForm(request.POST if request.method == "POST" else None, initial=initial)
    other = ""
    if request.method == "POST" and form.is_valid():
        given = form.cleaned_data
        try:
            now_is = rename_folder(found, given["name"], joins="joins" in request.POST)
        except FolderRefused as refusal:
            form.add_error("name", str(refusal))
        except FolderExists as question:
            other = str(question)
        else:
            if now_is == found:
                found.item_limit_per_category = given["item_limit_per_category"]
                found.save(update_fields=["item_limit_per_category"])
                messages.success(request, _("Saved. The folder is now called %(name)s.") % {"name": found.name})
            else:
                messages.success(request, _("Merged into %(name)s.") % {"name": now_is.name})
            return redirect("folder", now_is.pk)
    held = next(folder for folder in folders_of(request.user) if folder.folder == found)
    context = {"form": form, "held": held, "folder": held.folder, "other": other}
    status = 422 if request.method == "POST" else 200
    return page(request, "reader/folder_edit.html", context, here="folder", folder_id=pk, status=status)


@require_POST
def folder_delete(request: SignedInRequest, pk: int) -> HttpResponse:
    """Delete a folder; its feeds stay, without a folder."""
    found = folder_of(request.user, pk)
    n = delete_folder(found)
    text = ngettext(
        "Deleted the folder %(name)s. Its %(n)s feed is no longer in a folder.",
        "Deleted the folder %(name)s. Its %(n)s feeds are no longer in a folder.",
        n,
    )
    messages.success(request, text % {"name": found.name, "n": n})
    return redirect("folders")
