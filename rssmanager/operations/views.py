"""The operations page under Settings, and running a failed task again."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe
from django_q.models import Failure
from django_q.tasks import async_task

from digests.models import MailingState
from reader.views.base import SignedInRequest, page
from rssmanager.operations import dashboard
from rssmanager.operations.names import STAGES, task_name
from rssmanager.operations.problems import find_problems, mail_server
from rssmanager.operations.queue_depths import MAX_COUNT


@require_safe
def operations(request: SignedInRequest) -> HttpResponse:
    """The state of the installation: what doesn't work first."""
    if not _may_see(request):
        raise PermissionDenied
    now = timezone.now()
    state = dashboard.look(request.user, now=now)
    context = {
        "state": state,
        "problems": find_problems(state, now=now),
        "stages": [(STAGES[stage], n) for stage, n in state.waiting.items()],
        "most": MAX_COUNT,
        "mails": [(MailingState(mail_state).label, n) for mail_state, n in state.mails.items()],
        "mail_server": mail_server(),
        "chart": {"width": dashboard.CHART_WIDTH, "height": dashboard.CHART_HEIGHT},
        "may_run": _may_run(request),
        "section": "operations",
    }
    return page(request, "operations/operations.html", context, here="settings")


@require_POST
def run_again(request: SignedInRequest, pk: str) -> HttpResponse:
    """Queue a failed task of ours again, and delete its failure."""
    if not _may_see(request) or not _may_run(request):
        raise PermissionDenied
    task = Failure.objects.filter(pk=pk).first()
    if task is None:
        raise Http404("No such failure.")
    name = {"task": task_name(task.func)}
    if not dashboard.can_run(task):
        messages.error(request, _("This task can't run again: %(task)s") % name)
        return redirect("operations")
    async_task(task.func, *task.args)
    task.delete()
    messages.success(request, _("Queued again: %(task)s") % name)
    return redirect("operations")


def _may_see(request: SignedInRequest) -> bool:
    return request.user.is_staff and request.user.has_perm("operations.see_operations")


def _may_run(request: SignedInRequest) -> bool:
    return request.user.has_perm("django_q.delete_failure")
