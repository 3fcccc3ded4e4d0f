"""The operations page in the admin, and running a failed task again."""

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe
from django_q.models import Failure
from django_q.tasks import async_task

from digests.models import MailingState
from rssmanager.monitoring import dashboard, queue_depths

MAY_SEE = "operating.see_operations"


@require_safe
def operations(request: HttpRequest) -> HttpResponse:
    """The state of the installation."""
    if not request.user.has_perm(MAY_SEE):
        raise PermissionDenied
    now = timezone.now()
    context = {
        **admin.site.each_context(request),
        "title": _("Operations"),
        "queue": dashboard.queue(now),
        "workers": dashboard.workers(now),
        "failures": dashboard.failures(),
        "refused": dashboard.refused_tasks(),
        "schedules": dashboard.schedule_rows(now),
        "stages": queue_depths.waiting(),
        "late": queue_depths.overdue_feeds(now),
        "mails": {MailingState(state).label: n for state, n in queue_depths.mails(now).items()},
        "slow_feeds": dashboard.slow_feeds(),
        "failing_feeds": dashboard.failing_feeds(),
        "slow_queries": dashboard.slow_queries(),
        "growth": dashboard.growth(),
        "spark": {"width": dashboard.SPARK_WIDTH, "height": dashboard.SPARK_HEIGHT},
        "may_run": _may_run(request),
    }
    return render(request, "admin/operations.html", context)


@require_POST
def run_again(request: HttpRequest, pk: str) -> HttpResponse:
    """Queue a failed task of ours again, and delete its failure."""
    if not request.user.has_perm(MAY_SEE) or not _may_run(request):
        raise PermissionDenied
    task = Failure.objects.filter(pk=pk).first()
    if task is None:
        raise Http404("No such failure.")
    if not dashboard.can_run(task):
        messages.error(request, _("This task can't run again: %(task)s") % {"task": task.func})
        return redirect("operations")
    async_task(task.func, *task.args)
    task.delete()
    messages.success(request, _("Queued again: %(task)s") % {"task": task.func})
    return redirect("operations")


def _may_run(request: HttpRequest) -> bool:
    return request.user.has_perm("django_q.delete_failure")
