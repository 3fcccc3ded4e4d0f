"""Follow feeds by URL, by list, or from starter packs; OPML export.

Looking up an address happens in a worker, in three steps: the address, the wait, the choice. Each step is a page, and
with scripts a fragment in the dialog (`X-Fragment: add`).
"""

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from feeds.errors import ImportFileError
from feeds.tasks.enqueue import call_worker
from reader.access import import_of
from reader.lists.sidebar import sidebar_of
from reader.models import Folder, Import, ImportKind, ImportStatus, InterestTerm, Subscription, TermOrigin
from reader.preferences.middleware import preferences_in
from reader.subscriptions import opml_export
from reader.subscriptions.importer import (
    confirm,
    create_import,
    create_list_import,
    create_starter_import,
    discard,
    follow_found,
    import_arrival,
    is_behind_page,
    may_be_urgent,
    offers_of,
    preview_of,
    unticked,
)
from reader.subscriptions.notifications import mark_import_seen
from reader.subscriptions.starter_packs import SUGGESTED_TOPICS, chosen, starter_sets
from reader.views.base import SignedInRequest, page, whole_number
from reader.views.forms import AddressForm, ListForm

IMPORTS_SHOWN = 5
LINES_SHOWN = 200


@require_http_methods(["GET", "HEAD", "POST"])
def subscribe(request: SignedInRequest) -> HttpResponse:
    """Three forms: a URL with a folder, a list, or starter feeds."""
    address, listed = AddressForm(initial=_initial(request)), ListForm(prefix="list")
    problem = ""
    if request.method == "POST":
        which = request.POST.get("form")
        if which == "starters":
            if feeds := chosen(request.POST.getlist("feed"), request.POST.getlist("pack")):
                return _begun(request, create_starter_import(request.user, feeds, now=timezone.now()))
            problem = _("Select at least one feed.")
        elif which == "list":
            listed = ListForm(request.POST, request.FILES, prefix="list")
            if listed.is_valid():
                try:
                    return _begun(request, _list_import(request, listed))
                except ImportFileError as error:
                    listed.add_error(None, str(error))
        else:
            address = AddressForm(request.POST)
            if address.is_valid():
                return _begun(request, _address_import(request, address))
    context = {
        "address_form": address,
        "list_form": listed,
        "starter_sets": starter_sets(),
        "starter_problem": problem,
        "folders": Folder.objects.filter(user=request.user),
        "imports": Import.objects.filter(user=request.user).defer("data")[:IMPORTS_SHOWN],
    }
    if _in_dialog(request):
        return render(request, "reader/_add.html", context)
    status = 422 if request.method == "POST" else 200
    return page(request, "reader/subscribe.html", context, here="subscribe", status=status)


def _in_dialog(request: SignedInRequest) -> bool:
    return request.headers.get("X-Fragment") == "add"


def _initial(request: SignedInRequest) -> dict[str, str]:
    """Initial values from a link."""
    return {"address": request.GET.get("address", ""), "folder": request.GET.get("folder", "")}


def _address_import(request: SignedInRequest, form: AddressForm) -> Import:
    given = form.cleaned_data
    return create_import(request.user, ImportKind.ADDRESS, given["address"], folder_name=given["folder"])


def _list_import(request: SignedInRequest, form: ListForm) -> Import:
    given = form.cleaned_data
    if upload := given["file"]:
        return create_list_import(request.user, upload.read(), name=upload.name or _("list"))
    if given["text"].strip():
        return create_list_import(request.user, given["text"].encode(), name=_("Pasted list"))
    return create_import(request.user, ImportKind.LIST, given["address"].strip())


def _begun(request: SignedInRequest, job: Import) -> HttpResponse:
    """Redirect to the import's page; start it unless it needs confirmation."""
    if job.status != ImportStatus.PREVIEW:
        start_import(request, job)
    return redirect("import", job.pk)


def start_import(request: SignedInRequest, job: Import) -> None:
    """Call a worker for an import, unless the user already has many that run; the recurring task runs those."""
    if may_be_urgent(job) and not call_worker("reader.tasks.recurring.run_import", job.pk):
        messages.warning(request, _("No worker is available. Your import will start as soon as one is."))


@require_safe
def import_progress(request: SignedInRequest, pk: int) -> HttpResponse:
    """An import: its preview, or its progress and rejected lines; only the progress for scripts."""
    job = import_of(request.user, pk)
    is_fragment = request.headers.get("X-Fragment") == "progress"
    is_found = job.kind == ImportKind.ADDRESS and job.status in (ImportStatus.PREVIEW, ImportStatus.FAILED)
    if _in_dialog(request) or (is_found and not is_fragment):
        return _lookup(request, job)
    if job.status == ImportStatus.PREVIEW and not is_fragment:
        return page(request, "reader/import_preview.html", {"job": job, "preview": preview_of(job)}, here="subscribe")
    if job.is_over and job.kind != ImportKind.ADDRESS:
        mark_import_seen(job, now=timezone.now())
    lines = job.lines.filter(pk__gt=whole_number(request.GET.get("after", "")) or 0)
    shown = list(lines[: LINES_SHOWN + 1])
    more = len(shown) > LINES_SHOWN
    shown = shown[:LINES_SHOWN]
    mine = Subscription.objects.filter(user=request.user, feed__in={line.feed_id for line in shown if line.feed_id})
    subscriptions: dict[int | None, int] = dict(mine.values_list("feed", "pk"))
    context = {
        "job": job,
        "lines": [(line, subscriptions.get(line.feed_id)) for line in shown],
        "next_line": shown[-1].pk if more else None,
        "arrival": import_arrival(request.user, job, now=timezone.localtime()),
    }
    if is_fragment:
        context |= {
            "sidebar": sidebar_of(request.user, here="subscribe", preferences=preferences_in(request)),
            "brings_shelves": True,
        }
        return render(request, "reader/_import_progress.html", context | {"now": timezone.now()})
    context["asks_for_interests"] = (
        job.status != ImportStatus.FAILED
        and not InterestTerm.objects.filter(user=request.user, origin=TermOrigin.TOPIC).exists()
    )
    context["suggested_topics"] = SUGGESTED_TOPICS
    return page(request, "reader/import_detail.html", context, here="subscribe")


def _lookup(request: SignedInRequest, job: Import, problem: str = "") -> HttpResponse:
    """The step that looking up an address has reached."""
    context = {"job": job, "problem": problem, "folders": Folder.objects.filter(user=request.user)}
    if job.status == ImportStatus.PREVIEW:
        context["offers"] = offers = offers_of(job)
        context["n_new"] = sum(offer.subscription is None for offer in offers)
        context["is_page"] = is_behind_page(job, offers)
    elif job.status == ImportStatus.FAILED:
        context |= {
            "address_form": AddressForm(initial={"address": job.name, "folder": job.folder_name}),
            "problem": job.message,
        }
    if _in_dialog(request):
        return render(request, "reader/_add.html", {"now": timezone.now(), **context})
    status = 422 if problem else 200
    return page(request, "reader/import_found.html", context, here="subscribe", status=status)


@require_POST
def import_confirm(request: SignedInRequest, pk: int) -> HttpResponse:
    """Confirm or discard a previewed list, or follow feeds that were found at an address."""
    job = import_of(request.user, pk)
    if request.POST.get("act") == "discard":
        discard(job)
        return redirect("subscribe")
    if job.status == ImportStatus.PREVIEW and job.kind == ImportKind.ADDRESS:
        return _follow_found(request, job)
    if job.status == ImportStatus.PREVIEW:
        preview = preview_of(job)
        left_out = unticked(preview, folders=_numbers(request, "folder"), feeds=_numbers(request, "feed"))
        if len(left_out) == preview.n_new and not preview.error:
            messages.warning(request, _("Select at least one feed."))
        elif confirm(job, now=timezone.now(), left_out=left_out):
            start_import(request, job)
    return redirect("import", job.pk)


def _follow_found(request: SignedInRequest, job: Import) -> HttpResponse:
    numbers, folder = _numbers(request, "feed"), request.POST.get("folder", "").replace("\0", "").strip()[:200]
    if not numbers:
        return _lookup(request, job, _("Select at least one feed."))
    now, max_items = timezone.now(), settings.ENV.FETCH_MAX_ITEMS
    if follow_found(job, numbers, folder=folder, now=now, default_max_items=max_items):
        call_worker("reader.tasks.recurring.run_import", job.pk)
    return redirect("import", job.pk)


def _numbers(request: SignedInRequest, name: str) -> set[int]:
    return {number for text in request.POST.getlist(name) if (number := whole_number(text)) is not None}


@require_safe
def export_opml(request: SignedInRequest) -> HttpResponse:
    """The user's subscriptions as a file."""
    title = _("%(name)s's feeds") % {"name": request.user.get_username()}
    document = opml_export.export_opml(request.user, title=title, now=timezone.now())
    headers = {"Content-Disposition": 'attachment; filename="feeds.opml"', "Cache-Control": "no-store"}
    return HttpResponse(document, content_type="text/x-opml; charset=utf-8", headers=headers)
