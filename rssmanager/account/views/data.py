"""A person's own data: how much there is, taken along as one file, and brought in again."""

from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from feeds.calling import call_worker
from reader.models import ImportStatus
from reader.views.signed_in import SignedInRequest, page, whole_number
from rssmanager.account.access import data_import_of
from rssmanager.account.counting import kept_of
from rssmanager.account.document import KINDS
from rssmanager.account.errors import DataRefused
from rssmanager.account.exporting import export_zip
from rssmanager.account.forms import DataFileForm
from rssmanager.account.importing import begin, confirm, discard
from rssmanager.account.models import DataImport

IMPORTS_SHOWN = 3
LINES_SHOWN = 200


@require_http_methods(["GET", "HEAD", "POST"])
def data(request: SignedInRequest) -> HttpResponse:
    """What is kept, in numbers, and the two ways: out and in."""
    form = DataFileForm(request.POST or None, request.FILES or None)
    if request.method == "POST":
        form = DataFileForm(request.POST, request.FILES)
        if form.is_valid():
            upload = form.cleaned_data["file"]
            try:
                job = begin(request.user, upload.file, name=upload.name or "export", now=timezone.now())
            except DataRefused as error:
                form.add_error("file", str(error))
            else:
                return redirect("data_import", job.pk)
    context = {
        "form": form,
        "kept": kept_of(request.user),
        "imports": DataImport.objects.filter(user=request.user)[:IMPORTS_SHOWN],
        "section": "data",
    }
    return page(request, "account/data.html", context, here="settings", status=422 if request.method == "POST" else 200)


@require_safe
def data_export(request: SignedInRequest) -> StreamingHttpResponse:
    """Everything as one file, written while it is sent."""
    now = timezone.now()
    name = f"rssmanager-{timezone.localtime(now):%Y-%m-%d}.zip"
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return StreamingHttpResponse(export_zip(request.user, now=now), content_type="application/zip", headers=headers)


@require_safe
def data_import(request: SignedInRequest, pk: int) -> HttpResponse:
    """What a file holds, then how far it is, and which lines were not taken; the bare progress for the script."""
    job = data_import_of(request.user, pk)
    lines = list(job.lines.filter(pk__gt=whole_number(request.GET.get("after", "")) or 0)[: LINES_SHOWN + 1])
    counts = job.holds.get("counts", {})
    context = {
        "job": job,
        "counts": [(kind, counts[kind]) for kind in (*KINDS, "unknown") if counts.get(kind)],
        "exported_at": job.holds.get("exported_at", "")[:10],
        "lines": lines[:LINES_SHOWN],
        "next_line": lines[LINES_SHOWN - 1].pk if len(lines) > LINES_SHOWN else None,
        "is_preview": job.status == ImportStatus.PREVIEW,
        "section": "data",
    }
    if request.headers.get("X-Fragment") == "progress":
        return render(request, "account/_data_import_progress.html", context)
    return page(request, "account/data_import.html", context, here="settings")


@require_POST
def data_import_confirm(request: SignedInRequest, pk: int) -> HttpResponse:
    """Take in what was shown, or forget it."""
    job = data_import_of(request.user, pk)
    if request.POST.get("act") == "discard":
        discard(job)
        return redirect("data")
    if confirm(job):
        call_worker("rssmanager.account.tasks.import_data", job.pk)
    return redirect("data_import", job.pk)
