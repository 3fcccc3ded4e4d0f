"""Following feeds: by address, by file, and the way out again as OPML."""

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe
from django_q.tasks import async_task

from feeds.opml import write_opml
from reader.access import import_of
from reader.exporting import export_list
from reader.forms import AddressForm, ListFileForm
from reader.models import Folder, Import, ImportKind, Subscription
from reader.views.signed_in import SignedInRequest, page, whole_number

IMPORTS_SHOWN = 5
LINES_SHOWN = 200


@require_http_methods(["GET", "HEAD", "POST"])
def subscribe(request: SignedInRequest) -> HttpResponse:
    """Two forms: one address with a folder, or a file of many."""
    is_file = request.POST.get("form") == "file"
    posted = request.method == "POST"
    address = AddressForm(request.POST if posted and not is_file else None, initial=_initial(request))
    file = ListFileForm(request.POST, request.FILES) if posted and is_file else ListFileForm()
    form = file if is_file else address
    if posted and form.is_valid():
        job = _file_import(request, file) if is_file else _address_import(request, address)
        async_task("reader.tasks.run_import", job.pk)
        return redirect("import", job.pk)
    context = {
        "address_form": address,
        "file_form": file,
        "folders": Folder.objects.filter(user=request.user),
        "imports": Import.objects.filter(user=request.user).defer("data")[:IMPORTS_SHOWN],
    }
    return page(request, "reader/subscribe.html", context, here="subscribe", status=422 if posted else 200)


def _initial(request: SignedInRequest) -> dict[str, str]:
    return {name: request.GET.get(name, "") for name in ("address", "folder")}


def _address_import(request: SignedInRequest, form: AddressForm) -> Import:
    return Import.objects.create(
        user=request.user,
        kind=ImportKind.ADDRESS,
        name=form.cleaned_data["address"],
        folder_name=form.cleaned_data["folder"],
    )


def _file_import(request: SignedInRequest, form: ListFileForm) -> Import:
    upload = form.cleaned_data["file"]
    return Import.objects.create(
        user=request.user, kind=ImportKind.FILE, name=upload.name or "list", data=upload.read()
    )


@require_safe
def import_progress(request: SignedInRequest, pk: int) -> HttpResponse:
    """How far an import is, what it refused and why; the bare progress for the script that asks again."""
    job = import_of(request.user, pk)
    lines = job.lines.filter(pk__gt=whole_number(request.GET.get("after", "")) or 0)
    shown = list(lines[: LINES_SHOWN + 1])
    more = len(shown) > LINES_SHOWN
    shown = shown[:LINES_SHOWN]
    mine = Subscription.objects.filter(user=request.user, feed__in={each.feed_id for each in shown if each.feed_id})
    subscriptions: dict[int | None, int] = dict(mine.values_list("feed", "pk"))
    context = {
        "job": job,
        "lines": [(each, subscriptions.get(each.feed_id)) for each in shown],
        "next_line": shown[-1].pk if more else None,
    }
    if request.headers.get("X-Fragment") == "progress":
        return render(request, "reader/_import_progress.html", context | {"now": timezone.now()})
    return page(request, "reader/import_detail.html", context, here="subscribe")


@require_safe
def export_opml(request: SignedInRequest) -> HttpResponse:
    """The user's subscriptions as a file."""
    title = f"{request.user.get_username()}'s feeds"
    document = write_opml(export_list(request.user), title=title, created_at=timezone.now())
    headers = {"Content-Disposition": 'attachment; filename="feeds.opml"', "Cache-Control": "no-store"}
    return HttpResponse(document, content_type="text/x-opml; charset=utf-8", headers=headers)
