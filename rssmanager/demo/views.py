"""Looking around with sample feeds: taking them, leaving them, and the pictures and sounds of their articles."""

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_POST, require_safe

from feeds.calling import call_worker
from reader.views.signed_in import SignedInRequest, safe_next
from rssmanager.demo.answers import medium
from rssmanager.demo.taking import begin, is_taken_in, leave_samples

A_DAY = 24 * 3600  # seconds


@require_POST
def samples(request: SignedInRequest) -> HttpResponse:
    """Have a worker follow the sample feeds and take in what they hold."""
    job = begin(request.user, now=timezone.now())
    if not is_taken_in(job):
        call_worker("rssmanager.demo.tasks.take_samples", job.pk)
    return redirect("import", job.pk)


@require_POST
def samples_leave(request: SignedInRequest) -> HttpResponse:
    """Leave them; that can be taken back for a week."""
    parting = leave_samples(request.user, now=timezone.now())
    if parting is None:
        messages.info(request, _("You follow no sample feed."))
    else:
        told = _(
            "You do not follow the sample feeds any more. Starred articles stay; what your interests learned from them "
            "fades by itself."
        )
        messages.success(request, told, extra_tags=reverse("parting_undo", args=[parting.pk]))
    return redirect(safe_next(request, reverse("subscribe")))


@login_not_required
@require_safe
@cache_control(public=True, max_age=A_DAY)
def sample_medium(request: HttpRequest, key: str, path: str) -> HttpResponse:
    """A picture or a sound of a sample article: invented, so that anybody may see it."""
    found = medium(key, f"/{path}")
    if found is None:
        raise Http404("There is no such picture or sound.")
    return HttpResponse(found.body, content_type=found.content_type)
