"""The page of operations, in the admin, and running a failed task again."""

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe
from django_q.models import Failure
from django_q.tasks import async_task

from rssmanager.operating import backlogs, page

MAY_SEE = "operating.see_operations"


@require_safe
def operations(request: HttpRequest) -> HttpResponse:
    """How the installation runs, for who may see it."""
    if not request.user.has_perm(MAY_SEE):
        raise PermissionDenied
    now = timezone.now()
    shown = {
        **admin.site.each_context(request),
        "title": _("Operations"),
        "queue": page.queue(now),
        "workers": page.workers(now),
        "failures": page.failures(),
        "schedules": page.schedule_rows(now),
        "stages": backlogs.waiting(),
        "late": backlogs.lateness(now),
        "mails": backlogs.mails(now),
        "slow_feeds": page.slow_feeds(),
        "failing_feeds": page.failing_feeds(),
        "slow_queries": page.slow_queries(),
        "growth": page.growth(),
        "spark": {"width": page.SPARK_WIDTH, "height": page.SPARK_HEIGHT},
        "may_run": _may_run(request),
    }
    return render(request, "admin/operations.html", shown)


@require_POST
def run_again(request: HttpRequest, pk: str) -> HttpResponse:
    """Put a failed task into the queue once more, and its failure away."""
    if not request.user.has_perm(MAY_SEE) or not _may_run(request):
        raise PermissionDenied
    task = Failure.objects.filter(pk=pk).first()
    if task is None:
        raise Http404("No such failure.")
    async_task(task.func, *(task.args or ()), hook=task.hook, group=task.group, **(task.kwargs or {}))
    task.delete()
    messages.success(request, _("In the queue again: %(task)s") % {"task": task.func})
    return redirect("operations")


def _may_run(request: HttpRequest) -> bool:
    return request.user.has_perm("django_q.delete_failure")  # as the queue's own list of failures has it
