"""A person's folders: one list of them, and a page to change each."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from reader.access import folder_of
from reader.errors import FolderExists, FolderRefused
from reader.filing import delete_folder, folders_of, rename_folder
from reader.forms import FolderForm
from reader.views.signed_in import SignedInRequest, page


@require_safe
def folders(request: SignedInRequest) -> HttpResponse:
    """Every folder with what it holds."""
    return page(request, "reader/folder_list.html", {"folders": folders_of(request.user)}, here="health")


@require_http_methods(["GET", "HEAD", "POST"])
def folder_edit(request: SignedInRequest, pk: int) -> HttpResponse:
    """A folder's name and its selection. The name of another folder makes one of the two, once that was agreed to."""
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
                messages.success(request, _("Saved. The folder is called %(name)s now.") % {"name": found.name})
            else:
                messages.success(request, _("Its feeds are in %(name)s now.") % {"name": now_is.name})
            return redirect("folder", now_is.pk)
    held = next(each for each in folders_of(request.user) if each.folder == found)
    context = {"form": form, "held": held, "folder": held.folder, "other": other}
    status = 422 if request.method == "POST" else 200
    return page(request, "reader/folder_edit.html", context, here="folder", folder_id=pk, status=status)


@require_POST
def folder_delete(request: SignedInRequest, pk: int) -> HttpResponse:
    """Delete a folder; its feeds stay, in none."""
    found = folder_of(request.user, pk)
    n = delete_folder(found)
    said = ngettext(
        "The folder %(name)s is deleted. Its %(n)s feed is in no folder now.",
        "The folder %(name)s is deleted. Its %(n)s feeds are in no folder now.",
        n,
    )
    messages.success(request, said % {"name": found.name, "n": n})
    return redirect("folders")
