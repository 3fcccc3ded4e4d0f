"""Sample feeds: adding, removing, and their media files."""

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_POST, require_safe

from feeds.tasks.enqueue import call_worker
from reader.views.base import SignedInRequest, safe_next
from rssmanager.demo.install_samples import begin, is_taken_in, remove_samples
from rssmanager.demo.responses import medium

A_DAY = 24 * 3600  # seconds


@require_POST
def samples(request: SignedInRequest) -> HttpResponse:
    """Let a worker follow the sample feeds and import their articles."""
    job = begin(request.user, now=timezone.now())
    if not is_taken_in(job):
        call_worker("rssmanager.demo.tasks.ingest_samples", job.pk)
    return redirect("import", job.pk)


@require_POST
def samples_leave(request: SignedInRequest) -> HttpResponse:
    """Remove them; they can be restored for seven days."""
    removed = remove_samples(request.user, now=timezone.now())
    if not removed:
        messages.info(request, _("You don't follow any sample feeds."))
    else:
        told = _("Sample feeds removed. Starred articles stay; what your interests learned from them fades over time.")
        messages.success(request, told, extra_tags=reverse("feed_restore", args=[removed[0].pk]))
    return redirect(safe_next(request, reverse("subscribe")))


@login_not_required
@require_safe
@cache_control(public=True, max_age=A_DAY)
def sample_medium(request: HttpRequest, key: str, path: str) -> HttpResponse:
    """An image or audio file of a sample article; public."""
    found = medium(key, f"/{path}")
    if found is None:
        raise Http404("There is no such file.")
    return HttpResponse(found.body, content_type=found.content_type)
