"""A user's data: counts, export, import."""

from datetime import date

from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from digests.delivery.smtp import is_printed
from feeds.tasks.enqueue import call_worker
from reader.models import ImportStatus
from reader.views.base import SignedInRequest, page, whole_number
from rssmanager.accounts.changes import recorded
from rssmanager.accounts.data_counts import count_data
from rssmanager.accounts.errors import DataRefused
from rssmanager.accounts.exporting import export_zip
from rssmanager.accounts.format import KINDS
from rssmanager.accounts.forms import DataFileForm
from rssmanager.accounts.importing import begin, confirm, discard
from rssmanager.accounts.models import ChangeKind, DataImport
from rssmanager.accounts.views.confirm import confirmation_required
from rssmanager.authentication.sessions import browser_of

IMPORTS_SHOWN = 3
LINES_SHOWN = 200


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def data(request: SignedInRequest) -> HttpResponse:
    """Counts, and the forms for export and import."""
    form = DataFileForm()
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
        "kept": count_data(request.user),
        "imports": DataImport.objects.filter(user=request.user)[:IMPORTS_SHOWN],
        "mail_is_printed": is_printed(),
        "section": "data",
    }
    return page(request, "account/data.html", context, here="settings", status=422 if request.method == "POST" else 200)


@never_cache
@require_POST
@confirmation_required(back="data")
def data_export(request: SignedInRequest) -> HttpResponseBase:
    """Everything in one file, written while it is sent."""
    now = timezone.now()
    name = f"rssmanager-{timezone.localtime(now):%Y-%m-%d}.zip"
    with recorded(request.user, ChangeKind.EXPORT, browser=browser_of(request), now=now):
        pieces = export_zip(request.user, now=now)  # a generator, so nothing is read yet
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingHttpResponse(pieces, content_type="application/zip", headers=headers)


@require_safe
def data_import(request: SignedInRequest, pk: int) -> HttpResponse:
    """A preview of the file, then its progress and the refused lines; only the progress for `X-Fragment`."""
    job = get_object_or_404(DataImport, pk=pk, user=request.user)
    lines = list(job.lines.filter(pk__gt=whole_number(request.GET.get("after", "")) or 0)[: LINES_SHOWN + 1])
    counts = job.holds.get("counts", {})
    context = {
        "job": job,
        "counts": [(kind, counts[kind]) for kind in (*KINDS, "unknown") if counts.get(kind)],
        "exported_on": _day(job.holds.get("exported_at", "")),
        "lines": lines[:LINES_SHOWN],
        "next_line": lines[LINES_SHOWN - 1].pk if len(lines) > LINES_SHOWN else None,
        "is_preview": job.status == ImportStatus.PREVIEW,
        "section": "data",
    }
    if request.headers.get("X-Fragment") == "progress":
        return render(request, "account/_data_import_progress.html", context)
    return page(request, "account/data_import.html", context, here="settings")


def _day(moment: str) -> date | None:
    """The day of a time in an uploaded file; None if it is invalid."""
    try:
        return date.fromisoformat(moment[:10])
    except ValueError:
        return None


@require_POST
def data_import_confirm(request: SignedInRequest, pk: int) -> HttpResponse:
    """Import what was previewed, or discard it."""
    job = get_object_or_404(DataImport, pk=pk, user=request.user)
    if request.POST.get("act") == "discard":
        discard(job)
        return redirect("data")
    if confirm(job):
        call_worker("rssmanager.accounts.tasks.import_data", job.pk)
    return redirect("data_import", job.pk)
